/* interpret.c: the cold path on GPUs: interprets the program that entries.c has become, and defines what the pass
 * calls.
 * Every checked kernel has a copy of this code. */
#include "device/attributes.h"
#include "device/error.h"
#include "device/machine.h"
#include "device/object.h"
#include "program.h"

/* Never constant memory: a program may use all of it. */
static const cs_u64 GLOBAL __cs_program[CS_MACHINE_LENGTH] = {CS_MACHINE_CODE};

struct machine {
  cs_u64 registers[CS_REGISTER_COUNT];
  struct cs_environment environment;
  cs_u64 stack[CS_MACHINE_STACK / 8]; /* a program finds its end by the environment */
};
_Static_assert(sizeof(struct machine) == 8 * CS_REGISTER_COUNT + sizeof(struct cs_environment) + CS_MACHINE_STACK,
               "the stack follows the environment");

static inline __attribute__((always_inline)) cs_u64 add_32(cs_u64 address, cs_u64 value) {
  return (cs_u32)__nvvm_atom_sys_add_gen_i((int *)(int GLOBAL *)address, (int)value);
}
static inline __attribute__((always_inline)) cs_u64 add_64(cs_u64 address, cs_u64 value) {
  cs_u64 before; /* of a generic address, ptxas writes 22 instructions for shared memory */
  __asm__ volatile("atom.global.sys.add.u64 %0, [%1], %2;" : "=l"(before) : "l"(address), "l"(value) : "memory");
  return before;
}
static inline __attribute__((always_inline)) cs_u64 max_32(cs_u64 address, cs_u64 value) {
  return __nvvm_atom_max_gen_ui((unsigned *)(unsigned GLOBAL *)address, (unsigned)value);
}
static inline __attribute__((always_inline)) cs_u64 exchange_64(cs_u64 address, cs_u64 before, cs_u64 after) {
  __atomic_compare_exchange_n((cs_u64 GLOBAL *)address, &before, after, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return before;
}
static inline __attribute__((always_inline)) void trap(void) {
  __asm__ volatile("trap;"); /* not __builtin_trap, which never returns: error.c */
}

static inline __attribute__((always_inline)) void describe(struct cs_environment *e) {
  e->state = (cs_u64)&__cs_state;
  e->counts = (cs_u64)&__cs_counts[0][0];
  e->dynamic = __cs_dynamic_start();
  e->dynamic_size = (cs_u32)__cs_dynamic_size();
  e->extent[0][0] = __nvvm_read_ptx_sreg_nctaid_x();
  e->extent[0][1] = __nvvm_read_ptx_sreg_nctaid_y();
  e->extent[0][2] = __nvvm_read_ptx_sreg_nctaid_z();
  e->extent[1][0] = __nvvm_read_ptx_sreg_ntid_x();
  e->extent[1][1] = __nvvm_read_ptx_sreg_ntid_y();
  e->extent[1][2] = __nvvm_read_ptx_sreg_ntid_z();
  e->at[0][0] = __nvvm_read_ptx_sreg_ctaid_x();
  e->at[0][1] = __nvvm_read_ptx_sreg_ctaid_y();
  e->at[0][2] = __nvvm_read_ptx_sreg_ctaid_z();
  e->at[1][0] = __nvvm_read_ptx_sreg_tid_x();
  e->at[1][1] = __nvvm_read_ptx_sreg_tid_y();
  e->at[1][2] = __nvvm_read_ptx_sreg_tid_z();
}

static inline __attribute__((always_inline)) cs_u64 *register_at(struct machine *m, cs_u32 offset) {
  return (cs_u64 *)((char *)m->registers + offset);
}

struct instruction {
  cs_u32 operation, a, b, d;
  int immediate;
};

/* One load of 64 bits. */
static inline __attribute__((always_inline)) struct instruction fetch(cs_u32 pc) {
  cs_u64 word = __cs_program[pc];
  cs_u32 low = (cs_u32)word;
  return (struct instruction){low & 255, low >> 8 & 255, low >> 16 & 255, low >> 24, (int)(word >> 32)};
}

/* Interprets from pc on; the program's result. */
static __attribute__((noinline, cold)) cs_u64 __cs_run(cs_u32 pc, cs_u64 a, cs_u64 b, cs_u64 c, cs_u64 d, cs_u64 e) {
  struct machine m;
  cs_u64 *arguments = m.registers + CS_REGISTER_ARGUMENT;
  arguments[0] = a, arguments[1] = b, arguments[2] = c, arguments[3] = d, arguments[4] = e;
  m.registers[CS_REGISTER_ENVIRONMENT] = (cs_u64)&m.environment;
  m.registers[CS_REGISTER_ZERO] = 0;
  describe(&m.environment);
  struct instruction i;
  do {
    i = fetch(pc++);
    cs_u64 A = *register_at(&m, i.a), B = *register_at(&m, i.b) + (cs_u64)(cs_i64)i.immediate;
    switch (i.operation) {
#define C m.registers[CS_REGISTER_THIRD]
#define D *register_at(&m, i.d)
#define CS_MACHINE(name, result)                                                                                       \
  case CS_MACHINE_##name:                                                                                              \
    A = result;                                                                                                        \
    break;
#include "device/machine.inc"
    case CS_MACHINE_RETURN:
      break;
    default: /* assemble.c emits nothing else */
      __builtin_unreachable();
    }
    D = A;
  } while (i.operation != CS_MACHINE_RETURN);
  return m.registers[CS_REGISTER_RESULT];
}

static inline __attribute__((always_inline)) cs_u64 both(cs_u32 low, cs_u32 site) {
  return (cs_u64)site << 32 | low;
}

COLD void *__cs_fail(void *pointer, void *root, cs_u32 what, cs_u32 site) {
  return (void *)__cs_run(CS_ENTRY_fail, (cs_u64)pointer, (cs_u64)root, both(what, site), 0, 0);
}

COLD void *__cs_fail_range(void *pointer, void *root, cs_u64 bytes, cs_u32 access, cs_u32 site) {
  return (void *)__cs_run(CS_ENTRY_fail_range, (cs_u64)pointer, (cs_u64)root, bytes, both(access, site), 0);
}

COLD void *__cs_fail_named(void *pointer, cs_u64 start, cs_u64 bytes, cs_u64 length, cs_u32 access, cs_u32 site) {
  return (void *)__cs_run(CS_ENTRY_fail_named, (cs_u64)pointer, start, bytes, length, both(access, site));
}

COLD void __cs_fail_field(cs_u64 index, cs_u64 elements, cs_u32 site) {
  __cs_run(CS_ENTRY_fail_field, index, elements, both(0, site), 0, 0);
}

COLD void __cs_fail_array(cs_u64 offset, cs_u64 start, cs_u64 bytes, cs_u32 site) {
  __cs_run(CS_ENTRY_fail_array, offset, start, bytes, both(0, site), 0);
}

COLD void __cs_fail_free(void *pointer, cs_u32 again, cs_u32 site) {
  __cs_run(CS_ENTRY_fail_free, (cs_u64)pointer, both(again, site), 0, 0, 0);
}

COLD void *__cs_escape_forged(void *pointer) {
  return (void *)__cs_run(CS_ENTRY_escape_forged, (cs_u64)pointer, 0, 0, 0, 0);
}

COLD void *__cs_escape_far(void *pointer, void *root) {
  return (void *)__cs_run(CS_ENTRY_escape_far, (cs_u64)pointer, (cs_u64)root, 0, 0, 0);
}

COLD void __cs_trap(void) {
  trap();
}
