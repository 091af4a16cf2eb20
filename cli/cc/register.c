/* register.c: becomes register.o, which `cusafe cc` links into programs with separate compilation: it registers the
 * image, and the kernels and variables of all units, with the CUDA runtime. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* clang's record of a kernel or variable in the section llvm_offload_entries (LLVM's EntryTy, version 1). */
struct entry {
  uint64_t reserved;
  uint16_t version, kind;
  uint32_t flags;
  void *address;
  char *name;
  uint64_t size, data;
  void *auxiliary;
};
_Static_assert(sizeof(struct entry) == 56, "LLVM's layout");

enum { KIND_CUDA = 2, TYPE_MASK = 7, TYPE_GLOBAL = 0, FLAG_EXTERN = 8, FLAG_CONSTANT = 16 };

/* The linker defines these symbols as the section's bounds. */
extern const struct entry first[] __asm__("__start_llvm_offload_entries") __attribute__((weak, visibility("hidden")));
extern const struct entry last[] __asm__("__stop_llvm_offload_entries") __attribute__((weak, visibility("hidden")));

/* Defined by the object that units.c assembles. */
extern const char image[] __asm__("__cusafe_units_image") __attribute__((visibility("hidden")));

/* The layout is that of fatbinary_section.h. */
static struct {
  int magic, version;
  const void *data;
  void *file;
} wrapper __attribute__((section(".nvFatBinSegment"), aligned(8))) = {0x466243b1, 1, image, NULL};

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                            void *tid, void *bid, void *block, void *grid, int *warp_size);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int is_extern, size_t size,
                       int is_constant, int is_global);

static void **handle;

/* Every unit that uses a template has an entry for it, with one address. */
static int is_repeated(const struct entry *e) {
  for (const struct entry *other = first; other < e; other++)
    if (other->address == e->address)
      return 1;
  return 0;
}

static void add(const struct entry *e) {
  if (e->size == 0)
    __cudaRegisterFunction(handle, e->address, e->name, e->name, -1, NULL, NULL, NULL, NULL, NULL);
  else
    __cudaRegisterVar(handle, e->address, e->name, e->name, !!(e->flags & FLAG_EXTERN), e->size,
                      !!(e->flags & FLAG_CONSTANT), 0);
}

static void remove_image(void) {
  __cudaUnregisterFatBinary(handle);
}

/* Before static initialisers, which may launch kernels. */
__attribute__((constructor(101))) static void add_image(void) {
  handle = __cudaRegisterFatBinary(&wrapper);
  for (const struct entry *e = first; e < last; e++)
    if (e->kind == KIND_CUDA && (e->flags & TYPE_MASK) == TYPE_GLOBAL && !is_repeated(e))
      add(e);
  __cudaRegisterFatBinaryEnd(handle);
  atexit(remove_image);
}
