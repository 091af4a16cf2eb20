/* registers.c: measures how many registers each kernel uses without checks, so that it uses no more with them.
 *
 * Without a limit, ptxas allocates registers for the cold paths. Limited to the bare kernel's count, it spills there,
 * and occupancy stays the same (docs/decisions/0017). */
#include "cli/cc/registers.h"
#include "cli/base/process.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OUTPUT = 4 << 20, MAX_REGISTERS = 255 };

/* Writes one line per kernel: its name, its register count from the output of `ptxas -v`, and its limit. A kernel that
 * exceeds the user's limit has its own in the source, which overrides it. Returns the number of kernels, or -1. */
static int write_registers(const char *text, const char *file, int limit) {
  static const char entry[] = "Compiling entry function '", used[] = ": Used ";
  FILE *out = fopen(file, "w");
  if (out == NULL)
    return -1;
  int count = 0;
  const char *name = NULL;
  for (const char *at = text; at; at = strchr(at, '\n'), at = at ? at + 1 : NULL) {
    size_t length = strcspn(at, "\n");
    const char *kernel = strstr(at, entry), *number = strstr(at, used);
    if (kernel && kernel < at + length) {
      name = kernel + strlen(entry);
    } else if (name && number && number < at + length) {
      long bare = strtol(number + strlen(used), NULL, 10);
      fprintf(out, "%.*s %ld %d\n", (int)strcspn(name, "'\n"), name, bare,
              limit && bare <= limit ? limit : MAX_REGISTERS);
      name = NULL;
      count++;
    }
  }
  return fclose(out) ? -1 : count;
}

static int measure(const struct cs_cli_build *b, struct cs_cli_argv *compile, const char *arch, const char *ptx,
                   char *text) {
  struct cs_cli_argv assemble = {0};
  cs_cli_argv_pushf(&assemble, "%s/bin/ptxas", b->toolkit);
  cs_cli_argv_pushf(&assemble, "--gpu-name=%s", arch);
  const char *const words[] = {"-v", ptx, "-o", "/dev/null"};
  CS_CLI_ARGV_PUSH_ALL(&assemble, words);
  if (b->cc.registers)
    cs_cli_argv_pushf(&assemble, "--maxrregcount=%d", b->cc.registers);
  int status = cs_cli_capture(compile->items, text, MAX_OUTPUT);
  if (status == 0)
    status = cs_cli_capture(assemble.items, text, MAX_OUTPUT);
  cs_cli_argv_free(&assemble);
  return status;
}

char *cs_cli_bare_registers(const struct cs_cli_build *b, struct cs_cli_argv *compile, const char *arch,
                            const char *ptx) {
  char *text = malloc(MAX_OUTPUT), *file = cs_cli_format("%s.registers", ptx);
  if (text == NULL)
    abort();
  int known =
      !b->cc.dry_run && measure(b, compile, arch, ptx, text) == 0 && write_registers(text, file, b->cc.registers) > 0;
  free(text);
  if (known)
    return file;
  free(file); /* the compilation that follows reports any error */
  return NULL;
}
