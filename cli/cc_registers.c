/* cc_registers.c: how many registers each kernel takes without checks, so that it takes no more with them.
 *
 * Left to itself, ptxas gives a kernel the registers of its cold paths. Held to what the bare kernel takes, it spills there, and
 * the multiprocessor holds as many threads as before (docs/decisions/0017). */
#include "cli/cc_build.h"
#include "cli/process.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_OUTPUT = 4 << 20 };

enum { MOST = 255 };

/* A kernel a line: its name, its registers, out of what `ptxas -v` says, and the most that it may have. The user's limit is not for
 * kernels that have one of their own in the source: those are the ones that take more. Returns how many, or -1. */
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
      fprintf(out, "%.*s %ld %d\n", (int)strcspn(name, "'\n"), name, bare, limit && bare <= limit ? limit : MOST);
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
  CS_CLI_PUSH_ALL(&assemble, words);
  if (b->cc.registers)
    cs_cli_argv_pushf(&assemble, "--maxrregcount=%d", b->cc.registers);
  int status = cs_cli_capture(compile->items, NULL, text, LONGEST_OUTPUT);
  if (status == 0)
    status = cs_cli_capture(assemble.items, NULL, text, LONGEST_OUTPUT);
  cs_cli_argv_free(&assemble);
  return status;
}

char *cs_cli_bare_registers(const struct cs_cli_build *b, struct cs_cli_argv *compile, const char *arch,
                            const char *ptx) {
  char *text = malloc(LONGEST_OUTPUT), *file = cs_cli_format("%s.registers", ptx);
  if (text == NULL)
    abort();
  int known =
      !b->cc.dry_run && measure(b, compile, arch, ptx, text) == 0 && write_registers(text, file, b->cc.registers) > 0;
  free(text);
  if (known)
    return file;
  free(file); /* the compilation that follows says what is wrong, if anything is */
  return NULL;
}
