/* on_machine.h: what the cold path uses of a GPU, for code that is compiled for the machine. */
#ifndef CUSAFE_DEVICE_ON_MACHINE_H
#define CUSAFE_DEVICE_ON_MACHINE_H

#include "device/machine.h"

#define COLD
#define STEP static
#define INLINE
#define GLOBAL
#define SHARED
#define KEPT

/* assemble.c replaces these symbols: the first by a register, the others by instructions. */
extern const struct cs_environment cs_environment;
extern cs_u32 cs_machine_ADD_32(void *address, cs_u64 value);
extern cs_u64 cs_machine_ADD_64(void *address, cs_u64 value);
extern cs_u32 cs_machine_MAX_32(void *address, cs_u64 value);
extern cs_u64 cs_machine_EXCHANGE_64(void *address, cs_u64 expected, cs_u64 value);
extern void cs_machine_FENCE(void);
extern void cs_machine_TRAP(void);

#define __cs_state (*(struct cs_state *)cs_environment.state)
#define __cs_counts ((cs_fault_counts *)cs_environment.counts)

#define __nvvm_read_ptx_sreg_nctaid_x() cs_environment.extent[0][0]
#define __nvvm_read_ptx_sreg_nctaid_y() cs_environment.extent[0][1]
#define __nvvm_read_ptx_sreg_nctaid_z() cs_environment.extent[0][2]
#define __nvvm_read_ptx_sreg_ntid_x() cs_environment.extent[1][0]
#define __nvvm_read_ptx_sreg_ntid_y() cs_environment.extent[1][1]
#define __nvvm_read_ptx_sreg_ntid_z() cs_environment.extent[1][2]
#define __nvvm_read_ptx_sreg_ctaid_x() cs_environment.at[0][0]
#define __nvvm_read_ptx_sreg_ctaid_y() cs_environment.at[0][1]
#define __nvvm_read_ptx_sreg_ctaid_z() cs_environment.at[0][2]
#define __nvvm_read_ptx_sreg_tid_x() cs_environment.at[1][0]
#define __nvvm_read_ptx_sreg_tid_y() cs_environment.at[1][1]
#define __nvvm_read_ptx_sreg_tid_z() cs_environment.at[1][2]
#define __nvvm_atom_sys_add_gen_i(address, value) cs_machine_ADD_32(address, value)
#define __nvvm_atom_sys_add_gen_ll(address, value) cs_machine_ADD_64(address, value)
#define __nvvm_atom_add_gen_i(address, value) cs_machine_ADD_32(address, value)
#define __nvvm_atom_max_gen_ui(address, value) cs_machine_MAX_32(address, value)
#define __nvvm_membar_sys() cs_machine_FENCE()

#endif
