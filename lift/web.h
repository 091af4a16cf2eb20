/* web.h: the integers of a function that may be addresses, and what is known about each. */
#ifndef CUSAFE_LIFT_WEB_H
#define CUSAFE_LIFT_WEB_H

#include "lift/unit.h"

enum cs_lift_step {
  CS_LIFT_NUMBER,  /* never an address: a constant, a product, a shift, ... */
  CS_LIFT_POINTER, /* ptrtoint */
  CS_LIFT_LEAF,    /* a 64-bit value from elsewhere: loaded, passed, returned */
  CS_LIFT_SUM,     /* add, sub */
  CS_LIFT_JOIN,    /* phi, select */
  CS_LIFT_COPY,    /* freeze; zext and trunc between 32 and 64 bits */
};

struct cs_lift_node {
  LLVMValueRef value;
  enum cs_lift_step step;
  int is_number;     /* no address can reach it */
  int is_demanded;   /* an access reaches it by steps that leave one candidate */
  int is_pointer;    /* proven */
  int is_banned;     /* addresses of different spaces meet here */
  unsigned space;    /* of the pointer: generic, shared or const */
  LLVMValueRef form; /* the pointer; pointers.c */
};

struct cs_lift_web {
  struct cs_lift_unit *unit;
  LLVMValueRef function;
  struct cs_lift_node **nodes;
  unsigned count;
  struct cs_ir_map by_value;
  struct cs_lift_node **marked; /* by the demand of one access, while it is inspected */
  unsigned marked_count;
};

/* Analyses the function. */
void cs_lift_web_read(struct cs_lift_web *web, struct cs_lift_unit *unit, LLVMValueRef function);
void cs_lift_web_free(struct cs_lift_web *web);
/* The node of a value; NULL: it is no integer that was found. */
struct cs_lift_node *cs_lift_node(const struct cs_lift_web *web, LLVMValueRef value);
/* Operands of a join, a copy or a sum: the values that the result may be, or the two sides. */
unsigned cs_lift_operand_count(const struct cs_lift_node *node);
LLVMValueRef cs_lift_operand(const struct cs_lift_node *node, unsigned index);
/* The side of a sum that is the address. */
LLVMValueRef cs_lift_base(const struct cs_lift_web *web, const struct cs_lift_node *sum);
/* Null or undefined: it joins any pointer. */
int cs_lift_is_nothing(LLVMValueRef value);

#endif
