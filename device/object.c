/* object.c: pointers to local, shared and module variables that have escaped from the function that names the
 * variable. */
#include "device/object.h"
#include "device/attributes.h"

#ifndef __bpf__
extern char SHARED __cs_dynamic_shared[]; /* the launch's dynamic shared memory: every such array starts there */

/* clang has no builtin for this register. */
extern cs_u32 dynamic_smem_size(void) __asm__("llvm.nvvm.read.ptx.sreg.dynamic_smem_size");
#endif

/* The word is volatile: to LLVM the memory of a variable whose scope has ended is undefined, and a store to it dead. */
static volatile cs_u64 *word_at(cs_u64 address) {
  return (volatile cs_u64 *)address;
}

INLINE void __cs_local_begin(void *window, cs_u64 size, cs_u32 prefix_log2) {
  cs_u64 base = (cs_u64)window;
  cs_u32 identity = cs_local_next(*word_at(base));
  *word_at(base) = cs_local_word(base, size, prefix_log2, identity);
}

INLINE void __cs_local_end(void *window) {
  cs_u64 base = (cs_u64)window;
  *word_at(base) = cs_local_ended(*word_at(base));
}

INLINE cs_u64 __cs_dynamic_start(void) {
#ifdef __bpf__
  return cs_environment.dynamic;
#else
  return (cs_u64)(char *)__cs_dynamic_shared;
#endif
}

INLINE cs_u64 __cs_dynamic_size(void) {
#ifdef __bpf__
  return cs_environment.dynamic_size;
#else
  return dynamic_smem_size();
#endif
}

COLD void *__cs_close_local(void *pointer, void *window, cs_u32 tag) {
  if (cs_is_null((cs_u64)pointer))
    return pointer;
  cs_u64 p = (cs_u64)pointer, base = (cs_u64)window;
  if (p >> cs_local_log2(tag) != base >> cs_local_log2(tag))
    return (void *)cs_far_pointer(p, base, tag);
  return (void *)cs_local_pointer(p, tag, cs_local_word_identity(*word_at(base)));
}

COLD void *__cs_close_shared(void *pointer, void *start, cs_u64 size) {
  if (cs_is_null((cs_u64)pointer))
    return pointer;
  cs_u64 first = (cs_u64)start;
  if ((first >> 3 & CS_SHARED_FIELD_MASK) >= CS_SHARED_DYNAMIC)
    return pointer; /* this one start in 16,384 has no encoding */
  if (!cs_shared_reaches((cs_u64)pointer, first))
    return pointer; /* its variable could not be found again, so the pointer must stay unchecked */
  *word_at(first - CS_SHARED_PREFIX) = cs_shared_word(first, size);
  return (void *)cs_shared_pointer((cs_u64)pointer, first);
}

COLD void *__cs_close_dynamic(void *pointer) {
  if (cs_is_null((cs_u64)pointer))
    return pointer;
  return (void *)((cs_u64)pointer | CS_OBJECT_BIT | CS_MARK | CS_SHARED_DYNAMIC << CS_OBJECT_SHIFT);
}

/* A piece ends with the launch's dynamic shared memory. One without room for its size has the bounds of all that
 * memory; a start that the word cannot hold leaves the pointer unchecked. */
COLD void *__cs_shared_piece(void *start, cs_u64 bytes) {
  void *plain = (void *)cs_strip((cs_u64)start);
  cs_u64 first = (cs_u64)plain, dynamic = __cs_dynamic_start(), end = dynamic + __cs_dynamic_size();
  if (first % 8)
    return plain;
  if (first >= dynamic && first > end)
    return __cs_close_dynamic(plain);
  if (first >= dynamic && bytes > end - first)
    bytes = end - first;
  return __cs_close_shared(plain, plain, bytes);
}

