/* objects.h: the variables that a module names: their bounds, and the escaping form of their addresses.
 *
 * A variable is described when a root turns out to be one. While functions are read, it is marked (escapes, outlived).
 * Then it gets a window, a prefix or a number (metadata.c), which the written checks and escapes use. */
#ifndef CUSAFE_PASS_VARIABLES_OBJECTS_H
#define CUSAFE_PASS_VARIABLES_OBJECTS_H

#include "pass/module/pass.h"

struct cs_pass_variable {
  LLVMValueRef value; /* the alloca, global, parameter in memory or lent parameter, before metadata.c replaces it */
  enum cs_memory memory;
  char *name;
  cs_u64 bytes;   /* 0: only the launch knows */
  int escapes;    /* its address leaves the function by memory, call or return */
  int given_away; /* uninstrumented code gets its address and reads plain pointers in it: printf's arguments */
  int outlived;   /* a pointer to it may be used after its scope */
  /* LLVM has seen the scope: a direct read after it may be LLVM's own, one arm of a choice whose value nothing uses. */
  int is_read_ahead;

  LLVMValueRef start;  /* where it is now, as a generic pointer */
  LLVMValueRef window; /* local in a window: the window */
  cs_u32 tag;          /* and its tag; 0: not in a window */
  cs_u32 prefix;       /* bytes before the variable: from the window's start, or of the shared prefix */
  LLVMValueRef kernel; /* shared: the only kernel that uses it, */
  int is_common;       /* or several do, or it is not known */
  int has_prefix;      /* shared: with a metadata word before it */
  cs_u32 number;       /* module variable: its number + 1; 0: none */
};

/* The variable that a root is, or NULL. */
struct cs_pass_variable *cs_pass_variable_of(struct cs_pass *pass, LLVMValueRef root);

/* Its description by itself, without a name: nothing refers to it later. */
struct cs_pass_variable cs_pass_describe(struct cs_pass *pass, LLVMValueRef variable);

/* 1 for a parameter that is passed by value in memory. */
int cs_pass_is_parameter_in_memory(LLVMValueRef value);
cs_u64 cs_pass_parameter_bytes(struct cs_pass *pass, LLVMValueRef parameter); /* of such a parameter */

/* The type of such a parameter, and of a result that is returned in memory; NULL for other values and for kernels. */
LLVMTypeRef cs_pass_type_in_memory(LLVMValueRef value);
LLVMAttributeRef cs_pass_parameter_attribute(LLVMValueRef parameter, const char *name);

/* Of an alloca or a global. The name is the caller's to free. */
enum cs_memory cs_pass_memory_of(LLVMValueRef variable);
char *cs_pass_name_of(LLVMValueRef variable);

/* The start of the module's variable with this name, as a generic pointer; NULL if the code no longer uses it, and for
 * locals, whose names are not unique. */
LLVMValueRef cs_pass_start_of(struct cs_pass *pass, enum cs_memory memory, const char *name);

/* The size of the variable in bytes, at the builder's position. */
LLVMValueRef cs_pass_variable_bytes(struct cs_pass *pass, const struct cs_pass_variable *variable);

/* The escaping form of a pointer derived from the variable; the pointer itself if it has none. */
LLVMValueRef cs_pass_variable_close(struct cs_pass *pass, const struct cs_pass_variable *variable,
                                    LLVMValueRef pointer);

void cs_pass_objects_free(struct cs_pass *pass);

#endif
