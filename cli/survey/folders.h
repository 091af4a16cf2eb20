/* folders.h: the folders that a survey builds and runs. */
#ifndef CUSAFE_CLI_SURVEY_FOLDERS_H
#define CUSAFE_CLI_SURVEY_FOLDERS_H

#include "cli/survey/settings.h"

struct cs_cli_folder {
  char *path; /* absolute */
  char *name; /* as the table prints it: relative to the root; with several roots, including the root */
};

struct cs_cli_folders {
  struct cs_cli_folder *items;
  size_t count, room;
};

/* Finds the folders below the roots, sorted by name. */
void cs_cli_survey_find(const struct cs_cli_survey *s, struct cs_cli_folders *found);
void cs_cli_folders_free(struct cs_cli_folders *found);

/* How a folder is built. */
enum cs_cli_build_kind { CS_CLI_BUILD_NONE, CS_CLI_BUILD_MAKE, CS_CLI_BUILD_CMAKE };
enum cs_cli_build_kind cs_cli_build_kind(const char *folder);

#endif
