/* unit.h: the module that is lifted, and the function that is being written. */
#ifndef CUSAFE_LIFT_UNIT_H
#define CUSAFE_LIFT_UNIT_H

#include "ir/map.h"
#include "ptx/opcode.h"
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

/* What steps return after a message. */
enum { CS_LIFT_REFUSED = -1, CS_LIFT_BUG = -2 };

/* What a name means: a register, or something with an address. */
struct cs_lift_symbol {
  enum { CS_LIFT_REGISTER, CS_LIFT_VARIABLE, CS_LIFT_PARAMETER, CS_LIFT_FUNCTION, CS_LIFT_RANGE } kind;
  unsigned bits;                          /* of a register; 1: a predicate */
  LLVMTypeRef type;                       /* of the variable, of a scalar parameter, or of the function */
  LLVMValueRef value;                     /* the address; of a register: its slot, or NULL before its first use */
  const struct cs_ptx_function *function; /* its definition, or its first declaration */
  const struct cs_ptx_variable *variable; /* of the module; NULL: of a function */
  unsigned depth, order;    /* of the declaration in a function: how deep its scope is nested, and its number */
  unsigned count;           /* of a range: the number of registers */
  struct cs_ir_map members; /* of a range: the registers that were used */
};

struct cs_lift_unit {
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMBuilderRef builder;
  LLVMDIBuilderRef lines;
  const struct cs_ptx_module *ptx;
  struct cs_ptx_arena arena;  /* symbols, and names that the text does not have */
  struct cs_ir_map symbols;   /* of the module: name to struct cs_lift_symbol */
  struct cs_ir_map strings;   /* labels of .debug_str: name to text */
  struct cs_ir_map files;     /* of .file: number + 1 to LLVMMetadataRef */
  struct cs_ir_map functions; /* LLVMMetadataRef of functions that were inlined, by name */
  struct cs_ir_map frames;    /* variables of blocks of local memory; frames.c */
  LLVMMetadataRef compile_unit;
  LLVMTypeRef i1, i8, i16, i32, i64, ptr;
  unsigned refused;
  const char *path;
  struct cs_lift_unit *next; /* the next input; link.c */
};

struct cs_lift_function {
  struct cs_lift_unit *unit;
  const struct cs_ptx_function *ptx;
  LLVMValueRef value;
  LLVMBasicBlockRef entry; /* allocas; its terminator is written last */
  LLVMBuilderRef builder, allocas;
  struct cs_ir_map symbols;          /* registers, parameters, local variables: name to struct cs_lift_symbol */
  struct cs_ir_map labels;           /* name and scope to LLVMBasicBlockRef */
  struct cs_ir_map targets;          /* .branchtargets and .callprototype: name to struct cs_ptx_node */
  struct cs_lift_shadowed *shadowed; /* what names meant outside the scopes that declare them again */
  struct cs_lift_symbol **ranges;
  unsigned *parents; /* of scopes, by number; 0 is the function's own */
  unsigned shadowed_count, range_count, symbol_count, scope_count, opened, scope, depth;
  char *key; /* of a map, while it is searched */
  size_t key_size;
  struct cs_lift_frame *frame;   /* the local variables; NULL: they are one block */
  struct cs_lift_symbol *result; /* the parameter that holds it; NULL: none */
  LLVMValueRef carry;            /* the condition code, an i1; NULL before its first use */
  LLVMMetadataRef program;       /* the function's DISubprogram */
  struct cs_ir_map calls;        /* source locations that code was inlined at */
  unsigned line;                 /* of the PTX text */
  int ended;                     /* the current block has its terminator */
};

/* Reports a construct that cannot be lifted: "PATH:LINE: 'WHAT' cannot be lifted". */
void cs_lift_refuse(struct cs_lift_unit *unit, unsigned line, const char *what);
/* Reports PTX that is invalid: "PATH:LINE: 'NAME' WHY". */
void cs_lift_reject(struct cs_lift_unit *unit, unsigned line, const char *name, const char *why);
/* As cs_lift_refuse, at the current line. Returns an undefined value of the type. */
LLVMValueRef cs_lift_refuse_value(struct cs_lift_function *f, const char *what, LLVMTypeRef type);

/* Whether the text is code of nvcc -G: ".target sm_90, debug". */
int cs_lift_is_for_debugging(const struct cs_lift_unit *unit);

LLVMTypeRef cs_lift_integer(struct cs_lift_unit *unit, unsigned bits);
/* Addresses in local memory and in parameters are generic. */
LLVMTypeRef cs_lift_pointer(struct cs_lift_unit *unit, unsigned space);
LLVMValueRef cs_lift_number(struct cs_lift_unit *unit, unsigned bits, unsigned long long value);
/* A call of an intrinsic; types are those that its name depends on. */
LLVMValueRef cs_lift_intrinsic(struct cs_lift_function *f, const char *name, LLVMTypeRef *types, unsigned type_count,
                               LLVMValueRef *args, unsigned count);

#endif
