/* units.c: separate compilation. Each object carries the bitcode of its device code; the link joins all of it, runs the
 * passes over the whole, and registers one image. */
#include "cli/cc/units.h"
#include "cli/base/message.h"
#include "cli/cc/device.h"
#include "cli/cc/host.h"
#include "cli/cc/parcels.h"
#include "cli/cc/statics.h"
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t hash(uint64_t h, const char *text) {
  for (; *text; text++)
    h = (h ^ (unsigned char)*text) * 0x100000001b3;
  return h;
}

/* Both sides mangle this into the names of static kernels and variables, so it must be unique among the program's
 * units. */
static char *unit_id(const struct cs_cli_build *b, const char *source, const char *output) {
  char path[PATH_MAX];
  uint64_t h = hash(0xcbf29ce484222325, realpath(source, path) ? path : source);
  h = hash(h, strncmp(output, b->temp, strlen(b->temp)) != 0 ? output : "");
  for (size_t i = 0; i < b->cc.compile.count; i++)
    h = hash(h, b->cc.compile.items[i]);
  return cs_cli_format("%016llx", (unsigned long long)h);
}

static int pack(const struct cs_cli_build *b, const char *source, const struct cs_cli_unit *unit, const char *arch,
                const char *stem, const char *parcel) {
  char *bitcode = cs_cli_format("%s.%s.bc", stem, arch);
  int status = cs_cli_compile_device(b, source, unit, arch, CS_CLI_FORM_BITCODE, bitcode);
  if (status == 0 && !b->cc.dry_run)
    status = cs_cli_fix_statics(b, bitcode);
  if (status == 0 && !b->cc.dry_run)
    status = cs_cli_parcel_write(parcel, arch, bitcode) ? 1 : 0;
  free(bitcode);
  return status;
}

int cs_cli_compile_unit(const struct cs_cli_build *b, const char *source, size_t number, const char *output) {
  char *id = unit_id(b, source, output), *stem = cs_cli_format("%s/%zu", b->temp, number),
       *parcel = cs_cli_format("%s.parcel", stem);
  struct cs_cli_unit unit = {id};
  int status = 0;
  if (!b->cc.gpu)
    status = pack(b, source, &unit, cs_cli_cpu_arch(b), stem, parcel);
  for (size_t i = 0; b->cc.gpu && i < b->cc.archs.count && status == 0; i++)
    status = pack(b, source, &unit, b->cc.archs.items[i], stem, parcel);
  if (status == 0)
    status = cs_cli_compile_host_unit(b, source, &unit, parcel, output);
  free(id);
  free(stem);
  free(parcel);
  return status;
}

/* ---- the link ---- */

/* The archive that -lNAME selects, if the linker would use one; a shared library has its own image. */
static int find_archive(const struct cs_cli_build *b, const char *name, char to[PATH_MAX]) {
  for (size_t i = 0; i < b->cc.link.count; i++) {
    const char *folder = b->cc.link.items[i];
    if (strncmp(folder, "-L", 2) != 0)
      continue;
    folder = folder[2] ? folder + 2 : i + 1 < b->cc.link.count ? b->cc.link.items[i + 1] : ".";
    snprintf(to, PATH_MAX, "%s/lib%s.so", folder, name);
    if (cs_cli_is_file(to))
      return 0;
    snprintf(to, PATH_MAX, "%s/lib%s.a", folder, name);
    if (cs_cli_is_file(to))
      return 1;
  }
  return 0;
}

/* All files on the command line that can carry device code, in order. */
static void gather_inputs(const struct cs_cli_build *b, const struct cs_cli_argv *objects, struct cs_cli_argv *to) {
  cs_cli_argv_append(to, objects);
  for (size_t i = 0; i < b->cc.link.count; i++) {
    const char *item = b->cc.link.items[i];
    char path[PATH_MAX];
    if (!strncmp(item, "-l", 2)) {
      const char *name = item[2] ? item + 2 : i + 1 < b->cc.link.count ? b->cc.link.items[i + 1] : "";
      if (find_archive(b, name, path))
        cs_cli_argv_push(to, path);
    } else if (*item != '-' && cs_cli_is_file(item))
      cs_cli_argv_push(to, item);
  }
}

