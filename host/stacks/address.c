/* address.c: names and lines of host addresses, by libdw, inlined calls included. The debug data stays open, and each
 * address is resolved once: a run with many findings asks for the same few addresses. */
#include "host/stacks/address.h"
#include "host/base/messages.h"
#include "host/stacks/elf.h"
#include "options/process.h"
#include "report/arena.h"
#include "report/demangle.h"
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRAMES_MAX = 16, SLOTS_LOG2 = 9, SLOTS = 1 << SLOTS_LOG2 };

/* The frames of one address; those of another that has the same slot replace them. */
struct builder {
  cs_u64 address;
  void *arena;
  struct cs_source *frames;
  size_t count;
};
static struct builder slots[SLOTS];

/* Not those of the system's libraries: with their lines, frames of the C library would count as the user's, and what a
 * finding's fingerprint is would depend on which debug files a host has. */
int cs_host_address_is_of_system(const char *file) {
  static const char *const folders[] = {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"};
  for (size_t i = 0; file && i < sizeof folders / sizeof *folders; i++)
    if (strncmp(file, folders[i], strlen(folders[i])) == 0)
      return 1;
  return 0;
}

static int is_program(const char *file) {
  char program[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  return file && length > 0 && (size_t)length == strlen(file) && memcmp(program, file, (size_t)length) == 0;
}

/* The debug file of a stripped program. Servers only if that was asked for: it could take long, in the middle of a
 * report. */
static int find_debug_file(Dwfl_Module *m, void **u, const char *n, GElf_Addr b, const char *file, const char *l,
                           GElf_Word c, char **d) {
  if (cs_host_address_is_of_system(file))
    return -1;
  if (!cs_options()->debuginfod)
    return dwfl_build_id_find_debuginfo(m, u, n, b, file, l, c, d);
  int found = dwfl_standard_find_debuginfo(m, u, n, b, file, l, c, d);
  if (found < 0 && is_program(file))
    cs_host_message_once(0,
                         "no debug file of %s is on this machine, or on the servers that DEBUGINFOD_URLS names: its "
                         "frames have no lines",
                         file);
  return found;
}

/* The file stays open as long as the process, so a program that it executes must not inherit it. */
static int find_file(Dwfl_Module *m, void **u, const char *n, GElf_Addr b, char **f, Elf **e) {
  int file = dwfl_linux_proc_find_elf(m, u, n, b, f, e);
  if (file >= 0)
    fcntl(file, F_SETFD, FD_CLOEXEC);
  return file;
}

/* What is loaded: the loader counts. A child has its parent's libraries, but reads its own list of mappings. */
struct libraries {
  unsigned long long loaded, unloaded;
  pid_t process;
};

static int count_libraries(struct dl_phdr_info *info, size_t size, void *data) {
  struct libraries *now = data;
  (void)size;
  now->loaded = info->dlpi_adds;
  now->unloaded = info->dlpi_subs;
  return 1; /* every call has the same counters */
}

static void forget(struct builder *slot) {
  cs_report_arena_release(&slot->arena);
  *slot = (struct builder){0};
}

static cs_u64 age;

static void forget_all(void) {
  age++;
  for (size_t i = 0; i < SLOTS; i++)
    forget(&slots[i]);
}

static const struct cs_host_files *other_files;

void cs_host_address_read_from(const struct cs_host_files *files) {
  other_files = files;
  forget_all();
}

/* The process's debug data, which stays open: reading it again takes milliseconds. Libraries that are the same as
 * before keep theirs when others have been loaded. */
static Dwfl *open_process(void) {
  static const Dwfl_Callbacks callbacks = {.find_elf = find_file, .find_debuginfo = find_debug_file};
  static Dwfl *dwfl;
  static struct libraries known;
  struct libraries now = {.process = getpid()};
  if (other_files)
    return other_files->open();
  dl_iterate_phdr(count_libraries, &now);
  if (dwfl && now.loaded == known.loaded && now.unloaded == known.unloaded && now.process == known.process)
    return dwfl;
  if (dwfl)
    dwfl_report_begin(dwfl);
  else
    dwfl = dwfl_begin(&callbacks);
  if (dwfl && (dwfl_linux_proc_report(dwfl, now.process) || dwfl_report_end(dwfl, NULL, NULL))) {
    dwfl_end(dwfl);
    dwfl = NULL;
  }
  known = now;
  forget_all();
  return dwfl;
}

static const char *copy(struct builder *b, const char *text) {
  char *space = text ? cs_report_arena_new(&b->arena, strlen(text) + 1) : NULL;
  return space ? strcpy(space, text) : NULL;
}

static const char *readable(struct builder *b, const char *name) {
  return name ? cs_report_demangle(&b->arena, name) : NULL;
}

static void emit(struct builder *b, struct cs_source frame) {
  if (b->count < FRAMES_MAX)
    b->frames[b->count++] = frame;
}

static const char *die_name(Dwarf_Die *die) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute))
    return dwarf_formstring(&attribute);
  return dwarf_diename(die);
}

