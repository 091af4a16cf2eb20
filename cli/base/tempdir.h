/* tempdir.h: the command's temporary folder, removed at exit. */
#ifndef CUSAFE_CLI_BASE_TEMPDIR_H
#define CUSAFE_CLI_BASE_TEMPDIR_H

/* Creates the folder on the first call. With `keep` it is not removed, and its name is printed. NULL with a message on
 * failure. */
const char *cs_cli_tempdir(int keep);

#endif
