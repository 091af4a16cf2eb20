/* sites.h: numbers the checks of a module, and builds the table from which the host looks up a number. */
#ifndef CUSAFE_PASS_MODULE_SITES_H
#define CUSAFE_PASS_MODULE_SITES_H

#include "cusafe/abi.h"
#include "cusafe/predicate.h"
#include "ir/map.h"
#include "pass/module/headers.h"
#include <llvm-c/Core.h>

struct cs_pass_sites {
  struct cs_site *sites;
  size_t site_count;
  struct cs_frame *frames;
  size_t frame_count;
  char *strings;
  size_t string_bytes;
  cs_u32 directory;
  /* launch/forms.c adds the kernels' forms. */
  struct cs_form *forms;
  size_t form_count;
  struct cs_kernel_parameter *parameters;
  size_t parameter_count;
  struct cs_operation *operations;
  size_t operation_count;
  cs_u64 *constants;
  size_t constant_count;
  struct cs_ir_map frame_of;   /* debug location -> frame number + 1 */
  struct cs_ir_map same_frame; /* hash of a frame -> its number + 1 */
  struct cs_ir_map same;       /* hash of a site -> its number + 1 */
  struct cs_ir_map caller_of;  /* function of a header -> frame number of its only call + 1 */
  struct cs_pass_headers headers;
  struct cs_ir_map string_of; /* interned text's address in LLVM -> offset + 1 */
};

/* Returns the number of the instruction's site: a new one unless an equal one exists. The caller fills access, size,
 * memory, check and align; kernel and object (the variable's name) may be NULL. */
cs_u32 cs_pass_sites_add(struct cs_pass_sites *sites, LLVMValueRef instruction, struct cs_site site,
                         LLVMValueRef kernel, const char *object);

/* The offset of the text in the table's string pool. The text must keep its address until the table is emitted. */
cs_u32 cs_pass_sites_text(struct cs_pass_sites *sites, const char *text, size_t length);

/* Defines __cs_module and __cs_counts in the module. The caller fills the header's placement,
 * object_count, pointer_count and flags. */
void cs_pass_sites_emit(const struct cs_pass_sites *sites, LLVMModuleRef module, struct cs_module header);
void cs_pass_sites_free(struct cs_pass_sites *sites);

#endif
