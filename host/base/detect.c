/* detect.c: reads the option detect, for libcusafe and for a driver that lifts PTX. */
#include "host/base/detect.h"
#include "cusafe/lifts.h"
#include "options/process.h"
#include <pthread.h>

unsigned cs_host_detects(void) {
  char error[256]; /* the option has been checked */
  unsigned detects;
  cs_options_detect_read(cs_options()->detect, &detects, error, sizeof error);
  return detects;
}

static char list[CS_OPTIONS_DETECT_MAX];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void write_list(void) {
  cs_options_detect_list(cs_host_detects(), list);
}

__attribute__((visibility("default"))) const char *cusafe_lifts_detect(void) {
  pthread_once(&once, write_list);
  return list;
}
