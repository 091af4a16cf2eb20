/* python.c: finds the interpreter of this process, and reads the frames of a thread. */
#include "host/stacks/python.h"
#include "host/base/degraded.h"
#include "host/base/loader.h"
#include "host/base/lock.h"
#include "host/base/messages.h"
#include "host/stacks/python_lines.h"
#include "options/process.h"
#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* What all versions of python_versions.inc have in common. */
enum { OB_TYPE = 8, LENGTH = 16 /* of every object that has one */, BYTES_DATA = 32, STR_STATE = 32 };
enum { STATE_WIDTH_SHIFT = 2, STATE_WIDTH = 7, STATE_COMPACT = 0x20, STATE_ASCII = 0x40 };
enum { OWNED_BY_GENERATOR = 1, OWNED_BY_C = 3 /* between Python's frames and C's, since 3.12 */ };

struct layout {
  unsigned minor;
  int thread, in_cframe, code, previous, instruction, owner, first_line, file, function, lines, traceable, instructions,
      ascii, compact;
};

static const struct layout layouts[] = {
#define CS_HOST_PYTHON(...) {__VA_ARGS__},
#include "host/stacks/python_versions.inc"
};

/* The interpreter of this process. layout: NULL if there is none, or none that is known. */
struct interpreter {
  const struct layout *layout;
  void *(*this_thread)(void);
  int (*is_ending)(void);
  int (*line_of)(void *code, int byte);
  cs_u64 code_type, str_type, bytes_type;
  struct cs_host_text text;
};

enum { NOT_SEARCHED, ABSENT, FOUND, VERIFIED };
static struct interpreter process;
static int state;

/* ---- the interpreter ---- */

static int has_name(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  return strncmp(name, "python", 6) == 0 || strncmp(name, "libpython", 9) == 0;
}

/* The code of the file that an address belongs to. */
static int find_text(struct dl_phdr_info *info, size_t size, void *data) {
  struct cs_host_text *text = data;
  struct cs_host_text found = {0};
  int is_it = 0;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    cs_u64 start = info->dlpi_addr + part->p_vaddr, end = start + part->p_memsz;
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
      continue;
    is_it |= text->start >= start && text->start < end;
    found.start = found.end ? found.start : start;
    found.end = end;
  }
  if (is_it)
    *text = found;
  return is_it;
}

static const struct layout *layout_of(unsigned long version) {
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
    if (version >> 16 == (3ul << 8 | layouts[i].minor))
      return &layouts[i];
  return NULL;
}

static int is_complete(const struct interpreter *p) {
  return p->this_thread && p->is_ending && p->line_of && p->code_type && p->str_type && p->bytes_type;
}

static cs_u64 address_of(const char *name) {
  return (cs_u64)cs_host_real_dlsym(RTLD_DEFAULT, name);
}

/* An interpreter inside of another program is not read: its code cannot be told from the program's. */
static struct interpreter find(void) {
  const unsigned long *version = (const unsigned long *)address_of("Py_Version"); /* since 3.11 */
  cs_u64 is_ending = address_of("Py_IsFinalizing");                               /* since 3.13 */
  struct interpreter p = {
      .this_thread = (void *(*)(void))address_of("PyGILState_GetThisThreadState"),
      .is_ending = (int (*)(void))(is_ending ? is_ending : address_of("_Py_IsFinalizing")),
      .line_of = (int (*)(void *, int))address_of("PyCode_Addr2Line"),
      .code_type = address_of("PyCode_Type"),
      .str_type = address_of("PyUnicode_Type"),
      .bytes_type = address_of("PyBytes_Type"),
  };
  Dl_info file;
  if (!is_complete(&p) || !dladdr((void *)p.this_thread, &file) || !file.dli_fname || !has_name(file.dli_fname))
    return p;
  p.text.start = (cs_u64)p.this_thread;
  p.layout = version && dl_iterate_phdr(find_text, &p.text) ? layout_of(*version) : NULL;
  if (!p.layout)
    cs_host_message_once(1, "stacks have no Python lines: CuSafe knows the frames of Python 3.%u to 3.%u only",
                         layouts[0].minor, layouts[sizeof layouts / sizeof *layouts - 1].minor);
  return p;
}

/* The loader's lock is not taken under one of CuSafe's: two threads may search. */
static __attribute__((noinline, cold)) int search(void) {
  struct interpreter found = cs_options()->python_stacks ? find() : (struct interpreter){0};
  cs_host_lock(CS_HOST_LOCK_STACKS);
  if (state == NOT_SEARCHED) {
    process = found;
    __atomic_store_n(&state, found.layout ? FOUND : ABSENT, __ATOMIC_RELEASE);
  }
  cs_host_unlock(CS_HOST_LOCK_STACKS);
  return __atomic_load_n(&state, __ATOMIC_ACQUIRE);
}

