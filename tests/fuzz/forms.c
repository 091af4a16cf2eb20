/* forms.c: the launch predicates in a module's table, found and evaluated. The table is copied from device memory. */
#include "host/launch/decided.h"
#include "report/sites.h"
#include "tests/fuzz/fuzz.h"

static struct cs_host_buffer_bounds bounds_of(cs_u64 pointer) {
  return (struct cs_host_buffer_bounds){pointer & ~0xffull, pointer & 0xff};
}

static void bounds_of_all(const cs_u64 *pointers, unsigned count, struct cs_host_buffer_bounds *bounds) {
  for (unsigned i = 0; i < count; i++)
    bounds[i] = bounds_of(pointers[i]);
}

/* Decided, remembered, and decided as a launch alike; the second answer must be the first. */
static void decide(struct cs_host_form *form, const struct cs_host_launch_values *launch) {
  cs_u64 bounds[CS_FORM_BOUNDS], again[CS_FORM_BOUNDS];
  struct cs_host_alike_key key;
  struct cs_host_asked asked;
  struct cs_host_decided *decided = cs_host_decided_make(form);
  if (!decided)
    abort();
  cs_host_decided_ask(form, launch, 1, &asked);
  if (!cs_host_decided_alike(decided, form, launch, &asked, &key, bounds) &&
      cs_host_predicate_holds(form, launch, &key.found, bounds)) {
    int are_alike = key.count != 0;
    cs_host_decided_add(decided, form, &asked, &key, bounds);
    if (cs_host_decided_alike(decided, form, launch, &asked, &key, again) != are_alike ||
        (are_alike && memcmp(bounds, again, form->form.bound_count * sizeof *bounds) != 0))
      abort();
  }
  cs_host_decided_delete(decided);
}

static void evaluate(const struct cs_host_form *found) {
  static const char value[65536];
  const char *parameters[256];
  struct cs_host_launch_values launch = {{9, 2, 1}, {32, 1, 1}, 64, parameters, bounds_of, bounds_of_all};
  struct cs_host_form *form = cs_host_form_copy(found);
  if (!form)
    abort();
  for (cs_u32 i = 0; i < 256; i++)
    parameters[i] = value;
  if (form->form.parameter_count <= 256)
    decide(form, &launch);
  free(form);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct cs_report_sites sites;
  struct cs_host_form form;
  char *table = fuzz_text(data, size);
  const struct cs_module *m = (const struct cs_module *)table;
  int sound = size >= sizeof *m && cs_report_sites_open(&sites, table, size) == 0 && m->string_bytes &&
              !table[m->string_offset + m->string_bytes - 1];
  for (cs_u32 at = 0; sound && at < m->string_bytes; at += (cs_u32)strlen(table + m->string_offset + at) + 1)
    if (cs_host_form_find(m, table + m->string_offset + at, &form) == 0)
      evaluate(&form);
  free(table);
  return 0;
}
