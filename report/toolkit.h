/* toolkit.h: which files are headers of the CUDA toolkit, the compiler or the system, judged by their paths.
 *
 * The pass compiles this file, too: for device code it also knows the toolkit of the compilation (pass/headers.c), and records
 * its verdict for each frame in the site table. Host frames come from debug information alone, so the path decides. */
#ifndef CUSAFE_REPORT_TOOLKIT_H
#define CUSAFE_REPORT_TOOLKIT_H

/* 1 if the path is one of a header that the user did not write. Folders count only where such headers are installed: a
 * project in /home/me/cuda-project/include is the user's. */
int cs_report_is_toolkit(const char *file);

#endif
