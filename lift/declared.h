/* declared.h: what the name of a C++ function says of its parameters. */
#ifndef CUSAFE_LIFT_DECLARED_H
#define CUSAFE_LIFT_DECLARED_H

/* Sets is_pointer[k] for each of count parameters that the mangled name declares as a pointer or reference to an
 * object. Leaves all as they are if the name is not mangled or has another number of parameters. Only for functions
 * whose parameters no compiler changes: kernels. */
void cs_lift_read_declared(const char *mangled, unsigned char *is_pointer, unsigned count);

#endif