static cs_u32 die_number(Dwarf_Die *die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &value))
    return 0;
  return (cs_u32)value;
}

/* The source location of an inlined call. */
static void go_to_call(Dwarf_Die *unit, Dwarf_Die *inlined, const char **file, cs_u32 *line, cs_u32 *column) {
  Dwarf_Files *files;
  size_t count;
  cs_u32 index = die_number(inlined, DW_AT_call_file);
  *file =
      dwarf_getsrcfiles(unit, &files, &count) == 0 && index < count ? dwarf_filesrc(files, index, NULL, NULL) : NULL;
  *line = die_number(inlined, DW_AT_call_line);
  *column = die_number(inlined, DW_AT_call_column);
}

/* One frame for each function whose code is at pc. Returns how many were emitted. */
static size_t emit_scopes(struct builder *b, Dwfl_Module *module, cs_u64 pc, struct cs_source frame) {
  Dwarf_Addr bias;
  Dwarf_Die *unit = dwfl_module_addrdie(module, pc, &bias), *at_pc = NULL, *scopes = NULL;
  if (!unit || dwarf_getscopes(unit, pc - bias, &at_pc) <= 0)
    return 0;
  int count = dwarf_getscopes_die(&at_pc[0], &scopes);
  size_t before = b->count;
  for (int i = 0; i < count; i++) {
    int tag = dwarf_tag(&scopes[i]);
    if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
      continue;
    frame.function = readable(b, die_name(&scopes[i]));
    emit(b, frame);
    if (tag == DW_TAG_subprogram)
      break;
    const char *file;
    go_to_call(unit, &scopes[i], &file, &frame.line, &frame.column);
    frame.file = copy(b, file);
  }
  free(scopes);
  free(at_pc);
  return b->count - before;
}

static void resolve(struct builder *b, Dwfl *dwfl, cs_u64 return_address) {
  cs_u64 pc = return_address - 1; /* in the call instruction */
  struct cs_source frame = {.pc = return_address};
  Dwfl_Module *module = dwfl_addrmodule(dwfl, pc);
  if (module) {
    int line = 0, column = 0;
    struct cs_host_elf elf;
    if (!(other_files ? other_files->elf_at : cs_host_elf_at)(pc, &elf)) {
      frame.offset = return_address - elf.bias;
      frame.build = *elf.build_id ? copy(b, elf.build_id) : NULL;
    }
    frame.module = copy(b, dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    Dwfl_Line *source = dwfl_module_getsrc(module, pc);
    if (source)
      frame.file = copy(b, dwfl_lineinfo(source, NULL, &line, &column, NULL, NULL));
    frame.line = (cs_u32)line;
    frame.column = (cs_u32)column;
    if (emit_scopes(b, module, pc, frame))
      return;
    GElf_Off offset;
    GElf_Sym symbol;
    const char *name = dwfl_module_addrinfo(module, pc, &offset, &symbol, NULL, NULL, NULL);
    frame.function = readable(b, name);
  }
  emit(b, frame);
}

size_t cs_host_address_frames(cs_u64 return_address, const struct cs_source **frames) {
  Dwfl *dwfl = open_process();
  struct builder *slot = &slots[return_address * 0x9e3779b97f4a7c15ull >> (64 - SLOTS_LOG2)];
  if (dwfl && slot->address != return_address) {
    forget(slot);
    slot->frames = cs_report_arena_new(&slot->arena, FRAMES_MAX * sizeof *slot->frames);
    if (slot->frames) {
      slot->address = return_address;
      resolve(slot, dwfl, return_address);
    }
  }
  *frames = slot->frames;
  return dwfl ? slot->count : 0;
}

cs_u64 cs_host_address_age(void) {
  open_process();
  return age;
}

/* Clips the function to the readable, executable segment that contains it. */
static int clip(struct dl_phdr_info *info, size_t size, void *data) {
  struct cs_host_function *f = data;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    cs_u64 start = info->dlpi_addr + segment->p_vaddr, end = start + segment->p_memsz;
    if (segment->p_type != PT_LOAD || (segment->p_flags & (PF_R | PF_X)) != (PF_R | PF_X) || f->start < start ||
        f->start >= end)
      continue;
    f->end = f->end < end ? f->end : end;
    return 1;
  }
  return 0;
}

int cs_host_address_function(cs_u64 return_address, struct cs_host_function *f) {
  Dwfl *dwfl = open_process();
  Dwfl_Module *module = dwfl ? dwfl_addrmodule(dwfl, return_address - 1) : NULL;
  GElf_Off offset;
  GElf_Sym symbol;
  if (!module || !dwfl_module_addrinfo(module, return_address - 1, &offset, &symbol, NULL, NULL, NULL) ||
      offset >= symbol.st_size)
    return -1;
  f->start = return_address - 1 - offset;
  f->end = f->start + symbol.st_size;
  int is_clipped = other_files ? other_files->clip(f) == 0 : dl_iterate_phdr(clip, f);
  return is_clipped && return_address <= f->end ? 0 : -1;
}
