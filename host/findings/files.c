/* files.c: renders findings, and the totals of the run, for the report files. */
#include "host/findings/files.h"
#include "host/base/degraded.h"
#include "host/base/messages.h"
#include "host/findings/origin.h"
#include "host/findings/sink.h"
#include "host/findings/writer.h"
#include "options/process.h"
#include "options/validate.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct cs_host_sink sinks[CS_FORMAT_COUNT];
static size_t sink_count;

/* Reports for people name files relative to the working directory. Compilers record the full path of host files, but
 * for device files the path on the command line. */
static const char *here(void) {
  static char folder[PATH_MAX + 1];
  if (!*folder && getcwd(folder, PATH_MAX))
    strcat(folder, "/");
  return *folder ? folder : NULL;
}

struct cs_text_options cs_host_text_options(int is_relative) {
  const char *prefix = cs_options()->strip_path_prefix;
  return (struct cs_text_options){.strip_path_prefix = *prefix       ? prefix
                                                       : is_relative ? here()
                                                                     : NULL,
                                  .pid = (int)getpid(),
                                  .origin = cs_host_origin(),
                                  .all_frames = cs_options()->verbosity > 0,
                                  .samples = cs_options_samples(cs_options())};
}

void cs_host_expand_path(const char *name, const char *option, char *path, size_t room) {
  if (cs_options_path(option, path, room))
    cs_options_die("%s: the path is too long", name);
}

static void open_file(const char *name, const char *option) {
  struct cs_host_sink *sink = &sinks[sink_count];
  if (!*option)
    return;
  cs_host_expand_path(name, option, sink->path, sizeof sink->path);
  cs_host_sink_open(sink, cs_format(name));
  sink_count++;
}

void cs_host_files_open(void) {
  const struct cs_options *o = cs_options();
#define CS_OPTIONS_FILE(name, kind)                                                                                    \
  if (CS_OPTIONS_FILE_##kind == CS_OPTIONS_FILE_BEGUN)                                                                 \
    open_file(#name, o->name);
#include "options/files.inc"
}

/* ---- findings and runs ---- */

/* What the format has rendered, on its way to the writer's thread. */
struct part {
  struct cs_host_sink *sink;
  int is_finding;
  char *text;
  size_t bytes;
};

static void lose(void *item) {
  const struct part *part = item;
  cs_host_sink_lose(part->sink);
  if (part->is_finding)
    cs_host_degraded(CS_DEGRADED_OUTPUT);
}

static void free_part(struct part *part) {
  free(part->text);
  free(part);
}

static void write_part(void *item) {
  struct part *part = item;
  if (cs_host_sink_add(part->sink, part->text, part->bytes) && part->is_finding)
    cs_host_degraded(CS_DEGRADED_OUTPUT);
  free_part(part);
}

static void render(const struct cs_host_sink *sink, const struct cs_finding *finding, const struct cs_run *run,
                   FILE *out) {
  const struct cs_format *format = sink->format;
  struct cs_text_options options = cs_host_text_options(format->is_relative);
  options.line_max = sink->is_socket ? CS_HOST_DATAGRAM_MAX : 0;
  if (finding)
    format->finding(finding, &options, out);
  else if (format->run)
    format->run(run, out);
}

/* Returns NULL without memory. */
static struct part *make_part(struct cs_host_sink *sink, const struct cs_finding *finding, const struct cs_run *run) {
  struct part *part = calloc(1, sizeof *part);
  FILE *out = part ? open_memstream(&part->text, &part->bytes) : NULL;
  if (out) {
    part->sink = sink;
    part->is_finding = finding != NULL;
    render(sink, finding, run, out);
    if (fclose(out) == 0)
      return part;
  }
  if (part)
    free_part(part);
  return NULL;
}

/* Whether the finding's bytes exceed what the options allow for a file. */
static int is_over_budget(struct part *part) {
  cs_u64 budget = (cs_u64)cs_options()->report_bytes;
  if (!budget || !part->is_finding)
    return 0;
  int is_over = part->sink->findings_bytes + part->bytes > budget;
  part->sink->findings_bytes += is_over ? 0 : part->bytes;
  return is_over;
}

/* Either a finding or the run. */
static void add(struct cs_host_sink *sink, const struct cs_finding *finding, const struct cs_run *run) {
  struct part *part = make_part(sink, finding, run);
  if (!part)
    lose(&(struct part){.sink = sink, .is_finding = finding != NULL});
  else if (!part->bytes)
    free_part(part);
  else if (is_over_budget(part)) {
    cs_host_degraded(CS_DEGRADED_BUDGET);
    free_part(part);
  } else if (cs_host_writer_put(write_part, part, part->bytes)) {
    lose(part);
    free_part(part);
  }
}

void cs_host_files_add(const struct cs_finding *finding) {
  for (size_t i = 0; i < sink_count; i++)
    add(&sinks[i], finding, NULL);
}

int cs_host_files_wait(int milliseconds) {
  return sink_count ? cs_host_writer_wait(milliseconds) : 0;
}

void cs_host_files_flush(void) {
  enum { PATIENCE_MS = 6000 }; /* locks of shared files have five seconds */
  if (sink_count)
    cs_host_writer_flush(PATIENCE_MS, lose);
}

void cs_host_files_end(const struct cs_run *run) {
  for (size_t i = 0; i < sink_count; i++)
    add(&sinks[i], NULL, run);
  cs_host_files_flush();
  for (size_t i = 0; i < sink_count; i++) {
    cs_u64 lost = __atomic_load_n(&sinks[i].lost_lines, __ATOMIC_RELAXED);
    if (lost && !sinks[i].format->tail)
      cs_host_message(0, "%llu line%s could not be written to '%s'", lost, lost == 1 ? "" : "s", sinks[i].path);
  }
}
