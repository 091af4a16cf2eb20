/* lend.c: decides which parameters only ever point to variables that the callers name.
 *
 * A function that is passed the address of a variable, and neither stores nor returns it, needs no metadata to find the
 * bounds: all of its calls are in this module, and each names the variable. If the function accesses the parameter at
 * constant offsets only, each call proves that they are inside of the variable, and no check remains. Otherwise the
 * callers must agree on the size, with which the callee checks. If one call has nothing to offer, the parameter is
 * refused, and its calls pass the escaping form. */
#include "pass/calls/lend.h"
#include "pass/calls/uses.h"
#include "pass/variables/markers.h"
#include "pass/variables/objects.h"

/* What a call has to offer: the bytes from the pointer to the variable's end, and the alignment of the variable. */
struct offer {
  struct cs_pass_loan loan;
  unsigned align;
  int is_pending; /* a parameter of which no call has been seen yet */
};

static struct offer offer_of_variable(struct cs_pass *pass, const struct cs_pass_passing *passing) {
  struct cs_pass_variable v = cs_pass_describe(pass, passing->root);
  if (LLVMIsAAllocaInst(passing->root) && cs_pass_is_used_after_scope(passing->root, passing->call))
    return (struct offer){0};
  unsigned align = LLVMGetAlignment(passing->root);
  return (struct offer){.loan = {v.bytes, v.memory}, .align = align ? align : 1};
}

static struct offer offer_of(struct cs_pass *pass, const struct cs_pass_uses *uses,
                             const struct cs_pass_passing *passing) {
  LLVMValueRef root = passing->root;
  const struct cs_pass_parameter *p = root ? cs_ir_map_get(&uses->parameters, root) : NULL;
  if (root == NULL || passing->offset < 0 || (p && (p->kept || p->is_refused)))
    return (struct offer){0};
  if (p)
    return (struct offer){.loan = p->loan, .align = p->align, .is_pending = p->loan.bytes == 0};
  if (LLVMIsAAllocaInst(root) || (LLVMIsAGlobalVariable(root) && !LLVMIsDeclaration(root)))
    return offer_of_variable(pass, passing);
  return (struct offer){0};
}

/* What the target gets of the offer; bytes 0: it is not enough. */
static struct cs_pass_loan loan_by(const struct offer *offer, long long at, const struct cs_pass_parameter *target) {
  cs_u64 bytes = offer->loan.bytes, offset = (cs_u64)at;
  if (bytes == 0 || target->kept || target->is_refused || offer->align % target->align || offset % target->align)
    return (struct cs_pass_loan){0};
  if (target->indexed)
    return offset == 0 ? offer->loan : (struct cs_pass_loan){0};
  if (offset + target->end > bytes)
    return (struct cs_pass_loan){0};
  return (struct cs_pass_loan){target->end ? target->end : 1, CS_MEMORY_LOCAL}; /* no check needs the memory */
}

static int refuse(struct cs_pass_parameter *p) {
  int changed = !p->is_refused;
  p->is_refused = 1;
  return changed;
}

static int accept(struct cs_pass_parameter *target, struct cs_pass_loan loan) {
  if (target->is_refused)
    return 0;
  if (target->loan.bytes == 0) {
    target->loan = loan;
    return 1;
  }
  return target->loan.bytes == loan.bytes && target->loan.memory == loan.memory ? 0 : refuse(target);
}

/* A refused target takes the plain address as well if the call proves that all its accesses are inside. */
static int takes_plain(const struct offer *offer, long long at, const struct cs_pass_parameter *target) {
  struct cs_pass_parameter asked = *target;
  if (target->is_refused && target->indexed)
    return 0;
  asked.is_refused = 0;
  return loan_by(offer, at, &asked).bytes != 0;
}

static int is_plain(const struct offer *offer, const struct cs_pass_passing *passing) {
  int plain = !passing->is_open;
  for (size_t i = 0; plain && i < passing->target_count; i++)
    plain = takes_plain(offer, passing->offset, passing->targets[i]);
  return plain;
}

/* All that a call may reach get the same pointer: if one needs the escaping form, none may expect a plain address. A
 * parameter that is lent has no escaping form either. */
static int refuse_all(const struct cs_pass_uses *uses, const struct cs_pass_passing *passing) {
  struct cs_pass_parameter *p = passing->root ? cs_ir_map_get(&uses->parameters, passing->root) : NULL;
  int changed = p ? refuse(p) : 0;
  for (size_t i = 0; i < passing->target_count; i++)
    changed |= refuse(passing->targets[i]);
  return changed;
}

/* Returns 1 if something has changed. */
static int settle(struct cs_pass *pass, const struct cs_pass_uses *uses, const struct cs_pass_passing *passing) {
  struct offer offer = offer_of(pass, uses, passing);
  int changed = 0;
  if (offer.is_pending)
    return 0;
  if (!is_plain(&offer, passing))
    return refuse_all(uses, passing);
  for (size_t i = 0; i < passing->target_count; i++)
    if (!passing->targets[i]->is_refused)
      changed |= accept(passing->targets[i], loan_by(&offer, passing->offset, passing->targets[i]));
  return changed;
}

int cs_pass_lend_variables(struct cs_pass *pass) {
  struct cs_pass_uses uses = cs_pass_uses_read(pass);
  for (int changed = 1; changed;) {
    changed = 0;
    for (size_t i = 0; i < uses.passing_count; i++)
      changed |= settle(pass, &uses, &uses.passings[i]);
  }
  for (size_t i = 0; i < uses.passing_count; i++) {
    const struct cs_pass_passing *passing = &uses.passings[i];
    struct offer offer = offer_of(pass, &uses, passing);
    if (!offer.is_pending && is_plain(&offer, passing))
      cs_pass_set_lent(pass, passing->call, passing->argument);
  }
  for (size_t i = 0; i < uses.parameters.capacity; i++) {
    const struct cs_pass_parameter *p = uses.parameters.entries[i].value;
    if (p && !p->kept && !p->is_refused && p->loan.bytes)
      cs_pass_set_loan(pass, p->value, p->loan);
  }
  cs_pass_uses_free(&uses);
  return 0;
}
