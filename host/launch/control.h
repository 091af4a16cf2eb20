/* control.h: a file that turns the checks of launches off and on while the program runs (option control). */
#ifndef CUSAFE_HOST_LAUNCH_CONTROL_H
#define CUSAFE_HOST_LAUNCH_CONTROL_H

/* Reads the file, if the options name one. The first call comes before the watch thread, which makes the others. */
void cs_host_control_read(void);

#endif
