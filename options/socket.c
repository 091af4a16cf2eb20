/* socket.c: names of datagram sockets. */
#include "options/socket.h"
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

const char *cs_options_socket(const char *value) {
  static const char prefix[] = "unix-dgram:";
  return strncmp(value, prefix, sizeof prefix - 1) == 0 ? value + sizeof prefix - 1 : NULL;
}

int cs_options_socket_address(const char *path, struct sockaddr_un *address, char *error, size_t size) {
  *address = (struct sockaddr_un){.sun_family = AF_UNIX};
  if (*path != '/') {
    snprintf(error, size, "'%s' is not an absolute path of a socket", path);
    return -1;
  }
  if ((size_t)snprintf(address->sun_path, sizeof address->sun_path, "%s", path) < sizeof address->sun_path)
    return 0;
  snprintf(error, size, "the path of a socket has at most %zu characters, unlike '%s'", sizeof address->sun_path - 1,
           path);
  return -1;
}
