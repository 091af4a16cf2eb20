/* toolkit.h: recognises code that is not the user's by its path: headers of the CUDA toolkit, the compiler and the
 * system, and Python's packages.
 *
 * The pass links this file, too: for device code it also knows the toolkit of the compilation (pass/module/headers.c),
 * and marks each frame in the site table. Host frames come from debug information alone, so the path decides. */
#ifndef CUSAFE_REPORT_TOOLKIT_H
#define CUSAFE_REPORT_TOOLKIT_H

/* 1 if the path is that of such a header. Folder names count only where these headers are installed: a project in
 * /home/me/cuda-project/include is the user's. */
int cs_report_is_toolkit(const char *file);

/* 1 if the path is that of a module of Python's standard library or of an installed package. */
int cs_report_is_python_package(const char *file);

#endif
