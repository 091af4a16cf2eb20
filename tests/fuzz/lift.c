/* lift.c: a PTX module, lifted to IR that LLVM's verifier accepts. Mutations keep the form of PTX, so that most inputs
 * get past the parser: lines, operands, types and numbers are exchanged, from the input itself or from a list. */
#include "lift/lift.h"
#include "tests/fuzz/fuzz.h"
#include <sanitizer/allocator_interface.h>
#include <time.h>

/* Of libFuzzer. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, uint8_t *out,
                                 size_t max_size, unsigned seed);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* --- Limits: a second of processor time, and 140 MB in addition to the 60 MB of a process that has loaded LLVM --- */

enum { MAX_SECONDS = 1, MAX_MEGABYTES = 140 };
static size_t used, peak;

static void count_malloc(const volatile void *memory, size_t size) {
  (void)memory;
  used += size;
  peak = used > peak ? used : peak;
}

static void count_free(const volatile void *memory) {
  size_t size = memory ? __sanitizer_get_allocated_size(memory) : 0;
  used -= size < used ? size : used;
}

static double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  return __sanitizer_install_malloc_and_free_hooks(count_malloc, count_free) == 0;
}

static void fail(const char *why) {
  fprintf(stderr, "fuzz_lift: %s\n", why);
  abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  double start = processor_seconds();
  size_t before = peak = used;
  struct cs_lift_input input = {0};
  LLVMContextRef context = LLVMContextCreate();
  int result = cs_lift_read(&input, fuzz_text(data, size), "input.ptx", context);
  if (result == 0)
    result = cs_lift_join(&input, 1);
  cs_lift_release(&input);
  LLVMContextDispose(context);
  if (result == CS_LIFT_BUG)
    fail("the IR is invalid");
  if (processor_seconds() - start > MAX_SECONDS)
    fail("the input took more than a second");
  if (peak - before > (size_t)MAX_MEGABYTES << 20)
    fail("the input took too much memory");
  return 0;
}

/* --- Mutations --- */

static uint64_t state;

static size_t below(size_t count) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return count ? (size_t)(state >> 33) % count : 0;
}

/* A part of the text. */
struct span {
  size_t at, length;
};

struct text {
  char *bytes;
  size_t size, max;
};

static void replace(struct text *t, struct span old, const char *with, size_t length) {
  if (t->size - old.length + length > t->max)
    return;
  memmove(t->bytes + old.at + length, t->bytes + old.at + old.length, t->size - old.at - old.length);
  memcpy(t->bytes + old.at, with, length);
  t->size += length - old.length;
}

/* The line, with its end, that a random position is in. */
static struct span any_line(const struct text *t) {
  size_t at = below(t->size), end = at;
  while (at > 0 && t->bytes[at - 1] != '\n')
    at--;
  while (end < t->size && t->bytes[end] != '\n')
    end++;
  return (struct span){at, end + (end < t->size) - at};
}

static int is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("_$%", c) != NULL;
}

/* A word, a number, or a part of an opcode, that follows a random position in its line or ends it. */
static struct span any_token(const struct text *t) {
  size_t at = below(t->size), end;
  while (at < t->size && (!t->bytes[at] || !is_word(t->bytes[at])))
    at++;
  while (at > 0 && at < t->size && t->bytes[at - 1] && is_word(t->bytes[at - 1]))
    at--;
  for (end = at; end < t->size && t->bytes[end] && is_word(t->bytes[end]);)
    end++;
  return (struct span){at, end - at};
}

static char *copy_of(const struct text *t, struct span s) {
  char *made = malloc(s.length + 1);
  if (!made)
    abort();
  memcpy(made, t->bytes + s.at, s.length);
  made[s.length] = 0;
  return made;
}