/* ---- reading ---- */

/* careful: addresses may be invalid, because it is not yet known that the layout is right. */
struct reader {
  int careful, failed;
};

static __attribute__((noinline, cold)) int is_readable(cs_u64 address, size_t bytes) {
  char to[512];
  while (bytes) {
    size_t part = bytes < sizeof to ? bytes : sizeof to;
    struct iovec local = {to, part}, remote = {(void *)address, part};
    if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) != (ssize_t)part)
      return 0;
    address += part;
    bytes -= part;
  }
  return 1;
}

static inline const unsigned char *bytes_at(struct reader *r, cs_u64 address, size_t bytes) {
  static const unsigned char zeros[8];
  if (r->careful && (r->failed || !is_readable(address, bytes))) {
    r->failed = 1;
    return zeros;
  }
  return (const unsigned char *)address;
}

static inline cs_u64 word_at(struct reader *r, cs_u64 address) {
  cs_u64 value;
  memcpy(&value, bytes_at(r, address, sizeof value), sizeof value);
  return value;
}

static inline cs_u32 half_at(struct reader *r, cs_u64 address) {
  cs_u32 value;
  memcpy(&value, bytes_at(r, address, sizeof value), sizeof value);
  return value;
}

static inline int has_type(struct reader *r, cs_u64 object, cs_u64 type) {
  return object && word_at(r, object + OB_TYPE) == type;
}

/* The object's characters, or an empty text after a failure. */
static inline struct cs_host_python_text text_at(struct reader *r, cs_u64 object, int offset, cs_u32 width) {
  cs_u64 length = word_at(r, object + LENGTH);
  r->failed |= length >> 28 != 0 || !(width == 1 || width == 2 || width == 4);
  if (r->failed)
    return (struct cs_host_python_text){NULL, 0, 1};
  return (struct cs_host_python_text){bytes_at(r, object + (cs_u64)offset, length * width), (cs_u32)length, width};
}

static inline struct cs_host_python_text str_at(struct reader *r, const struct interpreter *p, cs_u64 object) {
  cs_u32 bits = has_type(r, object, p->str_type) ? half_at(r, object + STR_STATE) : 0;
  r->failed |= !(bits & STATE_COMPACT); /* a subclass of str has its characters elsewhere */
  int offset = bits & STATE_ASCII ? p->layout->ascii : p->layout->compact;
  return text_at(r, object, offset, bits >> STATE_WIDTH_SHIFT & STATE_WIDTH);
}

static inline struct cs_host_python_code code_at(struct reader *r, const struct interpreter *p, cs_u64 object) {
  const struct layout *l = p->layout;
  cs_u64 lines = word_at(r, object + (cs_u64)l->lines);
  r->failed |= !has_type(r, lines, p->bytes_type);
  return (struct cs_host_python_code){.file = str_at(r, p, word_at(r, object + (cs_u64)l->file)),
                                      .function = str_at(r, p, word_at(r, object + (cs_u64)l->function)),
                                      .lines = text_at(r, lines, BYTES_DATA, 1),
                                      .first_line = half_at(r, object + (cs_u64)l->first_line)};
}

/* ---- values ---- */

/* A Python frame's value in a stack: no address has bit 63. */
enum { NUMBER_SHIFT = 32 };
#define FRAME_BIT (1ull << 63)

static void *value_of(cs_u32 number, cs_u32 line) {
  return (void *)(FRAME_BIT | (cs_u64)number << NUMBER_SHIFT | line);
}

/* The line of an instruction. A table of a large module has thousands of entries, so lines are cached: each is one
 * cs_u64, so that threads need no lock. */
static cs_u32 line_of(cs_u32 number, cs_u64 instruction) {
  enum { BITS = 13, LINE_BITS = 24, INSTRUCTION_BITS = 24 };
  static cs_u64 cache[1 << BITS];
  cs_u64 key = (cs_u64)number << INSTRUCTION_BITS | instruction;
  cs_u64 *slot = &cache[key * 0x9e3779b97f4a7c15ull >> (64 - BITS)], known = __atomic_load_n(slot, __ATOMIC_RELAXED);
  if (known >> LINE_BITS == key)
    return known & ((1u << LINE_BITS) - 1);
  const struct cs_host_python_code *code = cs_host_python_code_get(number);
  cs_u32 line = cs_host_python_line(code->lines.characters, code->lines.length, code->first_line, instruction);
  if (!(line >> LINE_BITS) && !(instruction >> INSTRUCTION_BITS))
    __atomic_store_n(slot, key << LINE_BITS | line, __ATOMIC_RELAXED);
  return line;
}

