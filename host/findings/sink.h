/* sink.h: one report file, pipe or datagram socket. Nothing here waits for a reader for long. */
#ifndef CUSAFE_HOST_FINDINGS_SINK_H
#define CUSAFE_HOST_FINDINGS_SINK_H

#include "options/options.h"
#include "report/formats.h"

struct cs_host_sink {
  const struct cs_format *format;
  char path[CS_OPTIONS_TEXT_MAX + 64];
  int is_socket;
  int open;              /* a pipe or a socket, which stays open; otherwise -1 */
  int is_deaf;           /* a socket whose reader did not read in time */
  cs_u64 findings_bytes; /* queued so far, if the options limit them */
  cs_u64 lost_lines;     /* could not be written */
};

/* The longest line for a socket: what rsyslog keeps by default (maxMessageSize), which it calls 8k. */
enum { CS_HOST_DATAGRAM_MAX = 8096 };

/* The path is that of a file, or unix-dgram:/path. */
void cs_host_sink_open(struct cs_host_sink *sink, const struct cs_format *format);

/* Adds what the format has rendered. Returns 0, or -1 if it is lost. One thread at a time. */
int cs_host_sink_add(struct cs_host_sink *sink, const char *text, size_t bytes);

/* A line is lost. Any thread. */
void cs_host_sink_lose(struct cs_host_sink *sink);

#endif
