/* test_python.c: reading an interpreter's frames. The interpreter is fake: this program has its symbols and its name,
 * and builds objects as Python 3.13 lays them out. tests/python/stacks does the same with real interpreters. */
#include "host/stacks/python.h"
#include "host/stacks/python_lines.h"
#include "host/tests/test.h"
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the interpreter ---- */

unsigned long Py_Version = 0x030d00f0;
char PyCode_Type, PyUnicode_Type, PyBytes_Type;
void *PyGILState_GetThisThreadState(void);
int Py_IsFinalizing(void);
int PyCode_Addr2Line(const void *code, int byte);

static cs_u64 thread[16], frames[2][10], code[32], file[16], function[16], lines[16];
static int ending, python_line = 12;

void *PyGILState_GetThisThreadState(void) {
  return thread;
}
int Py_IsFinalizing(void) {
  return ending;
}
int PyCode_Addr2Line(const void *of, int byte) {
  (void)of, (void)byte;
  return python_line;
}

static void set_text(cs_u64 *object, const void *type, const char *text, size_t data) {
  object[1] = (cs_u64)type;
  object[2] = strlen(text);
  object[4] = 1 << 2 | 0x20 | 0x40; /* of a str: compact, ASCII */
  strcpy((char *)object + data, text);
}

/* A function that calls itself: its only line entry covers 8 instructions of line 10 + 2. */
static void start(void) {
  set_text(file, &PyUnicode_Type, "a.py", 40);
  set_text(function, &PyUnicode_Type, "f", 40);
  set_text(lines, &PyBytes_Type, "\xe7", 32);
  code[1] = (cs_u64)&PyCode_Type;
  code[2] = 8;
  ((cs_u32 *)code)[17] = 10;
  code[14] = (cs_u64)file;
  code[16] = (cs_u64)function;
  code[17] = (cs_u64)lines;
  for (int i = 0; i < 2; i++) {
    frames[i][0] = (cs_u64)code;
    frames[i][1] = i ? 0 : (cs_u64)frames[1];
    frames[i][7] = (cs_u64)&code[25] + 4;
  }
  thread[9] = (cs_u64)frames[0];
}

static int count(void) {
  void *found[CS_HOST_PYTHON_DEPTH];
  struct cs_host_text text;
  return (int)cs_host_python_frames(found, &text);
}

/* ---- cases: each in a process, because an interpreter is verified once ---- */

static void *count_in_thread(void *to) {
  *(int *)to = count();
  return NULL;
}

static int frames_are_read(void) {
  void *found[CS_HOST_PYTHON_DEPTH];
  struct cs_host_text text;
  for (int i = 0; i < 2; i++) { /* verified, then read */
    if (cs_host_python_frames(found, &text) != 2 || !cs_host_text_has(text, (cs_u64)&frames_are_read))
      return 1;
    struct cs_host_python_frame frame = cs_host_python_frame(found[1]);
    if (frame.line != 12 || !cs_host_python_is_frame(found[1]) || cs_host_python_is_frame(&frame) ||
        memcmp(frame.code->file.characters, "a.py", 4) != 0 || memcmp(frame.code->function.characters, "f", 1) != 0)
      return 1;
  }
  return 0;
}

/* A frame that has not started, and one between Python's and C's. */
static int frames_of_the_interpreter_are_omitted(void) {
  ((cs_u32 *)code)[46] = 3;
  if (count() != 0)
    return 1;
  ((cs_u32 *)code)[46] = 0;
  ((char *)frames[0])[70] = 3;
  return count() != 1;
}

static int an_unknown_version_is_not_read(void) {
  Py_Version = 0x030e00f0;
  return count() != 0;
}

/* What comes first stays: the interpreter is not read again. */
static int stays_off(void) {
  if (count() != 0)
    return 1;
  start();
  python_line = 12;
  return count() != 0;
}
static int invalid_frames_are_not_read(void) {
  thread[9] = 0x123450;
  return stays_off();
}
static int invalid_names_are_not_read(void) {
  code[14] = 0x123450;
  return stays_off();
}
static int impossible_lengths_are_not_read(void) {
  file[2] = 1ull << 62;
  return stays_off();
}
static int other_types_are_not_read(void) {
  lines[1] = (cs_u64)&PyUnicode_Type;
  return stays_off();
}
static int circles_end(void) {
  frames[1][1] = (cs_u64)frames[0];
  return count() != CS_HOST_PYTHON_DEPTH;
}
static int another_line_of_python_switches_it_off(void) {
  python_line = 13;
  return stays_off();
}

