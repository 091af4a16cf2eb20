/* elf.h: the loaded ELF file at an address, as the loader has it: no file is read. */
#ifndef CUSAFE_HOST_STACKS_ELF_H
#define CUSAFE_HOST_STACKS_ELF_H

#include "cusafe/layout.h"

struct cs_host_elf {
  cs_u64 bias;       /* an address less this is the address in the file, which symbolizers take */
  char build_id[65]; /* in hexadecimal; "" if it has none */
};

/* Returns 0, or -1 if no file is loaded there. */
int cs_host_elf_at(cs_u64 address, struct cs_host_elf *elf);

#endif
