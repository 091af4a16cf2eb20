/* threads.c: the names of threads that run kernels, and which of them are executors. */
#include "cpu/cuda/base/threads.h"
#include <string.h>
#include <sys/prctl.h>

static _Thread_local int executing;

void cs_cpu_thread_enter_engine(char saved[CS_CPU_THREAD_NAME_BYTES]) {
  prctl(PR_GET_NAME, saved);
  prctl(PR_SET_NAME, CS_CPU_THREAD_ENGINE);
}

void cs_cpu_thread_leave_engine(const char saved[CS_CPU_THREAD_NAME_BYTES]) {
  prctl(PR_SET_NAME, saved);
}

int cs_cpu_thread_is_engine(void) {
  char name[CS_CPU_THREAD_NAME_BYTES] = "";
  prctl(PR_GET_NAME, name);
  return strcmp(name, CS_CPU_THREAD_ENGINE) == 0;
}

void cs_cpu_thread_become_executor(void) {
  executing = 1;
  prctl(PR_SET_NAME, CS_CPU_THREAD_ENGINE);
}

int cs_cpu_in_executor(void) {
  return executing;
}

void cs_cpu_thread_enter_host(void) {
  prctl(PR_SET_NAME, CS_CPU_THREAD_HOST);
}

void cs_cpu_thread_leave_host(void) {
  prctl(PR_SET_NAME, CS_CPU_THREAD_ENGINE);
}
