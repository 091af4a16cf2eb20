/* library.h: the functions of NVIDIA's closed libraries that CuSafe replaces; see library.inc. */
#ifndef CUSAFE_HOST_LIBRARIES_LIBRARY_H
#define CUSAFE_HOST_LIBRARIES_LIBRARY_H

/* CuSafe's function in place of `found`, which the loader has found under this name; NULL to leave it alone. */
void *cs_host_library_instead(const char *name, void *found);
/* Whether CuSafe replaces a function of this name. */
int cs_host_library_has(const char *name);

#endif
