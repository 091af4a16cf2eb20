/* assemble.c: translates the cold path from BPF to the instructions of device/machine.h, when CuSafe is built.
 *
 * usage: assemble BPF-OBJECT HEADER: writes a header for interpret.c. A function that is not an entry is called: the
 * caller keeps its registers and the return address on the stack. Ends with a sentence if the object has an instruction
 * that the cold path does not need so far. */
#include "device/machine.h"
#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CODE = 8192, MAX_ENTRIES = 32, KEPT_FIRST = 6, KEPT_COUNT = 4, FRAME_WORDS = KEPT_COUNT + 1 };

struct bpf {
  unsigned char code, registers;
  short offset;
  int immediate;
};

/* Instruction classes, sources and operations of BPF (RFC 9669). */
enum { LD, LDX, ST, STX, ALU, JMP, JMP32, ALU64 };
enum { BPF_DOUBLE_WORD = 0x18, BPF_CALL = 0x80, BPF_EXIT = 0x90, BPF_SOURCE_REGISTER = 8 };

static struct {
  const unsigned char *bytes;
  const Elf64_Ehdr *header;
  const Elf64_Shdr *sections;
  const Elf64_Sym *symbols;
  unsigned symbol_count, text;
  const char *names;
  const struct bpf *code;
  unsigned length;
  const Elf64_Sym **relocated; /* by instruction */
} in;

static cs_u64 out[MAX_CODE];
static unsigned count, starts[MAX_CODE + 1];
static struct {
  unsigned at, target; /* target: an instruction of BPF */
} jumps[MAX_CODE];
static unsigned jump_count;
static struct entry {
  const Elf64_Sym *function;
  unsigned at;
} entries[MAX_ENTRIES];
static unsigned entry_count;

__attribute__((format(printf, 1, 2), noreturn)) static void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("assemble: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  exit(1);
}

static void emit(enum cs_machine_operation operation, unsigned a, unsigned b, unsigned d, int immediate) {
  if (count == MAX_CODE)
    fail("more than %d instructions", MAX_CODE);
  out[count++] = CS_MACHINE_INSTRUCTION(operation, a, b, d, immediate);
}

static void set(unsigned d, int value) {
  emit(CS_MACHINE_ADD, CS_REGISTER_ZERO, CS_REGISTER_ZERO, d, value);
}

/* Jumps unless a < b. Register b keeps its value. */
static void jump_unless_less(unsigned a, unsigned b, unsigned target) {
  jumps[jump_count].at = count;
  jumps[jump_count++].target = target;
  emit(CS_MACHINE_JUMP_UNLESS_LESS, a, CS_REGISTER_ZERO, b, 0);
}

/* Jumps if a < b: skips a jump otherwise. */
static void jump_if_less(unsigned a, unsigned b, unsigned target) {
  emit(CS_MACHINE_JUMP_UNLESS_LESS, a, CS_REGISTER_ZERO, b, 1);
  jump_unless_less(CS_REGISTER_ZERO, CS_REGISTER_ZERO, target);
}

/* The register b plus the immediate, in b itself or in `to`. */
static unsigned sum(unsigned b, int immediate, unsigned to) {
  if (immediate == 0)
    return b;
  emit(CS_MACHINE_ADD, CS_REGISTER_ZERO, b, to, immediate);
  return to;
}

/* d = a - b - immediate. */
static void subtract(unsigned a, unsigned b, unsigned d, int immediate) {
  if (b == CS_REGISTER_ZERO) {
    emit(CS_MACHINE_ADD, a, CS_REGISTER_ZERO, d, -immediate);
    return;
  }
  emit(CS_MACHINE_XOR, b, CS_REGISTER_ZERO, CS_REGISTER_OTHER, -1);
  emit(CS_MACHINE_ADD, a, CS_REGISTER_OTHER, d, 1 - immediate);
}

/* A comparison with signs is one without if both are moved by half of their range. */
static void move_half(unsigned *a, unsigned *b) {
  set(CS_REGISTER_HALF, 1);
  emit(CS_MACHINE_SHL, CS_REGISTER_HALF, CS_REGISTER_ZERO, CS_REGISTER_HALF, 63);
  emit(CS_MACHINE_ADD, *a, CS_REGISTER_HALF, CS_REGISTER_SCRATCH, 0);
  emit(CS_MACHINE_ADD, *b, CS_REGISTER_HALF, CS_REGISTER_OTHER, 0);
  *a = CS_REGISTER_SCRATCH;
  *b = CS_REGISTER_OTHER;
}

