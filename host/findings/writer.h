/* writer.h: a bounded queue, and a thread that writes report files from it: no file, reader or socket holds up a thread
 * of the program for long. Callers hold the lock of drain.c. */
#ifndef CUSAFE_HOST_FINDINGS_WRITER_H
#define CUSAFE_HOST_FINDINGS_WRITER_H

#include <stddef.h>

/* Has the thread call write(item). Waits for that while the thread is quick, so that a program that crashes next, or
 * executes another, has its report; once it was slow, no longer waits until the queue is empty again. Without a thread,
 * calls write(item) itself. Returns 0, or -1 if the queue has no room for an item of this many bytes. */
int cs_host_writer_put(void (*write)(void *item), void *item, size_t bytes);

/* Waits until all items are written, for this time at most. Returns 0, or -1 if some are not. */
int cs_host_writer_wait(int milliseconds);

/* The last wait, for this time at most. Calls lose(item) for those that are not, and has the thread
 * write no more; it may still use the first of them. Returns 0, or -1 if items are lost; later items are lost, too. */
int cs_host_writer_flush(int milliseconds, void (*lose)(void *item));

#endif
