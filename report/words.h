/* words.h: the names and sentences for the fields of a finding, in every format. */
#ifndef CUSAFE_REPORT_WORDS_H
#define CUSAFE_REPORT_WORDS_H

#include "report/finding.h"

const char *cs_report_kind_name(enum cs_kind kind);      /* "out-of-bounds" */
const char *cs_report_kind_title(enum cs_kind kind);     /* "out-of-bounds access" */
const char *cs_report_title(const struct cs_finding *f); /* the same for this finding */
const char *cs_report_kind_help(enum cs_kind kind);      /* what it means, and how to fix it */

const char *cs_report_access_name(enum cs_access access);         /* "read", "write", "atomic"; NULL if unknown */
const char *cs_report_access_noun(enum cs_access access);         /* in a sentence */
const char *cs_report_access_with_article(enum cs_access access); /* "a read", "an atomic access" */
int cs_report_is_race(const struct cs_finding *f);                /* two accesses that nothing orders */
int cs_report_is_wait(const struct cs_finding *f);                /* a thread waits for others: no access */
/* 0: an index, a wait, a variable without an address, a fault */
int cs_report_has_address(const struct cs_finding *f);
const char *cs_report_memory_name(enum cs_memory memory); /* "local", ...; NULL if it is not a variable */
const char *cs_report_event_name(enum cs_event event);    /* "access", "free", "call", "leak", "argument", "fault" */

/* 1 if the frame has a line in the user's code: not in a header of the toolkit, the compiler or the system. */
int cs_report_is_user_frame(const struct cs_source *frame);
/* The finding's source location in every format: the innermost of the user's frames; if there is none, the innermost
 * frame with a line; NULL for an empty stack. */
const struct cs_source *cs_report_own_frame(const struct cs_stack *stack);

/* A path without strip_path_prefix. */
const char *cs_report_shown_path(const struct cs_text_options *options, const char *path);

/* "a freed 400-byte buffer"; without the size if it is unknown; with its name if it is a sub-allocation. Returns to. */
#define CS_REPORT_NAME_MAX 48
#define CS_REPORT_BUFFER_ROOM 128
const char *cs_report_buffer_text(const struct cs_buffer *b, char *to, size_t room);

/* "local variable 'buf'", or with an article when it has no name. Returns to. */
const char *cs_report_variable_text(const struct cs_finding *f, char *to, size_t room);
/* Why a variable has no bounds. */
const char *cs_report_variable_fate(const struct cs_finding *f);

/* "kernel a(int*)", or, if it is one of several, "kernel a(int*), b(int*) or 2 others"; "" if none is known. Returns
 * to. */
const char *cs_report_kernel_text(const struct cs_finding *f, char *to, size_t room);

/* "since the last synchronisation", or before it. */
const char *cs_report_launch_time(const struct cs_report_launch *launch);
/* `what` a place is, and its share if there are several launches: "Launched: 3 of 5 launches since the last
 * synchronisation". Returns to. */
#define CS_REPORT_PLACE_ROOM 128
const char *cs_report_place_text(const struct cs_report_launch *launch, const struct cs_launch_place *place,
                                 const char *what, char *to, size_t room);

/* The error in half a sentence without addresses: "write of 4 bytes, 0 bytes past the end of a 400-byte buffer". The
 * same bug gives the same words in every run. Returns to. */
const char *cs_report_sentence(const struct cs_finding *f, char *to, size_t room);

#endif
