/* test_fault.c: a kernel that accesses unmapped memory. Each case is a separate process, because the engine is lost
 * afterwards; the process must continue and end normally. */
#include "cpu/cuda/tests/support.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void poke(CUdeviceptr address, int blocks) {
  int value = 1;
  void *params[] = {&address, &value};
  OK(cuLaunchKernel(test_kernel("poke"), (unsigned)blocks, 1, 1, 64, 1, 1, 0, NULL, params, NULL));
}

static void said_at_exit(void) {
  (void)!write(STDOUT_FILENO, "exit functions ran\n", 19);
}

/* In the child. Ends through exit(), which must not hang. */
static void fault_and_go_on(CUdeviceptr address) {
  CUdeviceptr p;
  void *state = NULL;
  alarm(300);
  test_start(&state);
  atexit(said_at_exit);
  OK(cuMemAlloc(&p, 4));
  poke(p, 8);
  OK(cuCtxSynchronize());
  poke(address, 8);
  FAILS(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  FAILS(cuMemFree(p), CUDA_ERROR_ILLEGAL_ADDRESS);
  FAILS(cuStreamQuery(NULL), CUDA_ERROR_ILLEGAL_ADDRESS);
  exit(7);
}

static void unmapped(void) {
  fault_and_go_on((CUdeviceptr)11 << 41);
}

static void null_pointer(void) {
  fault_and_go_on(0);
}

static void impossible(void) {
  fault_and_go_on((CUdeviceptr)1 << 63);
}

/* Starts a kernel that waits until *flag is not 0. */
static int *start_waiting(CUdeviceptr *seen) {
  void *flag;
  int value = 5;
  OK(cuMemHostAlloc(&flag, sizeof(int), CU_MEMHOSTALLOC_DEVICEMAP));
  OK(cuMemAlloc(seen, sizeof(int)));
  *(int *)flag = 0;
  void *params[] = {&flag, seen, &value};
  OK(cuLaunchKernel(test_kernel("wait"), 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
  return flag;
}

/* In the child: a kernel that waits for nothing ends with the error of a watchdog, and the program through exit(). */
static void wait_forever(void) {
  CUdeviceptr seen;
  void *state = NULL;
  alarm(300);
  setenv("CUSAFE_CPU_TIMEOUT", "2", 1);
  test_start(&state);
  start_waiting(&seen);
  FAILS(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_TIMEOUT);
  FAILS(cuMemFree(seen), CUDA_ERROR_LAUNCH_TIMEOUT);
  exit(7);
}

/* In the child: kernels that wait for the host end when the host writes. */
static void wait_for_the_host(void) {
  CUdeviceptr seen;
  void *state = NULL;
  alarm(300);
  setenv("CUSAFE_CPU_TIMEOUT", "60", 1);
  test_start(&state);
  for (int i = 0; i < 3; i++) {
    int value = 0, *flag = start_waiting(&seen);
    usleep(700000);
    *(volatile int *)flag = 1;
    OK(cuMemcpyDtoH(&value, seen, sizeof value));
    assert_int_equal(value, 5);
  }
  exit(7);
}

static void raise_fault(void) {
  volatile int *volatile nowhere = NULL;
  *nowhere = 1;
}

/* A fault in the program's own code belongs to the program, whether or not a kernel runs. */
static void host_fault_with(void (*handler)(int)) {
  void *state = NULL;
  signal(SIGSEGV, handler); /* and not the test library's own */
  test_start(&state);
  raise_fault();
}

static void host_fault(void) {
  host_fault_with(SIG_DFL);
}

static void on_fault(int number) {
  (void)number;
  _exit(9);
}

/* A handler that was installed before the driver still receives the program's own faults. */
static void host_fault_handled(void) {
  host_fault_with(on_fault);
}

static int run(void (*child)(void)) {
  int status;
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    child();
    _exit(99);
  }
  assert_int_equal(waitpid(pid, &status, 0), pid);
  return status;
}

static void kernels_that_fault_end_the_context(void **state) {
  (void)state;
  void (*const cases[])(void) = {unmapped, null_pointer, impossible};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int status = run(cases[i]);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
  }
}

static void kernels_that_wait_are_given_up_on_request(void **state) {
  (void)state;
  void (*const cases[])(void) = {wait_forever, wait_for_the_host};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int status = run(cases[i]);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
  }
}

static void host_faults_reach_the_program(void **state) {
  (void)state;
  int status = run(host_fault);
  assert_true(WIFSIGNALED(status));
  assert_int_equal(WTERMSIG(status), SIGSEGV);
  status = run(host_fault_handled);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 9);
}

static void no_engine(void) {
  setenv("OCL_ICD_VENDORS", "/proc/absent", 1);
  FAILS(cuInit(0), CUDA_ERROR_NO_DEVICE);
  FAILS(cuInit(0), CUDA_ERROR_NO_DEVICE);
  int count;
  FAILS(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
  _exit(5);
}

static void reports_a_missing_engine(void **state) {
  (void)state;
  int status = run(no_engine);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 5);
}

/* AddressSanitizer's allocator has a lock that another thread may hold at a fork: there, a child cannot run exit
 * functions. */
#if defined(__SANITIZE_ADDRESS__)
#define LEAVE _exit
#else
#define LEAVE exit
#endif

/* A child of a process that uses the driver gets an error instead of waiting for threads that it does not have. */
static void child_of_a_user(void) {
  CUevent event;
  CUstream stream;
  assert_int_equal(test_start(NULL), 0);
  OK(cuEventCreate(&event, 0));
  OK(cuStreamCreate(&stream, 0));
  pid_t pid = fork();
  if (pid == 0) {
    CUdeviceptr p;
    int refused = cuInit(0) == CUDA_ERROR_NOT_INITIALIZED && cuMemAlloc(&p, 4) == CUDA_ERROR_NOT_INITIALIZED &&
                  cuCtxSynchronize() == CUDA_ERROR_NOT_INITIALIZED &&
                  cuStreamSynchronize(stream) == CUDA_ERROR_NOT_INITIALIZED &&
                  cuEventSynchronize(event) == CUDA_ERROR_NOT_INITIALIZED;
    LEAVE(refused ? 3 : 4);
  }
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  OK(cuCtxSynchronize()); /* the parent continues */
  _exit(WEXITSTATUS(status));
}

static void children_are_refused(void **state) {
  (void)state;
  int status = run(child_of_a_user);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kernels_that_fault_end_the_context), cmocka_unit_test(kernels_that_wait_are_given_up_on_request),
      cmocka_unit_test(host_faults_reach_the_program), cmocka_unit_test(children_are_refused),
      cmocka_unit_test(reports_a_missing_engine)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
