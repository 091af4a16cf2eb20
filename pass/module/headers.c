/* headers.c: classifies the files of the debug information by their paths and by the toolkit of this compilation. */
#include "pass/module/headers.h"
#include "report/toolkit.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char yes, no;

/* Only these folders of the toolkit hold headers: with a toolkit in /usr there is much else. */
static char *real_folder(const char *toolkit, const char *name) {
  char path[PATH_MAX];
  if (!*toolkit || snprintf(path, sizeof path, "%s/%s", toolkit, name) >= (int)sizeof path)
    return NULL;
  return realpath(path, NULL);
}

static void find_folders(struct cs_pass_headers *h) {
  if (h->is_ready)
    return;
  h->is_ready = 1;
  h->folders[0] = real_folder(h->toolkit, "include");
  h->folders[1] = real_folder(h->toolkit, "targets");
}

static int is_below(const char *file, const char *folder) {
  size_t length = folder ? strlen(folder) : 0;
  return length && strncmp(file, folder, length) == 0 && file[length] == '/';
}

/* A header may be a symbolic link into the toolkit, or be found through one. A source that no longer exists is
 * classified by its path. */
static int judge(struct cs_pass_headers *h, const char *path) {
  char real[PATH_MAX];
  if (cs_report_is_toolkit(path))
    return 1;
  find_folders(h);
  if (!realpath(path, real))
    return is_below(path, h->folders[0]) || is_below(path, h->folders[1]);
  return cs_report_is_toolkit(real) || is_below(real, h->folders[0]) || is_below(real, h->folders[1]);
}

static int judge_file(struct cs_pass_headers *h, LLVMMetadataRef file) {
  char path[PATH_MAX];
  unsigned length = 0, directory_length = 0;
  const char *name = LLVMDIFileGetFilename(file, &length);
  const char *directory = LLVMDIFileGetDirectory(file, &directory_length);
  int is_absolute = (length && *name == '/') || !directory_length;
  int bytes = snprintf(path, sizeof path, "%.*s%s%.*s", is_absolute ? 0 : (int)directory_length, directory,
                       is_absolute ? "" : "/", (int)length, name);
  return bytes < (int)sizeof path && judge(h, path);
}

int cs_pass_in_header(struct cs_pass_headers *h, LLVMMetadataRef scope) {
  LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL;
  if (file == NULL)
    return 0;
  void *known = cs_ir_map_get(&h->known, file);
  if (known == NULL) {
    known = judge_file(h, file) ? &yes : &no;
    cs_ir_map_set(&h->known, file, known);
  }
  return known == &yes;
}

void cs_pass_headers_free(struct cs_pass_headers *h) {
  free(h->folders[0]);
  free(h->folders[1]);
  cs_ir_map_free(&h->known);
}