COLD void *__cs_close_variable(void *pointer, cs_u32 number) {
  if (cs_is_null((cs_u64)pointer))
    return pointer;
  cs_u32 index = __cs_state.first_object + number;
  if (__cs_state.objects == 0 || index > CS_OBJECT_NUMBER_MASK)
    return pointer; /* no host runtime, or more variables than numbers */
  return (void *)cs_variable_pointer((cs_u64)pointer, index);
}

static void local_bounds(cs_u64 base, int any, cs_u32 identity, KEPT struct cs_bounds *to) {
  cs_u64 word = *word_at(base);
  int alive = cs_local_word_is_of(word, base);
  to->word = word;
  to->start = base + (alive ? cs_local_word_prefix(word) : CS_LOCAL_PREFIX);
  to->size = alive && (any || cs_local_word_identity(word) == identity) ? word & ((1ull << CS_LOCAL_SIZE_BITS) - 1) : 0;
}

static void far_bounds(cs_u64 root, KEPT struct cs_bounds *to) {
  cs_u64 home = cs_far_home(root);
  if (home != 0)
    local_bounds(home & ~(cs_local_bytes(cs_far_tag(root)) - 1), 1, 0, to);
}

static void shared_bounds(cs_u64 root, KEPT struct cs_bounds *to) {
  to->start = cs_shared_start(root);
  to->word = *word_at(to->start - CS_SHARED_PREFIX);
  to->size = to->word >> 36 << 36 == cs_local_check(to->start) ? (cs_u32)to->word : 0;
}

static void variable_bounds(cs_u64 root, KEPT struct cs_bounds *to) {
  const struct cs_object GLOBAL *object =
      (const struct cs_object GLOBAL *)__cs_state.objects + cs_local_identity_of(root);
  to->start = object->start;
  to->size = object->bytes;
}

COLD void __cs_object_bounds(cs_u64 root, KEPT struct cs_bounds *to) {
  cs_u64 address = root & CS_ADDRESS_MASK;
  switch (cs_object_form_of(root)) {
  case CS_OBJECT_LOCAL:
    local_bounds(address & ~(cs_local_bytes(cs_local_tag_of(root)) - 1), 0, cs_local_identity_of(root), to);
    break;
  case CS_OBJECT_FAR:
    far_bounds(root, to);
    break;
  case CS_OBJECT_VARIABLE:
    variable_bounds(root, to);
    break;
  case CS_OBJECT_SHARED:
    shared_bounds(root, to);
    break;
  case CS_OBJECT_DYNAMIC:
    to->start = __cs_dynamic_start();
    to->size = __cs_dynamic_size();
    break;
  }
}

/* Only a local has a window to leave; the other forms do not depend on the address. The pointer itself may be plain:
 * where a named variable and an escaped pointer meet in a phi or select, only the roots have their escaping form. */
COLD void *__cs_object_escape(void *pointer, void *root) {
  cs_u64 r = (cs_u64)root, address = (cs_u64)pointer & CS_ADDRESS_MASK;
  enum cs_object_form form = cs_object_form_of(r);
  if (form == CS_OBJECT_SHARED && !cs_shared_reaches(address, cs_shared_start(r)))
    return (void *)address; /* unchecked, as in __cs_close_shared */
  if (form != CS_OBJECT_LOCAL && form != CS_OBJECT_FAR)
    return (void *)((r & ~CS_ADDRESS_MASK) | address);
  cs_u64 home = form == CS_OBJECT_LOCAL ? r & CS_ADDRESS_MASK : cs_far_home(r);
  cs_u32 tag = form == CS_OBJECT_LOCAL ? cs_local_tag_of(r) : cs_far_tag(r);
  if (home == 0)
    return (void *)((r & ~CS_ADDRESS_MASK) | address);
  if (address >> cs_local_log2(tag) != home >> cs_local_log2(tag))
    return (void *)cs_far_pointer(address, home, tag);
  cs_u64 base = home & ~(cs_local_bytes(tag) - 1);
  cs_u32 identity = form == CS_OBJECT_LOCAL ? cs_local_identity_of(r) : cs_local_word_identity(*word_at(base));
  return (void *)cs_local_pointer(address, tag, identity);
}
