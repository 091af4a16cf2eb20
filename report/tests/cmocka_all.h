/* cmocka_all.h: cmocka and the headers that it requires before it. */
#ifndef CUSAFE_REPORT_TESTS_CMOCKA_ALL_H
#define CUSAFE_REPORT_TESTS_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
