/* intrinsics_test.c: every intrinsic of LLVM's NVPTX target is in intrinsics.inc, translated or refused by name, and
 * every function that the tables name exists in the support library. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
#define CS_RT_INTRINSIC(name, function) name,
#define CS_RT_KEEP(name) name,
#define CS_RT_DROP(name) name,
#define CS_RT_SPECIAL(name) name,
#define CS_RT_REFUSE(name) name,
#include "retarget/lower/intrinsics.inc"
#undef CS_RT_INTRINSIC
#undef CS_RT_KEEP
#undef CS_RT_DROP
#undef CS_RT_SPECIAL
#undef CS_RT_REFUSE
};

static const char *const functions[] = {
#define CS_RT_INTRINSIC(name, function) #function,
#define CS_RT_KEEP(name)
#define CS_RT_DROP(name)
#define CS_RT_SPECIAL(name)
#define CS_RT_REFUSE(name)
#include "retarget/lower/intrinsics.inc"
#define CS_PTX_CALL(form, function) #function,
#include "ptx/opcodes.inc"
};

static int starts_with(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The header omits the suffixes of overloaded intrinsics, so the name in the table may be longer by one. */
static int is_listed(const char *name) {
  size_t length = strlen(name);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *entry = names[i];
    size_t size = strlen(entry);
    int prefix =
        entry[size - 1] == '.' && (starts_with(name, entry) || (length == size - 1 && starts_with(entry, name)));
    if (prefix || strcmp(entry, name) == 0)
      return 1;
    if (starts_with(entry, name) && entry[length] == '.')
      return 1;
  }
  return 0;
}

static int check_intrinsics(const char *path) {
  FILE *header = fopen(path, "r");
  char line[512], name[256];
  int found = 0, missing = 0;
  if (!header) {
    printf("cannot read %s\n", path);
    return 1;
  }
  while (fgets(line, sizeof line, header)) {
    const char *at = strstr(line, "// llvm.nvvm.");
    if (!at || sscanf(at, "// llvm.%255s", name) != 1)
      continue;
    found++;
    if (!is_listed(name) && missing++ < 20)
      printf("llvm.%s is not in intrinsics.inc\n", name);
  }
  fclose(header);
  printf("%d intrinsics, %d not listed\n", found, missing);
  return missing || found < 1000;
}

/* The file is the output of llvm-nm for the support library. */
static int check_functions(const char *path) {
  FILE *list = fopen(path, "r");
  static char text[1 << 20];
  int missing = 0;
  if (!list) {
    printf("cannot read %s\n", path);
    return 1;
  }
  size_t size = fread(text, 1, sizeof text - 1, list);
  text[size] = 0;
  fclose(list);
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    char expected[128];
    snprintf(expected, sizeof expected, " T __cr_%s\n", functions[i]);
    if (!strstr(text, expected) && strcmp(functions[i], "exit") != 0 && missing++ < 20)
      printf("the support library has no __cr_%s\n", functions[i]);
  }
  return missing;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    printf("usage: intrinsics_test IntrinsicsNVPTX.h support.nm\n");
    return 2;
  }
  return check_intrinsics(argv[1]) | check_functions(argv[2]) ? 1 : 0;
}
