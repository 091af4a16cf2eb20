/* address.h: names and lines of one host address. */
#ifndef CUSAFE_HOST_STACKS_ADDRESS_H
#define CUSAFE_HOST_STACKS_ADDRESS_H

#include "host/stacks/elf.h"
#include "report/finding.h"

/* The functions whose code is at the call before this return address, innermost first. Returns 0 if nothing can be
 * read. The frames are valid until the next call. One caller at a time. */
size_t cs_host_address_frames(cs_u64 return_address, const struct cs_source **frames);

/* The code of the function that calls, as far as the symbol table has it and it can be read. Returns 0, or -1. One
 * caller at a time. */
struct cs_host_function {
  cs_u64 start, end;
};
int cs_host_address_function(cs_u64 return_address, struct cs_host_function *function);

/* How often libraries were loaded or unloaded since addresses were first resolved: what is known of an address holds as
 * long as this is the same. */
cs_u64 cs_host_address_age(void);

/* Files that are not loaded, but mapped to be read: what addresses are resolved in, in place of this process. */
struct Dwfl;
struct cs_host_files {
  struct Dwfl *(*open)(void);
  int (*elf_at)(cs_u64 address, struct cs_host_elf *elf); /* as cs_host_elf_at() */
  int (*clip)(struct cs_host_function *function); /* to the readable, executable segment of its start; 0, or -1 */
};
void cs_host_address_read_from(const struct cs_host_files *files);

/* Whether the file belongs to the system, whose debug files are not searched. */
int cs_host_address_is_of_system(const char *file);

#endif
