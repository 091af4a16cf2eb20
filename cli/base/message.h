/* message.h: messages on stderr. */
#ifndef CUSAFE_CLI_BASE_MESSAGE_H
#define CUSAFE_CLI_BASE_MESSAGE_H

/* Prints "cusafe: <one sentence>" to stderr. Always returns 1, the exit status of a failure. */
int cs_cli_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