/* Like the linker, counts a file that is named twice only once. */
static int is_repeated(const struct cs_cli_argv *inputs, size_t at) {
  for (size_t i = 0; i < at; i++)
    if (!strcmp(inputs->items[i], inputs->items[at]))
      return 1;
  return 0;
}

static int unpack_all(const struct cs_cli_build *b, const struct cs_cli_argv *inputs, const char *arch,
                      struct cs_cli_argv *found, int *linked) {
  char *stem = cs_cli_format("%s/unit-%s-", b->temp, arch ? arch : "any");
  int bad = 0;
  for (size_t i = 0; i < inputs->count && !bad; i++)
    if (!is_repeated(inputs, i))
      bad = cs_cli_parcels_unpack(inputs->items[i], arch, stem, found, linked);
  free(stem);
  return bad;
}

static int make_from_units(const struct cs_cli_build *b, const void *inputs, const char *arch, enum cs_cli_form form,
                           const char *output) {
  struct cs_cli_argv bitcodes = {0};
  int linked = 0, status = unpack_all(b, inputs, b->cc.gpu ? arch : NULL, &bitcodes, &linked) ? 1 : 0;
  if (status == 0 && bitcodes.count == 0)
    status =
        cs_cli_fail("no object has device code for %s: pass the architectures of the compilation to the link.", arch);
  if (status == 0)
    status = cs_cli_compile_units(b, &bitcodes, arch, form, output);
  cs_cli_argv_free(&bitcodes);
  return status;
}

/* Writes an object with the image under the name that register.o refers to, and a section that marks it as linked. */
static int make_image_object(const struct cs_cli_build *b, const char *image, const char *object) {
  char *assembly = cs_cli_format("%s.s", object);
  FILE *out = fopen(assembly, "w");
  int status = out ? 0 : cs_cli_fail("cannot write %s: %s.", assembly, strerror(errno));
  if (out) {
    fprintf(out,
            "  .section .nv_fatbin,\"a\"\n  .balign 16\n  .globl __cusafe_units_image\n  .hidden __cusafe_units_image\n"
            "__cusafe_units_image:\n  .incbin \"%s\"\n"
            "  .section .cusafe.linked,\"e\",@progbits\n  .byte 1\n  .section .note.GNU-stack,\"\",@progbits\n",
            image);
    if (fclose(out) != 0)
      status = cs_cli_fail("cannot write %s: %s.", assembly, strerror(errno));
  }
  if (status == 0) {
    struct cs_cli_argv command = {0};
    const char *const words[] = {b->clang, "-c", assembly, "-o", object};
    CS_CLI_ARGV_PUSH_ALL(&command, words);
    status = cs_cli_step(b, &command);
  }
  free(assembly);
  return status;
}

static int make_registration(const struct cs_cli_build *b, const struct cs_cli_argv *inputs,
                             struct cs_cli_argv *objects) {
  char *image = cs_cli_format("%s/units.img", b->temp), *object = cs_cli_format("%s/units.o", b->temp);
  int status = cs_cli_make_image(b, make_from_units, inputs, "units", image);
  if (status != 0)
    cs_cli_fail("cannot link the device code; if a name is defined in another file, add that file's object.");
  if (status == 0)
    status = make_image_object(b, image, object);
  if (status == 0) {
    cs_cli_argv_push(objects, object);
    cs_cli_argv_pushf(objects, "%s/register.o", b->paths.private);
  }
  free(image);
  free(object);
  return status;
}

int cs_cli_link_units(const struct cs_cli_build *b, const struct cs_cli_argv *inputs, struct cs_cli_argv *objects) {
  struct cs_cli_argv files = {0}, units = {0};
  int linked = 0;
  if (b->cc.dry_run)
    return 0;
  gather_inputs(b, inputs, &files);
  int status = unpack_all(b, &files, NULL, &units, &linked) ? 1 : 0;
  if (status == 0 && units.count && !linked)
    status = make_registration(b, &files, objects);
  cs_cli_argv_free(&files);
  cs_cli_argv_free(&units);
  return status;
}
