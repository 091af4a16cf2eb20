/* tempdir.h: the command's temporary folder, removed at exit and by the signals that end a command. */
#ifndef CUSAFE_CLI_BASE_TEMPDIR_H
#define CUSAFE_CLI_BASE_TEMPDIR_H

/* Creates the folder on the first call. NULL with a message on failure. */
const char *cs_cli_tempdir(void);

/* Creates a folder below `base`, or where temporary folders are if it is NULL, which is not removed, and prints its
 * name. To be called before the other, which then returns the same. */
const char *cs_cli_kept_tempdir(const char *base);

#endif