int cs_host_python_is_frame(const void *value) {
  return (cs_u64)value >> 63;
}

struct cs_host_python_frame cs_host_python_frame(const void *value) {
  cs_u32 number = (cs_u32)(((cs_u64)value & ~FRAME_BIT) >> NUMBER_SHIFT);
  return (struct cs_host_python_frame){cs_host_python_code_get(number), (cs_u32)(cs_u64)value};
}

/* ---- frames ---- */

/* Python's own view of the same instruction must be the same. The call neither allocates nor counts references. */
static __attribute__((noinline, cold)) int agrees(const struct interpreter *p, cs_u64 code, cs_u64 instruction,
                                                  cs_u32 line) {
  int other = p->line_of((void *)code, (int)(instruction * 2));
  return other == (line ? (int)line : -1);
}

/* A frame's value; NULL if Python's tracebacks omit it, too, because it has not started or is none of the program's, or
 * if the reader fails. */
static inline void *frame_at(struct reader *r, const struct interpreter *p, cs_u64 frame) {
  const struct layout *l = p->layout;
  unsigned char owner = *bytes_at(r, frame + (cs_u64)l->owner, 1);
  cs_u64 code = word_at(r, frame + (cs_u64)l->code);
  if (owner == OWNED_BY_C)
    return NULL;
  r->failed |= !has_type(r, code, p->code_type);
  if (r->failed)
    return NULL;
  cs_i64 offset = (cs_i64)(word_at(r, frame + (cs_u64)l->instruction) - (code + (cs_u64)l->instructions)) / 2;
  if (owner != OWNED_BY_GENERATOR && offset < (int)half_at(r, code + (cs_u64)l->traceable))
    return NULL;
  struct cs_host_python_code content = code_at(r, p, code);
  r->failed |= (cs_u64)offset >= word_at(r, code + LENGTH);
  cs_u32 number = r->failed ? 0 : cs_host_python_code_number(code, &content);
  cs_u32 line = number ? line_of(number, (cs_u64)offset) : 0;
  r->failed |= !number || (r->careful && !agrees(p, code, (cs_u64)offset, line));
  return r->failed ? NULL : value_of(number, line);
}

/* The innermost frames, or 0 if one of them cannot be read. */
static inline __attribute__((always_inline)) size_t frames_of(struct reader *r, const struct interpreter *p,
                                                              cs_u64 thread, void **frames) {
  enum { STEPS_MAX = 4 * CS_HOST_PYTHON_DEPTH };
  const struct layout *l = p->layout;
  cs_u64 at = word_at(r, thread + (cs_u64)l->thread);
  size_t count = 0;
  if (at && l->in_cframe >= 0)
    at = word_at(r, at + (cs_u64)l->in_cframe);
  for (int i = 0; at && i < STEPS_MAX && count < CS_HOST_PYTHON_DEPTH && !r->failed; i++) {
    void *value = frame_at(r, p, at);
    if (value)
      frames[count++] = value;
    at = word_at(r, at + (cs_u64)l->previous);
  }
  return r->failed ? 0 : count;
}

/* The first stack of the process: every address is probed before it is read, and every line is compared. */
static __attribute__((noinline, cold)) size_t verify(cs_u64 thread, void **frames) {
  struct reader r = {.careful = 1};
  size_t count = frames_of(&r, &process, thread, frames);
  if (r.failed) {
    cs_host_nothing_lost();
    cs_host_message_once(1, "stacks have no Python lines: this interpreter's frames are not those of Python 3.%u",
                         process.layout->minor);
  }
  if (r.failed || count)
    __atomic_store_n(&state, r.failed ? ABSENT : VERIFIED, __ATOMIC_RELEASE);
  return count;
}

/* While the interpreter ends, it frees the frames of threads other than its own, which may still execute C code. */
static int may_be_freed(void) {
  return process.is_ending() && gettid() != getpid();
}

size_t cs_host_python_frames(void **frames, struct cs_host_text *interpreter) {
  int now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
  now = now == NOT_SEARCHED ? search() : now;
  cs_u64 thread = now == ABSENT ? 0 : (cs_u64)process.this_thread();
  if (!thread || may_be_freed())
    return 0;
  struct reader r = {0};
  *interpreter = process.text;
  return now == VERIFIED ? frames_of(&r, &process, thread, frames) : verify(thread, frames);
}