static void compare_and_jump(unsigned operation, unsigned a, unsigned b, int immediate, unsigned target) {
  switch (operation) {
  case 0x1: /* == */
    subtract(a, b, CS_REGISTER_SCRATCH, immediate);
    jump_unless_less(CS_REGISTER_ZERO, CS_REGISTER_SCRATCH, target);
    return;
  case 0x5: /* != */
    subtract(a, b, CS_REGISTER_SCRATCH, immediate);
    jump_if_less(CS_REGISTER_ZERO, CS_REGISTER_SCRATCH, target);
    return;
  case 0x4: /* & */
    emit(CS_MACHINE_AND, a, b, CS_REGISTER_SCRATCH, immediate);
    jump_if_less(CS_REGISTER_ZERO, CS_REGISTER_SCRATCH, target);
    return;
  default:
    break;
  }
  b = sum(b, immediate, CS_REGISTER_OTHER);
  if (operation == 0x6 || operation == 0x7 || operation == 0xc || operation == 0xd)
    move_half(&a, &b);
  switch (operation) {
  case 0x2: /* > */
  case 0x6:
    jump_if_less(b, a, target);
    return;
  case 0x3: /* >= */
  case 0x7:
    jump_unless_less(a, b, target);
    return;
  case 0xa: /* < */
  case 0xc:
    jump_if_less(a, b, target);
    return;
  case 0xb: /* <= */
  case 0xd:
    jump_unless_less(b, a, target);
    return;
  default:
    fail("unknown jump %#x", operation);
  }
}

static const char *name_of(const Elf64_Sym *symbol) {
  return in.names + symbol->st_name;
}

static int is_entry(const Elf64_Sym *function) {
  return strncmp(name_of(function), "cs_entry_", 9) == 0;
}

static const Elf64_Sym *function_at(unsigned instruction) {
  for (unsigned i = 0; i < in.symbol_count; i++)
    if (ELF64_ST_TYPE(in.symbols[i].st_info) == STT_FUNC && in.symbols[i].st_shndx == in.text &&
        in.symbols[i].st_value == instruction * sizeof(struct bpf))
      return in.symbols + i;
  return NULL;
}

static void kept(enum cs_machine_operation operation, int top) {
  for (int i = 0; i < KEPT_COUNT; i++) {
    unsigned r = KEPT_FIRST + i;
    int is_load = operation == CS_MACHINE_LOAD_64;
    emit(operation, is_load ? CS_REGISTER_ZERO : r, CS_REGISTER_STACK, is_load ? r : CS_REGISTER_SCRATCH,
         top - 8 * (i + 2));
  }
}

/* The callee's stack ends below the caller's, with the return address in its first word. */
static void call_function(unsigned target, int used) {
  set(CS_REGISTER_OTHER, (int)count + 4 + KEPT_COUNT);
  emit(CS_MACHINE_STORE_64, CS_REGISTER_OTHER, CS_REGISTER_STACK, CS_REGISTER_SCRATCH, -used - 8);
  kept(CS_MACHINE_STORE_64, -used);
  emit(CS_MACHINE_ADD, CS_REGISTER_ZERO, CS_REGISTER_STACK, CS_REGISTER_STACK, -used - 8 * FRAME_WORDS);
  jump_unless_less(CS_REGISTER_ZERO, CS_REGISTER_ZERO, target);
  emit(CS_MACHINE_ADD, CS_REGISTER_ZERO, CS_REGISTER_STACK, CS_REGISTER_STACK, used + 8 * FRAME_WORDS);
  kept(CS_MACHINE_LOAD_64, -used);
}

static void leave(int entry) {
  if (entry) {
    emit(CS_MACHINE_RETURN, CS_REGISTER_ZERO, CS_REGISTER_ZERO, CS_REGISTER_SCRATCH, 0);
    return;
  }
  emit(CS_MACHINE_LOAD_64, CS_REGISTER_ZERO, CS_REGISTER_STACK, CS_REGISTER_OTHER, 8 * (FRAME_WORDS - 1));
  emit(CS_MACHINE_JUMP_UNLESS_LESS, CS_REGISTER_ZERO, CS_REGISTER_OTHER, CS_REGISTER_ZERO, -(int)count - 1);
}

static void call_operation(const char *name) {
  static const char *const names[] = {
#define CS_MACHINE(name, result) "cs_machine_" #name,
#include "device/machine.inc"
  };
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0) {
      emit(i, CS_REGISTER_ARGUMENT, CS_REGISTER_ARGUMENT + 1, CS_REGISTER_RESULT, 0);
      return;
    }
  fail("calls %s", name);
}

