/* collect.h: what replaces the functions of NVIDIA's run-time compilers that a program looks up by name. */
#ifndef CUSAFE_HOST_COLLECT_COLLECT_H
#define CUSAFE_HOST_COLLECT_COLLECT_H

/* Whether CuSafe replaces a function of this name. */
int cs_host_collects(const char *name);

/* CuSafe's function in place of `found`, which the loader has found under this name; NULL to leave it alone. */
void *cs_host_collect_instead(const char *name, void *found);

#endif