/* A program without Python code on the stack says nothing about the interpreter. */
static int a_thread_without_frames_verifies_nothing(void) {
  thread[9] = 0;
  if (count() != 0)
    return 1;
  start();
  return count() != 2;
}

static int an_ending_interpreter_is_read_by_the_main_thread_only(void) {
  pthread_t other;
  int found = -1;
  ending = 1;
  if (count() != 2 || pthread_create(&other, NULL, count_in_thread, &found))
    return 1;
  pthread_join(other, NULL);
  return found != 0;
}

static void interpreters(void **state) {
  (void)state;
  static int (*const cases[])(void) = {frames_are_read,
                                       frames_of_the_interpreter_are_omitted,
                                       an_unknown_version_is_not_read,
                                       invalid_frames_are_not_read,
                                       invalid_names_are_not_read,
                                       impossible_lengths_are_not_read,
                                       other_types_are_not_read,
                                       circles_end,
                                       another_line_of_python_switches_it_off,
                                       a_thread_without_frames_verifies_nothing,
                                       an_ending_interpreter_is_read_by_the_main_thread_only};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    pid_t child = fork();
    int status = -1;
    if (child == 0) {
      start();
      _exit(cases[i]());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status)
      fail_msg("case %zu: wait status %d", i, status);
  }
}

/* ---- lines ---- */

static void lines_are_decoded(void **state) {
  (void)state;
  /* 2 instructions without a line; 1 in line 5 + 1; 8 in line 6 - 2, with columns; 1 in line 4 + 100. */
  static const unsigned char table[] = {0xf9, 0xd8, 1, 2, 0xf7, 5, 0, 1, 2, 0xe8, 0x48, 3};
  static const cs_u32 expected[] = {0, 0, 6, 4, 4, 4, 4, 4, 4, 4, 4, 104, 0, 0};
  for (cs_u64 i = 0; i < sizeof expected / sizeof *expected; i++)
    assert_int_equal(cs_host_python_line(table, sizeof table, 5, i), expected[i]);
  assert_int_equal(cs_host_python_line(table, 0, 5, 0), 0);
}

static void damaged_tables_end(void **state) {
  (void)state;
  unsigned char table[64];
  cs_u32 random = 1;
  for (int i = 0; i < 20000; i++) {
    for (size_t at = 0; at < sizeof table; at++)
      table[at] = (unsigned char)((random = random * 1664525 + 1013904223) >> 24);
    size_t bytes = random % sizeof table;
    unsigned char *end = table + sizeof table - bytes; /* AddressSanitizer finds reads past the end */
    cs_host_python_line(end, bytes, random, random >> 26);
  }
}

/* ---- contents ---- */

static struct cs_host_python_text text_of(const char *text) {
  return (struct cs_host_python_text){(const unsigned char *)text, (cs_u32)strlen(text), 1};
}

static void contents_have_numbers(void **state) {
  (void)state;
  char name[] = "f"; /* in memory that the interpreter reuses */
  struct cs_host_python_code a = {text_of("a.py"), text_of(name), text_of("\xe7"), 10}, b = a;
  cs_u32 first = cs_host_python_code_number(4096, &a);
  assert_int_not_equal(first, 0);
  assert_int_equal(cs_host_python_code_number(4096, &a), first);
  assert_int_equal(cs_host_python_code_number(8192, &a), first);
  b.first_line = 11;
  assert_int_not_equal(cs_host_python_code_number(4096, &b), first);
  name[0] = 'g';
  cs_u32 renamed = cs_host_python_code_number(8192, &a);
  assert_int_not_equal(renamed, first);
  assert_memory_equal(cs_host_python_code_get(first)->function.characters, "f", 1);
  assert_memory_equal(cs_host_python_code_get(renamed)->function.characters, "g", 1);
}

static void room_is_limited(void **state) {
  (void)state;
  struct cs_host_python_code code_of = {text_of("a.py"), text_of("many"), text_of("\xe7"), 0};
  cs_u32 known = cs_host_python_code_number(0, &code_of), last = known;
  while (last && code_of.first_line < 1u << 20) {
    code_of.first_line++;
    last = cs_host_python_code_number(code_of.first_line * 64ull, &code_of);
  }
  assert_int_equal(last, 0);
  code_of.first_line = 0;
  assert_int_equal(cs_host_python_code_number(0, &code_of), known);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(interpreters),       cmocka_unit_test(lines_are_decoded),
      cmocka_unit_test(damaged_tables_end), cmocka_unit_test(contents_have_numbers),
      cmocka_unit_test(room_is_limited),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