static void constant(unsigned d, cs_u64 value) {
  int low = (int)value, high = (int)((value - (cs_u64)(cs_i64)low) >> 32);
  if (high == 0) {
    set(d, low);
    return;
  }
  set(d, high);
  emit(CS_MACHINE_SHL, d, CS_REGISTER_ZERO, d, 32);
  if (low)
    emit(CS_MACHINE_ADD, CS_REGISTER_ZERO, d, d, low);
}

/* Moves d by half of its range, shifts it, and moves it back. */
static void shift_signed(unsigned d, unsigned b, int immediate) {
  set(CS_REGISTER_HALF, 1);
  emit(CS_MACHINE_SHL, CS_REGISTER_HALF, CS_REGISTER_ZERO, CS_REGISTER_HALF, 63);
  emit(CS_MACHINE_ADD, d, CS_REGISTER_HALF, CS_REGISTER_SCRATCH, 0);
  emit(CS_MACHINE_SHR, CS_REGISTER_SCRATCH, b, CS_REGISTER_SCRATCH, immediate);
  emit(CS_MACHINE_SHR, CS_REGISTER_HALF, b, CS_REGISTER_HALF, immediate);
  subtract(CS_REGISTER_SCRATCH, CS_REGISTER_HALF, d, 0);
}

/* Every bit of b, and those of d that b lacks. */
static void either(unsigned d, unsigned b, int immediate) {
  if (d == b)
    return;
  b = sum(b, immediate, CS_REGISTER_OTHER);
  emit(CS_MACHINE_AND, d, b, CS_REGISTER_SCRATCH, 0);
  emit(CS_MACHINE_XOR, d, CS_REGISTER_SCRATCH, d, 0);
  emit(CS_MACHINE_ADD, d, b, d, 0);
}

static void arithmetic(unsigned operation, unsigned d, unsigned b, int immediate) {
  switch (operation) {
  case 0x0:
    emit(CS_MACHINE_ADD, d, b, d, immediate);
    return;
  case 0x1:
    subtract(d, b, d, immediate);
    return;
  case 0x2:
    emit(CS_MACHINE_MUL, d, b, d, immediate);
    return;
  case 0x4:
    either(d, b, immediate);
    return;
  case 0x5:
    emit(CS_MACHINE_AND, d, b, d, immediate);
    return;
  case 0x6:
    emit(CS_MACHINE_SHL, d, b, d, immediate);
    return;
  case 0x7:
    emit(CS_MACHINE_SHR, d, b, d, immediate);
    return;
  case 0x8: /* negation */
    subtract(CS_REGISTER_ZERO, d, d, 0);
    return;
  case 0xa:
    emit(CS_MACHINE_XOR, d, b, d, immediate);
    return;
  case 0xb: /* a copy */
    emit(CS_MACHINE_ADD, CS_REGISTER_ZERO, b, d, immediate);
    return;
  case 0xc:
    shift_signed(d, b, immediate);
    return;
  default:
    fail("unknown operation %#x", operation);
  }
}

static enum cs_machine_operation access_of(unsigned size, int is_load) {
  if (size == 0)
    return is_load ? CS_MACHINE_LOAD_32 : CS_MACHINE_STORE_32;
  if (size != 3)
    fail("an access of neither 4 nor 8 bytes");
  return is_load ? CS_MACHINE_LOAD_64 : CS_MACHINE_STORE_64;
}

/* Bytes of the stack that a function uses itself: BPF adds a negative offset to the stack's end, or accesses it
 * there. */
static int stack_of(unsigned from) {
  int used = 0;
  for (unsigned i = from; i < in.length && (i == from || !function_at(i)); i++) {
    const struct bpf *b = in.code + i;
    unsigned class = b->code & 7, d = b->registers & 15, s = b->registers >> 4;
    int offset = 0;
    if (class == LDX ? s == CS_REGISTER_STACK : (class == ST || class == STX) && d == CS_REGISTER_STACK)
      offset = b->offset;
    else if (b->code == (ALU64 | 0xb0 | BPF_SOURCE_REGISTER) && s == CS_REGISTER_STACK && i + 1 < in.length)
      offset = b[1].immediate;
    used = -offset > used ? -offset : used;
  }
  return (used + 7) / 8 * 8;
}

