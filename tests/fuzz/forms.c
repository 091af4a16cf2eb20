/* forms.c: the launch predicates in a module's table, found and evaluated. The table is copied from device memory. */
#include "host/launch/predicate.h"
#include "report/sites.h"
#include "tests/fuzz/fuzz.h"

static struct cs_host_buffer_bounds bounds_of(cs_u64 pointer) {
  return (struct cs_host_buffer_bounds){pointer & ~0xffull, pointer & 0xff};
}

static void evaluate(const struct cs_host_form *found) {
  static const char value[65536];
  const char *parameters[256];
  cs_u64 bounds[CS_FORM_BOUNDS];
  struct cs_host_launch_values launch = {{9, 2, 1}, {32, 1, 1}, 64, parameters, bounds_of};
  struct cs_host_form *form = cs_host_form_copy(found);
  if (!form)
    abort();
  for (cs_u32 i = 0; i < 256; i++)
    parameters[i] = value;
  if (form->form.parameter_count <= 256)
    cs_host_predicate_holds(form, &launch, bounds);
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