static const char *const words[] = {"b8",
                                    "u16",
                                    "s32",
                                    "u32",
                                    "s64",
                                    "u64",
                                    "b32",
                                    "b64",
                                    "b128",
                                    "f16",
                                    "f32",
                                    "f64",
                                    "f16x2",
                                    "bf16",
                                    "tf32",
                                    "pred",
                                    "texref",
                                    "v2",
                                    "v4",
                                    "v8",
                                    "global",
                                    "shared",
                                    "local",
                                    "const",
                                    "param",
                                    "generic",
                                    "volatile",
                                    "wide",
                                    "hi",
                                    "lo",
                                    "rn",
                                    "rz",
                                    "sat",
                                    "cc",
                                    "to",
                                    "uni",
                                    "sync",
                                    "entry",
                                    "func",
                                    "visible",
                                    "extern",
                                    "weak",
                                    "reg",
                                    "align",
                                    "add",
                                    "sub",
                                    "mul",
                                    "mad",
                                    "ld",
                                    "st",
                                    "mov",
                                    "cvt",
                                    "cvta",
                                    "selp",
                                    "setp",
                                    "shl",
                                    "shr",
                                    "bra",
                                    "ret",
                                    "exit",
                                    "call",
                                    "atom",
                                    "red",
                                    "bar",
                                    "shfl",
                                    "vote",
                                    "lt",
                                    "ge",
                                    "ne",
                                    "0",
                                    "1",
                                    "2",
                                    "-1",
                                    "3",
                                    "4",
                                    "7",
                                    "8",
                                    "12",
                                    "16",
                                    "31",
                                    "32",
                                    "63",
                                    "64",
                                    "65",
                                    "255",
                                    "4096",
                                    "65536",
                                    "2147483647",
                                    "2147483648",
                                    "4294967295",
                                    "4294967296",
                                    "9223372036854775807",
                                    "18446744073709551615",
                                    "0f3F800000",
                                    "0d3FF0000000000000",
                                    "1.5",
                                    "%tid",
                                    "%tid.x",
                                    "%clock64",
                                    "%dynamic_smem_size",
                                    "%laneid",
                                    "_",
                                    "WARP_SZ"};

static const char *const lines[] = {"{\n",
                                    "}\n",
                                    "ret;\n",
                                    "exit;\n",
                                    "bra $L__BB0_2;\n",
                                    "@%p1 bra $L__BB0_2;\n",
                                    "$L__BB0_2:\n",
                                    "LAB:\n",
                                    "bra LAB;\n",
                                    "trap;\n",
                                    "bar.sync 0;\n",
                                    ".reg .pred %p<9>;\n",
                                    ".reg .b32 %r<99>;\n",
                                    ".reg .b64 %rd<99>;\n",
                                    ".reg .b16 %rs<9>;\n",
                                    ".reg .f32 %f<99>;\n",
                                    ".reg .b128 %q<3>;\n",
                                    ".local .align 8 .b8 __local_depot0[32];\n",
                                    ".shared .align 4 .b8 tile[256];\n",
                                    ".global .align 8 .u64 g[2] = {generic(tile), 5};\n",
                                    ".extern .shared .align 16 .b8 dyn[];\n",
                                    ".const .align 4 .b8 c[16] = {1, 2};\n",
                                    ".param .b64 param0;\n",
                                    ".param .align 16 .b8 retval0[16];\n",
                                    "st.param.b64 [param0+0], %rd1;\n",
                                    "ld.param.b64 %rd2, [retval0+0];\n",
                                    "call.uni (retval0), f, (param0);\n",
                                    "call (%rd1), %rd2, (%rd3), proto;\n",
                                    "proto: .callprototype (.param .b64 _) _ (.param .b64 _);\n",
                                    "ts: .branchtargets LAB, $L__BB0_2;\n",
                                    "brx.idx %r1, ts;\n",
                                    ".func (.param .b64 r) f(.param .b64 a) { .reg .b64 %rd<3>; ld.param.u64 %rd1, "
                                    "[a]; st.param.b64 [r], %rd1; ret; }\n",
                                    ".visible .entry k(.param .u64 a, .param .align 8 .b8 s[16]) { .reg .b64 %rd<3>; "
                                    "ld.param.u64 %rd1, [a]; st.global.u64 [%rd1], %rd1; ret; }\n",
                                    "mov.u64 %rd1, tile;\n",
                                    "mov.b64 {%r1, %r2}, %rd1;\n",
                                    "mov.b64 %rd1, {%r1, %r2};\n",
                                    "cvta.to.global.u64 %rd2, %rd1;\n",
                                    "cvta.shared.u64 %rd1, %rd2;\n",
                                    "ld.global.v2.u64 {%rd1, %rd2}, [%rd3];\n",
                                    "st.v4.f32 [%rd1+16], {%f1, %f2, %f3, %f4};\n",
                                    "add.cc.u32 %r1, %r2, %r3;\n",
                                    "addc.u32 %r1, %r2, 0;\n",
                                    "sub.s64 %rd1, %rd2, %rd3;\n",
                                    "selp.b64 %rd1, %rd2, %rd3, %p1;\n",
                                    "atom.global.add.u32 %r1, [%rd1], 1;\n",
                                    "shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;\n",
                                    "isspacep.shared %p1, %rd1;\n",
                                    "mul.wide.s32 %rd1, %r1, 4;\n",
                                    ".loc 1 5 3\n",
                                    ".file 1 \"a.cu\"\n",
                                    "setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3;\n",
                                    "vprintf, (param0);\n",
                                    "mad.wide.u32 %rd1, %r1, 8, %rd2;\n",
                                    "ld.shared.u32 %r1, [tile+4];\n",
                                    ".alias a, f;\n",
                                    ".pragma \"nounroll\";\n"};