static void jump(unsigned at, const struct bpf *b, int used, int entry) {
  unsigned operation = b->code & 0xf0, d = b->registers & 15;
  int is_register = b->code & BPF_SOURCE_REGISTER;
  unsigned target = (unsigned)((int)at + 1 + b->offset);
  if (operation == BPF_EXIT)
    leave(entry);
  else if (operation == BPF_CALL && in.relocated[at] && in.relocated[at]->st_shndx == SHN_UNDEF)
    call_operation(name_of(in.relocated[at]));
  else if (operation == BPF_CALL)
    call_function((unsigned)((int)at + 1 + b->immediate), used);
  else if (operation == 0)
    jump_unless_less(CS_REGISTER_ZERO, CS_REGISTER_ZERO, target);
  else
    compare_and_jump(operation >> 4, d, is_register ? b->registers >> 4 : CS_REGISTER_ZERO,
                     is_register ? 0 : b->immediate, target);
}

/* Returns how many instructions of BPF it has translated. */
static unsigned translate(unsigned at, int used, int entry) {
  const struct bpf *b = in.code + at;
  unsigned d = b->registers & 15, s = b->registers >> 4;
  int is_register = b->code & BPF_SOURCE_REGISTER;
  switch (b->code & 7) {
  case LD:
    if (b->code != BPF_DOUBLE_WORD)
      fail("instruction %u: unknown load", at);
    if (in.relocated[at])
      emit(CS_MACHINE_ADD, CS_REGISTER_ZERO, CS_REGISTER_ENVIRONMENT, d, b->immediate);
    else
      constant(d, (cs_u32)b->immediate | (cs_u64)(cs_u32)b[1].immediate << 32);
    return 2;
  case LDX:
    emit(access_of(b->code >> 3 & 3, 1), CS_REGISTER_ZERO, s, d, b->offset);
    break;
  case ST:
    set(CS_REGISTER_OTHER, b->immediate);
    emit(access_of(b->code >> 3 & 3, 0), CS_REGISTER_OTHER, d, CS_REGISTER_SCRATCH, b->offset);
    break;
  case STX:
    if (b->code >> 5 != 3)
      fail("instruction %u: an atomic operation that is no call", at);
    emit(access_of(b->code >> 3 & 3, 0), s, d, CS_REGISTER_SCRATCH, b->offset);
    break;
  case ALU64:
    arithmetic(b->code >> 4, d, is_register ? s : CS_REGISTER_ZERO, is_register ? 0 : b->immediate);
    break;
  case JMP:
    jump(at, b, used, entry);
    break;
  default:
    fail("instruction %u: 32-bit arithmetic; compile with -mcpu=v2", at);
  }
  return 1;
}

/* The stack follows the environment. Its size is known at the end. */
static void set_stack(unsigned bytes) {
  emit(CS_MACHINE_ADD, CS_REGISTER_ZERO, CS_REGISTER_ENVIRONMENT, CS_REGISTER_STACK,
       (int)(sizeof(struct cs_environment) + bytes));
}

static void translate_all(void) {
  const Elf64_Sym *function = NULL;
  int used = 0;
  for (unsigned i = 0; i < in.length;) {
    const Elf64_Sym *start = function_at(i);
    if (start)
      function = start, used = stack_of(i);
    if (function == NULL)
      fail("the object does not start with a function");
    starts[i] = count;
    if (start && is_entry(start) && entry_count == MAX_ENTRIES)
      fail("more than %d entries", MAX_ENTRIES);
    if (start && is_entry(start))
      entries[entry_count++] = (struct entry){start, count}, set_stack(0);
    i += translate(i, used, is_entry(function));
  }
  for (unsigned i = 0; i < jump_count; i++)
    out[jumps[i].at] |= (cs_u64)(starts[jumps[i].target] - jumps[i].at - 1) << 32;
}

/* The deepest stack of a function and what it calls. */
static unsigned depth_of(unsigned from, unsigned level) {
  unsigned deepest = 0;
  if (level > 16)
    fail("recursion");
  for (unsigned i = from; i < in.length && (i == from || !function_at(i)); i++)
    if (in.code[i].code == (JMP | BPF_CALL) && !(in.relocated[i] && in.relocated[i]->st_shndx == SHN_UNDEF)) {
      unsigned below = 8 * FRAME_WORDS + depth_of((unsigned)((int)i + 1 + in.code[i].immediate), level + 1);
      deepest = below > deepest ? below : deepest;
    }
  return (unsigned)stack_of(from) + deepest;
}

