/* describe.h: `cusafe doctor PROGRAM`. */
#ifndef CUSAFE_CLI_DESCRIBE_H
#define CUSAFE_CLI_DESCRIBE_H

/* Prints the CUDA code of a program or library, and what CuSafe can do with it. Returns the exit status: 1, after a
 * message, if the file is no program. */
int cs_cli_describe(const char *path);

#endif
