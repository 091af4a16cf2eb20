/* report.c: printf, assert and trap: records in the launch's print buffer, and the first error in its status word. */
#include "support.h"

enum { ILLEGAL_ADDRESS = 700, ASSERTED = 710, LAUNCH_FAILED = 719 }; /* CUresult */

static inline struct cs_launch *launch(void) {
  return (struct cs_launch *)__cr_block();
}

static void fail(u32 status) {
  u32 *word = (u32 *)launch()->status, none = 0;
  if (word)
    __atomic_compare_exchange_n(word, &none, status, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* Reserves a record in the buffer; 0 when it is full (the host sees `used` exceed `capacity`). */
static struct cs_print_record *append(u32 bytes) {
  struct cs_print *print = (struct cs_print *)launch()->print;
  if (!print)
    return 0;
  u64 at = __atomic_fetch_add(&print->used, bytes, __ATOMIC_SEQ_CST);
  return at + bytes <= print->capacity ? (struct cs_print_record *)((char *)(print + 1) + at) : 0;
}

static void finish(struct cs_print_record *record, u32 kind, const char *format, u64 args_bytes, u32 bytes) {
  record->kind = kind;
  record->format = (u64)format;
  record->args_bytes = args_bytes;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  *(volatile u32 *)&record->bytes = bytes;
}

static s32 conversions(const char *format) {
  s32 count = 0;
  for (; *format; format++)
    if (*format == '%') {
      format++;
      if (!*format)
        break;
      count += *format != '%';
    }
  return count;
}

/* The arguments are a C struct, whose size is a multiple of 4. */
PER_LANE s32 __cr_vprintf(const char *format, const char *args, u32 args_bytes) {
  u32 bytes = (u32)sizeof(struct cs_print_record) + ((args_bytes + 7) & ~7u);
  struct cs_print_record *record = append(bytes);
  if (!record)
    return -1;
  u8 *to = (u8 *)(record + 1);
  for (u32 i = 0; i < args_bytes; i++)
    to[i] = (u8)args[i];
  finish(record, CS_PRINT_FORMAT, format, args_bytes, bytes);
  return conversions(format);
}

PER_LANE static void assert_record(const char *message, const char *file, u32 line, const char *function) {
  u32 bytes = sizeof(struct cs_print_record) + sizeof(struct cs_print_assert);
  struct cs_print_record *record = append(bytes);
  if (record) {
    struct cs_print_assert *a = (struct cs_print_assert *)(record + 1);
    a->file = (u64)file;
    a->function = (u64)function;
    a->line = line;
    a->block[0] = __cr_ctaid_x();
    a->block[1] = __cr_ctaid_y();
    a->block[2] = __cr_ctaid_z();
    a->thread[0] = __cr_tid_x();
    a->thread[1] = __cr_tid_y();
    a->thread[2] = __cr_tid_z();
    a->reserved = 0;
    finish(record, CS_PRINT_ASSERT, message, sizeof *a, bytes);
  }
  fail(ASSERTED);
}

__attribute__((noreturn)) void __cr_assertfail(const char *message, const char *file, u32 line, const char *function,
                                               u64 char_size) {
  (void)char_size;
  assert_record(message, file, line, function);
  __cr_exit();
}

/* The trap of the checks: sets the launch's status, and the kernel continues to its end. */
PER_LANE void __cr_trap_and_go_on(void) {
  fail(LAUNCH_FAILED);
}
__attribute__((noreturn)) void __cr_trap(void) {
  __cr_trap_and_go_on();
  __cr_exit();
}
/* An access on which the hardware would fault: the thread ends. */
__attribute__((noreturn)) void __cr_illegal_address(void) {
  fail(ILLEGAL_ADDRESS);
  __cr_exit();
}
