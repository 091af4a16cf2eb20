/* objects.h: the variables that a module names: their bounds, and how their addresses leave.
 *
 * Life of an object: found by objects.c when a root turns out to be a variable; marked while functions are read (escapes,
 * outlived); given a window, a prefix or a number by cs_pass_objects_place(); used when the checks are written. */
#ifndef CUSAFE_PASS_OBJECTS_H
#define CUSAFE_PASS_OBJECTS_H

#include "pass/pass.h"

struct cs_pass_variable {
  LLVMValueRef value; /* the alloca, global or parameter in memory as it was in the source's module */
  enum cs_memory memory;
  char *name;
  cs_u64 bytes;   /* 0: only the launch knows */
  int escapes;    /* its address leaves the function by memory, call or return */
  int given_away; /* code that is not instrumented gets its address, and reads plain pointers in it: printf's arguments */
  int outlived;   /* a pointer to it may be used after its scope */

  LLVMValueRef start;  /* where it is now, as a generic pointer */
  LLVMValueRef window; /* local in a window: the window */
  cs_u32 tag;          /* and its tag; 0: not in a window */
  cs_u32 prefix;       /* how far inside it, or behind its shared word's place, the variable lies */
  LLVMValueRef kernel; /* shared: the only kernel that it is for, */
  int is_common;       /* or there are several, or nobody knows */
  int has_prefix;      /* with a word in front */
  cs_u32 number;       /* module variable: its number + 1; 0: none */
};

/* The variable that a root is, or NULL. */
struct cs_pass_variable *cs_pass_variable_of(struct cs_pass *pass, LLVMValueRef root);

/* 1 for a parameter that is passed by value in memory. */
int cs_pass_is_parameter_in_memory(LLVMValueRef value);
cs_u64 cs_pass_parameter_bytes(struct cs_pass *pass, LLVMValueRef parameter); /* of such a one */

/* The type of such a parameter, and of a result that is returned in memory; NULL for other values and for kernels. */
LLVMTypeRef cs_pass_type_in_memory(LLVMValueRef value);
LLVMAttributeRef cs_pass_parameter_attribute(LLVMValueRef parameter, const char *name);

/* Of an alloca or a global. The name is the caller's to free. */
enum cs_memory cs_pass_memory_of(LLVMValueRef variable);
char *cs_pass_name_of(LLVMValueRef variable);

/* Where the module's variable of this name is, as a generic pointer; NULL if the code uses none such any more. A local's name does
 * not tell which one it is. */
LLVMValueRef cs_pass_start_of(struct cs_pass *pass, enum cs_memory memory, const char *name);

/* How many bytes the variable has at the builder's place. */
LLVMValueRef cs_pass_variable_bytes(struct cs_pass *pass, const struct cs_pass_variable *variable);

/* The escaping form of a pointer derived from the variable; the pointer itself if it has none. */
LLVMValueRef cs_pass_variable_close(struct cs_pass *pass, const struct cs_pass_variable *variable,
                                    LLVMValueRef pointer);

void cs_pass_objects_free(struct cs_pass *pass);

#endif
