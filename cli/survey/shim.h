/* shim.h: a folder that looks like the CUDA toolkit, for builds to use. */
#ifndef CUSAFE_CLI_SURVEY_SHIM_H
#define CUSAFE_CLI_SURVEY_SHIM_H

#include "cli/survey/settings.h"

/* Creates s->shim. 0, or -1 with a message. */
int cs_cli_survey_make_shim(struct cs_cli_survey *s);

#endif
