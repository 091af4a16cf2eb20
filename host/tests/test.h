/* test.h: cmocka with what it needs. */
#ifndef CUSAFE_HOST_TESTS_TEST_H
#define CUSAFE_HOST_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
