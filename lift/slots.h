/* slots.h: values that a function keeps in its local memory. */
#ifndef CUSAFE_LIFT_SLOTS_H
#define CUSAFE_LIFT_SLOTS_H

#include "lift/unit.h"

/* The 64-bit slots of local memory whose loads and stores all have one constant offset, and that no load shows to hold
 * a number: a store to one and a load of it are steps between the same value. */
struct cs_lift_slots {
  struct cs_lift_slot_access *accesses; /* those of one slot are adjacent */
  unsigned count;
};

void cs_lift_slots_read(struct cs_lift_slots *slots, struct cs_lift_unit *unit, LLVMValueRef function);
void cs_lift_slots_free(struct cs_lift_slots *slots);
/* The number of accesses to one slot, from the access at this index on. */
unsigned cs_lift_slot_length(const struct cs_lift_slots *slots, unsigned index);
/* The integer that an access loads or stores. */
LLVMValueRef cs_lift_slot_value(const struct cs_lift_slots *slots, unsigned index);
/* Whether a value is a parameter, or loaded from one or from a slot. */
int cs_lift_is_from_parameter(const struct cs_lift_slots *slots, LLVMValueRef value);
int cs_lift_slot_is_load(const struct cs_lift_slots *slots, unsigned index);

#endif
