/* ancestor.h: names that a process leaves for its descendants, whatever environment they get: a program that keeps its
 * own copy of the environment, as Python does, starts others without what was added since. The processes between must
 * run, too: a child whose parent has ended finds no names. */
#ifndef CUSAFE_OPTIONS_ANCESTOR_H
#define CUSAFE_OPTIONS_ANCESTOR_H

/* Leaves a name, once, until the process ends or executes another program. */
void cs_options_leave_name(const char *name);

/* Whether this process or one of its ancestors has left the name. */
int cs_options_find_name(const char *name);

#endif