/* Sets the start of the stack in every entry. Returns its size. */
static unsigned reserve_stack(void) {
  unsigned end = count, bytes = 0;
  for (unsigned i = 0; i < entry_count; i++) {
    unsigned depth = depth_of((unsigned)(entries[i].function->st_value / sizeof(struct bpf)), 0);
    bytes = depth > bytes ? depth : bytes;
  }
  for (unsigned i = 0; i < entry_count; i++) {
    count = entries[i].at;
    set_stack(bytes);
  }
  count = end;
  return bytes;
}

static void print(FILE *to) {
  unsigned stack_bytes = reserve_stack();
  fprintf(to, "/* Written by cusafe_assemble. */\n");
  for (unsigned i = 0; i < entry_count; i++)
    fprintf(to, "#define CS_ENTRY_%s %uu\n", name_of(entries[i].function) + 9, entries[i].at);
  fprintf(to, "#define CS_MACHINE_STACK %uu\n", stack_bytes);
  fprintf(to, "#define CS_MACHINE_LENGTH %uu\n#define CS_MACHINE_CODE", count);
  for (unsigned i = 0; i < count; i++)
    fprintf(to, "%s 0x%llxull%s", i % 4 ? "" : " \\\n ", out[i], i + 1 < count ? "," : "");
  fprintf(to, "\n");
}

static unsigned char *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  long size;
  if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < (long)sizeof(Elf64_Ehdr))
    fail("cannot read %s", path);
  rewind(file);
  unsigned char *bytes = malloc((size_t)size);
  if (bytes == NULL || fread(bytes, 1, (size_t)size, file) != (size_t)size)
    fail("cannot read %s", path);
  fclose(file);
  return bytes;
}

static void find_sections(void) {
  const char *names = (const char *)in.bytes + in.sections[in.header->e_shstrndx].sh_offset;
  for (unsigned i = 0; i < in.header->e_shnum; i++) {
    const Elf64_Shdr *section = in.sections + i;
    if (strcmp(names + section->sh_name, ".text") == 0) {
      in.text = i;
      in.code = (const struct bpf *)(in.bytes + section->sh_offset);
      in.length = (unsigned)(section->sh_size / sizeof(struct bpf));
    } else if (section->sh_type == SHT_SYMTAB) {
      in.symbols = (const Elf64_Sym *)(in.bytes + section->sh_offset);
      in.symbol_count = (unsigned)(section->sh_size / sizeof(Elf64_Sym));
      in.names = (const char *)in.bytes + in.sections[section->sh_link].sh_offset;
    } else if ((section->sh_flags & SHF_ALLOC) && section->sh_size && section->sh_type == SHT_PROGBITS &&
               strncmp(names + section->sh_name, ".eh_frame", 9) != 0)
      fail("has data in %s, which the machine cannot address", names + section->sh_name);
  }
  if (in.code == NULL || in.symbols == NULL || in.length >= MAX_CODE)
    fail("no code, no symbols, or too much code");
}

static void find_relocations(void) {
  in.relocated = calloc(in.length, sizeof *in.relocated);
  if (in.relocated == NULL)
    fail("out of memory");
  for (unsigned i = 0; i < in.header->e_shnum; i++) {
    const Elf64_Shdr *section = in.sections + i;
    if (section->sh_type != SHT_REL || section->sh_info != in.text)
      continue;
    const Elf64_Rel *relocation = (const Elf64_Rel *)(in.bytes + section->sh_offset);
    for (unsigned k = 0; k < section->sh_size / sizeof *relocation; k++)
      in.relocated[relocation[k].r_offset / sizeof(struct bpf)] = in.symbols + ELF64_R_SYM(relocation[k].r_info);
  }
}

int main(int argc, char **argv) {
  if (argc != 3)
    fail("usage: assemble BPF-OBJECT HEADER");
  in.bytes = read_file(argv[1]);
  in.header = (const Elf64_Ehdr *)in.bytes;
  if (memcmp(in.header->e_ident, ELFMAG, SELFMAG) != 0 || in.header->e_machine != EM_BPF)
    fail("%s is no BPF object", argv[1]);
  in.sections = (const Elf64_Shdr *)(in.bytes + in.header->e_shoff);
  find_sections();
  find_relocations();
  translate_all();
  FILE *to = fopen(argv[2], "w");
  if (to == NULL)
    fail("cannot write %s", argv[2]);
  print(to);
  if (fclose(to) != 0)
    fail("cannot write %s", argv[2]);
  return 0;
}
