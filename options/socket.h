/* socket.h: report files that are datagram sockets: unix-dgram:/path. */
#ifndef CUSAFE_OPTIONS_SOCKET_H
#define CUSAFE_OPTIONS_SOCKET_H

#include <stddef.h>
#include <sys/un.h>

/* The path of the socket that the value of an option names, or NULL if it names a file. */
const char *cs_options_socket(const char *value);

/* Returns 0, or -1 with one sentence in error, without the option's name. */
int cs_options_socket_address(const char *path, struct sockaddr_un *address, char *error, size_t error_size);

#endif
