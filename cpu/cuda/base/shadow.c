/* shadow.c: calls the functions of libcusafe that keep the shadow of cusafe/init.h. */
#include "cpu/cuda/base/shadow.h"
#include "cusafe/init.h"
#include <dlfcn.h>

/* Constant once the driver has started. */
static cs_init_copied *copied;
static cs_init_filled *filled;
static cs_init_event *launching, *unseen;

void cs_cpu_shadow_start(void) {
  void *checker = dlopen(CUSAFE_SONAME, RTLD_LAZY | RTLD_NOLOAD);
  if (!checker)
    return;
  filled = (cs_init_filled *)dlsym(checker, CS_INIT_FILLED);
  launching = (cs_init_event *)dlsym(checker, CS_INIT_LAUNCHING);
  unseen = (cs_init_event *)dlsym(checker, CS_INIT_UNSEEN);
  copied = (cs_init_copied *)dlsym(checker, CS_INIT_COPIED);
}

void cs_cpu_shadow_copied(uint64_t to, uint64_t from, size_t bytes) {
  if (copied)
    copied(to, from, bytes);
}

void cs_cpu_shadow_filled(uint64_t to, size_t bytes) {
  if (filled)
    filled(to, bytes);
}

void cs_cpu_shadow_launching(void) {
  if (launching)
    launching();
}

void cs_cpu_shadow_unseen(void) {
  if (unseen)
    unseen();
}
