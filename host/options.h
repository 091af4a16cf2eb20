/* options.h: what CUSAFE_OPTIONS says. */
#ifndef CUSAFE_HOST_OPTIONS_H
#define CUSAFE_HOST_OPTIONS_H

#include <stddef.h>
#include <stdio.h>

#define CS_OPTION_TEXT_MAX 1024

struct cs_options {
#define CS_FLAG(name, value, help) int name;
#define CS_NUMBER(name, value, help) int name;
#define CS_WORD(name, value, help) char name[CS_OPTION_TEXT_MAX];
#define CS_CHOICE(name, value, choices, help) char name[16];
#include "host/options.inc"
};

/* What on_error and halt_on_error say together. */
enum cs_on_error { CS_ON_ERROR_HALT, CS_ON_ERROR_CONTINUE, CS_ON_ERROR_CONTAIN };
enum cs_on_error cs_options_on_error(const struct cs_options *options);

void cs_options_default(struct cs_options *options);

/* Reads "key=value:key=value" over what options holds; values may be quoted with ' or ". Returns 0, or -1 with one sentence
 * in error. */
int cs_options_parse(struct cs_options *options, const char *text, char *error, size_t error_size);

void cs_options_help(FILE *out);

/* The process's options, read from CUSAFE_OPTIONS at the first call; a malformed variable ends the process with status 1. */
const struct cs_options *cs_options(void);

#endif
