/* options.h: the options as a structure, by name and as text. No global state. */
#ifndef CUSAFE_OPTIONS_OPTIONS_H
#define CUSAFE_OPTIONS_OPTIONS_H

#include <stddef.h>
#include <stdio.h>

#define CS_OPTIONS_TEXT_MAX 1024

struct cs_options {
#define CS_OPTIONS_FLAG(name, value, help) int name;
#define CS_OPTIONS_NUMBER(name, value, help) int name;
#define CS_OPTIONS_COUNT(name, value, help) int name;
#define CS_OPTIONS_SHARE(name, value, help) double name;
#define CS_OPTIONS_TEXT(name, value, help) char name[CS_OPTIONS_TEXT_MAX];
#define CS_OPTIONS_CHOICE(name, value, choices, help) char name[24];
#include "options/options.inc"
  int is_action_set; /* on_error or halt_on_error was given */
};

/* How the files of options/files.inc are used. */
enum cs_options_file_kind { CS_OPTIONS_FILE_READ, CS_OPTIONS_FILE_ADDED, CS_OPTIONS_FILE_BEGUN };

/* The action that on_error and halt_on_error specify; the later of them wins. */
enum cs_options_error_action { CS_OPTIONS_ON_ERROR_HALT, CS_OPTIONS_ON_ERROR_CONTINUE, CS_OPTIONS_ON_ERROR_CONTAIN };
enum cs_options_error_action cs_options_on_error(const struct cs_options *options);

/* Whether launches may run without their checks: sample, sample_processes, control. */
int cs_options_samples(const struct cs_options *options);

/* Whether only some launches count: kernel, kernel_regex, launch_skip, launch_count. */
int cs_options_select_launches(const struct cs_options *options);
/* Whether some findings may not count: then the device cannot decide on its own to stop at the first error. */
int cs_options_may_ignore(const struct cs_options *options);

void cs_options_default(struct cs_options *options);

/* Sets one option. Returns 0, or -1 with one sentence in error. */
int cs_options_set(struct cs_options *options, const char *name, const char *value, char *error, size_t error_size);

/* Whether the option takes 0 or 1. */
int cs_options_is_flag(const char *name);

/* Sets options from "key=value:key=value"; values may be quoted with ' or ". Returns 0, or -1 with one sentence in
 * error. */
int cs_options_parse(struct cs_options *options, const char *text, char *error, size_t error_size);

/* Prints the options with this prefix, in at most 100 columns; and as the table of docs/use/options.md. */
void cs_options_list(const char *prefix, FILE *out);
void cs_options_table(FILE *out);

/* Copies path, with %p replaced by the process ID and %% by %. Returns 0, or -1 if it is too long. */
int cs_options_path(const char *path, char *to, size_t room);

#endif
