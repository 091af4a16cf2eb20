/* tempdir.h: the one temporary folder of a command, removed when it ends. */
#ifndef CUSAFE_CLI_TEMPDIR_H
#define CUSAFE_CLI_TEMPDIR_H

/* Makes the folder on the first call. With `keep` it stays, and its name is printed. NULL with a message on failure. */
const char *cs_cli_tempdir(int keep);

#endif
