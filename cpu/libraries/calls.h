/* calls.h: the calls of a library that the CPU device does not have. The file of a library defines RESULT, the type of
 * its status, SUCCESS and REFUSED, two values of it, and TITLE and STATUS, the names of the product and of REFUSED;
 * then it includes this file and its list:
 *   CS_CALL  creates, describes or prepares something: refused
 *   CS_WORK  computes: refused, and its results are missing
 *   CS_GET   asks a handle or descriptor, of which there is none: refused without a word, because libcusafe asks, too
 *   CS_FREE  ends something: succeeds, because there is nothing to end
 *   CS_HERE  is there: another file of the library defines it
 * Refused calls ignore their arguments, and so need no prototypes. A library that has some of its calls defines REASON,
 * why the others are refused. */
#ifndef CUSAFE_CPU_LIBRARIES_CALLS_H
#define CUSAFE_CPU_LIBRARIES_CALLS_H

#include "cusafe/refused.h"
#include <cuda.h>

/* NVIDIA's libraries start the driver, too; libcusafe starts with it, and reports at the end of the run. */
static inline void cs_library_refuse_for(const char *call, int is_work, const char *reason) {
  const struct cs_library_refusal refusal = {TITLE, call, STATUS, is_work, reason};
  cuInit(0);
  cusafe_library_refused(&refusal);
}
#ifndef REASON
#define REASON NULL
#endif
static inline void cs_library_refuse(const char *call, int is_work) {
  cs_library_refuse_for(call, is_work, REASON);
}

#define CS_REFUSED_CALL(type, name, is_work, result)                                                                   \
  type name(void);                                                                                                     \
  type name(void) {                                                                                                    \
    cs_library_refuse(#name, is_work);                                                                                 \
    return result;                                                                                                     \
  }
#define CS_QUIET_CALL(type, name, result)                                                                              \
  type name(void);                                                                                                     \
  type name(void) {                                                                                                    \
    return result;                                                                                                     \
  }
#define CS_VOID_CALL(name, is_work)                                                                                    \
  void name(void);                                                                                                     \
  void name(void) {                                                                                                    \
    cs_library_refuse(#name, is_work);                                                                                 \
  }
#define CS_CALL(name) CS_REFUSED_CALL(RESULT, name, 0, REFUSED)
#define CS_WORK(name) CS_REFUSED_CALL(RESULT, name, 1, REFUSED)
#define CS_GET(name) CS_QUIET_CALL(RESULT, name, REFUSED)
#define CS_FREE(name) CS_QUIET_CALL(RESULT, name, SUCCESS)
/* The link fails where a call of the list is not defined, or is defined and listed as refused. */
#define CS_HERE(name)                                                                                                  \
  void name(void);                                                                                                     \
  static void (*const here_##name)(void) __attribute__((used)) = name;

/* The texts for a status, and the version: that of the release whose names the list has. */
#define CS_STATUS_TEXT(name)                                                                                           \
  const char *name(int status);                                                                                        \
  const char *name(int status) {                                                                                       \
    return status == 0 ? "success" : status == REFUSED ? "not supported on the CPU device" : "an error of " TITLE;     \
  }
#define CS_STATUS_NAME(name, success)                                                                                  \
  const char *name(int status);                                                                                        \
  const char *name(int status) {                                                                                       \
    return status == 0 ? success : status == REFUSED ? STATUS : "an error of " TITLE;                                  \
  }
#define CS_VERSION(name, number)                                                                                       \
  int name(int *version);                                                                                              \
  int name(int *version) {                                                                                             \
    *version = number;                                                                                                 \
    return 0;                                                                                                          \
  }
#define CS_VERSION_OF_HANDLE(name, number)                                                                             \
  int name(const void *handle, int *version);                                                                          \
  int name(const void *handle, int *version) {                                                                         \
    (void)handle;                                                                                                      \
    *version = number;                                                                                                 \
    return 0;                                                                                                          \
  }
/* A libraryPropertyType is 0 for the major version, 1 for the minor one, 2 for the patch level. */
#define CS_PROPERTY(name, major, minor)                                                                                \
  int name(int property, int *value);                                                                                  \
  int name(int property, int *value) {                                                                                 \
    *value = property == 0 ? major : property == 1 ? minor : 0;                                                        \
    return 0;                                                                                                          \
  }
enum { CS_CUDART_VERSION = 13000 };

#endif
