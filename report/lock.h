/* lock.h: locks files that processes share, without waiting for ever. */
#ifndef CUSAFE_REPORT_LOCK_H
#define CUSAFE_REPORT_LOCK_H

/* Locks the file for writing, until it is closed. A process that was stopped while it holds the lock must not stop
 * others: they wait for some seconds in total. Returns 0, or -1 with errno. */
int cs_report_lock_file(int file);

#endif
