/* files.h: the report files that the options name, each in its format. Callers hold the lock of drain.c. */
#ifndef CUSAFE_HOST_FINDINGS_FILES_H
#define CUSAFE_HOST_FINDINGS_FILES_H

#include "report/formats.h"

/* How findings are rendered, as the options of the process specify. is_relative: of the format. */
struct cs_text_options cs_host_text_options(int is_relative);

/* The path of an option, with %p expanded. Ends the process if it is too long. */
void cs_host_expand_path(const char *name, const char *option, char *path, size_t room);

/* The options were validated, which has begun the files. */
void cs_host_files_open(void);
void cs_host_files_add(const struct cs_finding *finding);
/* Waits until the files have all findings, for this time at most. Returns 0, or -1 if they have not. */
int cs_host_files_wait(int milliseconds);
/* The last wait: findings that are not written in time count as lost. */
void cs_host_files_flush(void);
void cs_host_files_end(const struct cs_run *run);

#endif