static void put_word(struct text *t, struct span at) {
  const char *word = words[below(sizeof words / sizeof *words)];
  replace(t, at, word, strlen(word));
}

static void put_line(struct text *t) {
  const char *line = lines[below(sizeof lines / sizeof *lines)];
  replace(t, (struct span){any_line(t).at, 0}, line, strlen(line));
}

static void copy_line(struct text *t, int is_moved) {
  struct span from = any_line(t);
  char *line = copy_of(t, from);
  size_t length = strlen(line);
  if (is_moved)
    replace(t, from, "", 0);
  replace(t, (struct span){any_line(t).at, 0}, line, length);
  free(line);
}

static void copy_token(struct text *t) {
  struct span from = any_token(t);
  char *token = copy_of(t, from);
  replace(t, any_token(t), token, strlen(token));
  free(token);
}

static void mutate_once(struct text *t) {
  struct span token;
  switch (below(9)) {
  case 0:
    replace(t, any_line(t), "", 0);
    break;
  case 1:
    copy_line(t, 0);
    break;
  case 2:
    copy_line(t, 1);
    break;
  case 3:
    put_line(t);
    break;
  case 4:
    put_word(t, any_token(t));
    break;
  case 5: /* one digit: another register of the same kind */
    token = any_token(t);
    if (token.length)
      t->bytes[token.at + token.length - 1] = (char)('0' + below(10));
    break;
  case 6:
    replace(t, (struct span){any_token(t).at, 0}, below(2) ? "@%p1 " : "@!%p2 ", 5);
    break;
  default:
    copy_token(t);
  }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
  struct text t = {(char *)data, size, max_size};
  state = seed;
  if (size == 0 || below(16) == 0)
    return LLVMFuzzerMutate(data, size, max_size);
  for (size_t count = 1 + below(4); count && t.size; count--)
    mutate_once(&t);
  return t.size;
}

/* A run of lines of one input in the other. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, uint8_t *out,
                                 size_t max_size, unsigned seed) {
  struct text t = {(char *)out, a_size < max_size ? a_size : max_size, max_size};
  const struct text other = {(char *)b, b_size, b_size};
  state = seed;
  memcpy(out, a, t.size);
  if (!t.size || !b_size)
    return t.size;
  struct span first = any_line(&other), last = any_line(&other);
  if (last.at < first.at) {
    struct span swapped = first;
    first = last;
    last = swapped;
  }
  char *run = copy_of(&other, (struct span){first.at, last.at + last.length - first.at});
  replace(&t, (struct span){any_line(&t).at, 0}, run, last.at + last.length - first.at);
  free(run);
  return t.size;
}
