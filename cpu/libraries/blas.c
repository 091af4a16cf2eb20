/* blas.c: calls of cuBLAS as calls of OpenBLAS's routines. */
#include "cpu/libraries/blas.h"
#include <limits.h>
#include <string.h>

void *cs_blas_function(struct cs_blas_routine *routine) {
  void *function = cs_library_function(CS_ENGINE_OPENBLAS, routine->name, &routine->function);
  if (!function)
    cs_blas_refuse(routine->call, 1, cs_library_missing(CS_ENGINE_OPENBLAS));
  return function;
}

int cs_blas_no_handle(const char *call) {
  struct cs_blas_routine any = {call, "sgemm_", NULL};
  return cs_blas_function(&any) ? CS_BLAS_NOT_INITIALIZED : CS_BLAS_NOT_SUPPORTED;
}

int cs_blas_fits(const char *call, int64_t number) {
  if (number >= -INT_MAX && number <= INT_MAX)
    return 1;
  cs_blas_refuse(call, 1, "sizes of the CPU device's cuBLAS have 32 bits");
  return 0;
}

struct cs_blas_factor cs_blas_factor(const struct cs_blas *blas, const void *pointer, size_t bytes) {
  struct cs_blas_factor factor = {0};
  if (blas->is_device)
    factor.device = cs_library_plain(pointer);
  else if (pointer)
    memcpy(factor.value, pointer, bytes);
  return factor;
}

/* A call that waits in its stream. */
struct call {
  void *function;
  int64_t batch;
  int count;
  struct {
    enum cs_blas_kind kind;
    int number;
    char letter;
    int64_t stride;
    const void *pointer;
    struct cs_blas_factor factor;
  } argument[CS_BLAS_ARGUMENTS];
};

static const void *address(const struct call *call, int number, int64_t batch) {
  switch (call->argument[number].kind) {
  case CS_BLAS_OPERATION:
  case CS_BLAS_FILL:
  case CS_BLAS_DIAGONAL:
  case CS_BLAS_SIDE:
    return &call->argument[number].letter;
  case CS_BLAS_SIZE:
  case CS_BLAS_DISTANCE:
  case CS_BLAS_STEP:
  case CS_BLAS_NUMBER:
    return &call->argument[number].number;
  case CS_BLAS_FACTOR:
    return cs_blas_value(&call->argument[number].factor);
  case CS_BLAS_MEMORY:
    return (const char *)call->argument[number].pointer + batch * call->argument[number].stride;
  case CS_BLAS_ARRAY:
    return cs_library_plain(((const void *const *)call->argument[number].pointer)[batch]);
  }
  return NULL;
}

/* Fortran passes the lengths of letters after all arguments: each is 1, and so is what follows. */
static void run(void *arguments) {
  typedef const void *word;
  typedef void routine(word, word, word, word, word, word, word, word, word, word, word, word, word, word, word, word);
  const struct call *call = arguments;
  routine *function = (routine *)call->function;
  for (int64_t batch = 0; batch < call->batch; batch++) {
    word a[CS_BLAS_ARGUMENTS];
    for (int i = 0; i < CS_BLAS_ARGUMENTS; i++)
      a[i] = i < call->count ? address(call, i, batch) : (word)1;
    function(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14], a[15]);
  }
}

static int is_valid(const struct cs_blas_argument *a) {
  switch (a->kind) {
  case CS_BLAS_OPERATION:
    return a->number >= 0 && a->number <= 2 && (!a->other || a->number != a->other);
  case CS_BLAS_FILL:
  case CS_BLAS_DIAGONAL:
  case CS_BLAS_SIDE:
    return a->number == 0 || a->number == 1;
  case CS_BLAS_SIZE:
    return a->number >= 0;
  case CS_BLAS_DISTANCE:
    return a->number >= 1 && a->number >= a->other;
  case CS_BLAS_STEP:
    return a->number != 0;
  case CS_BLAS_FACTOR:
    return a->pointer != NULL;
  case CS_BLAS_NUMBER:
  case CS_BLAS_MEMORY:
  case CS_BLAS_ARRAY:
    break;
  }
  return 1;
}

static char letter(const struct cs_blas_argument *a) {
  static const char *const letters[] = {"NTC", "LU", "NU", "LR"};
  return a->kind <= CS_BLAS_SIDE ? letters[a->kind][a->number] : 0;
}

int cs_blas_check(const struct cs_blas *blas, const char *call, const struct cs_blas_argument *arguments, int count) {
  if (!blas)
    return cs_blas_no_handle(call);
  for (int i = 0; i < count; i++)
    if (!is_valid(&arguments[i]))
      return CS_BLAS_INVALID_VALUE;
  for (int i = 0; i < count; i++)
    if (!cs_blas_fits(call, arguments[i].number))
      return CS_BLAS_NOT_SUPPORTED;
  return CS_BLAS_SUCCESS;
}

int cs_blas_call(struct cs_blas *blas, struct cs_blas_routine *routine, int64_t batch,
                 const struct cs_blas_argument *arguments, int count) {
  struct call call = {.batch = batch, .count = count};
  int status = batch < 0 ? CS_BLAS_INVALID_VALUE : cs_blas_check(blas, routine->call, arguments, count);
  if (status != CS_BLAS_SUCCESS)
    return status;
  for (int i = 0; i < count; i++) {
    const struct cs_blas_argument *a = &arguments[i];
    call.argument[i].kind = a->kind;
    call.argument[i].number = (int)a->number;
    call.argument[i].letter = letter(a);
    call.argument[i].stride = a->other;
    call.argument[i].pointer = cs_library_plain(a->pointer);
    if (a->kind == CS_BLAS_FACTOR)
      call.argument[i].factor = cs_blas_factor(blas, a->pointer, (size_t)a->other);
  }
  if (!(call.function = cs_blas_function(routine)))
    return CS_BLAS_NOT_SUPPORTED;
  return cs_library_submit(blas->stream, run, &call, sizeof call) ? CS_BLAS_EXECUTION_FAILED : CS_BLAS_SUCCESS;
}
