/* tree.h: the syntax tree of a PTX module. All texts end with a 0 and live as long as the module. */
#ifndef CUSAFE_PTX_TREE_H
#define CUSAFE_PTX_TREE_H

#include "ptx/arena.h"

enum cs_ptx_operand_kind {
  CS_PTX_NAME,      /* a register, variable, label or special register, plus offset */
  CS_PTX_INTEGER,   /* value; name is the literal */
  CS_PTX_FLOAT,     /* value: its bits; name is the literal */
  CS_PTX_ADDRESS,   /* [items] */
  CS_PTX_VECTOR,    /* {items} */
  CS_PTX_PAIR,      /* items[0]|items[1] */
  CS_PTX_ARGUMENTS, /* (items), of a call */
  CS_PTX_APPLIED,   /* name(items[0]) plus offset, in an initialiser: generic(x), 0xFF00(x) */
};

struct cs_ptx_operand {
  enum cs_ptx_operand_kind kind;
  int negated;    /* !name */
  int has_offset; /* also "+0": unoptimised machine code differs */
  unsigned bits;  /* of a float: 32 or 64 */
  unsigned count;
  const char *name;
  unsigned long long value;
  long long offset;
  struct cs_ptx_operand *items;
};

/* A declaration in any state space; for registers also "name<count>". */
struct cs_ptx_variable {
  unsigned line;
  const char *linkage; /* ".visible", ".extern", ".weak", ".common" or NULL */
  const char *space;   /* ".reg", ".global", ".shared", ... */
  const char *type;    /* ".b32", ... */
  const char *name;
  const char *attribute;     /* ".managed" or NULL */
  const char *pointer_space; /* of a parameter that is a pointer: ".global", ..., "" for generic; NULL: not one */
  unsigned align;            /* 0: that of the type */
  unsigned pointer_align;    /* 0: unknown */
  unsigned lanes;            /* .v2, .v4; 1 otherwise */
  unsigned registers;        /* the number in "name<8>"; 0: a single name */
  unsigned dimension_count;
  unsigned long long *dimensions; /* 0: the first, left open */
  struct cs_ptx_operand *initial; /* or NULL */
};

struct cs_ptx_instruction {
  const char *predicate; /* or NULL */
  int negated;
  const char *opcode;
  const char **parts; /* the opcode, split at its dots */
  unsigned code;      /* enum cs_ptx_code: the row of its first part in opcodes.inc */
  unsigned part_count, operand_count;
  struct cs_ptx_operand *operands;
};

struct cs_ptx_loc {
  unsigned file, line, column;
  const char *function; /* a label in .debug_str; or NULL: not inlined */
  unsigned function_offset, at_file, at_line, at_column;
};

enum cs_ptx_node_kind {
  CS_PTX_INSTRUCTION,
  CS_PTX_LABEL,
  CS_PTX_DECLARATION,
  CS_PTX_LOC,
  CS_PTX_OPEN, /* { and }: registers are local to them */
  CS_PTX_CLOSE,
  CS_PTX_PRAGMA,
  CS_PTX_TARGETS,   /* "name: .branchtargets a, b;": list, name, the labels are operands */
  CS_PTX_PROTOTYPE, /* "name: .callprototype (...) _ (...);" */
};

struct cs_ptx_function;
struct cs_ptx_node {
  enum cs_ptx_node_kind kind;
  unsigned line;
  const char *text; /* of inline assembly: where the statement starts in it */
  const char *name; /* of a label, list or prototype; the text of a pragma */
  const char *list; /* ".branchtargets" or ".calltargets" */
  union {
    struct cs_ptx_instruction instruction; /* targets: its operands */
    struct cs_ptx_variable *variable;
    struct cs_ptx_loc *loc;
    struct cs_ptx_function *prototype;
  };
};

/* ".maxntid 256, 1, 1", ".noreturn", ".pragma "..."" */
struct cs_ptx_directive {
  const char *name, *text;
  unsigned long long values[3];
  unsigned count;
};

struct cs_ptx_function {
  unsigned line;
  int is_entry, is_defined;
  const char *linkage, *name, *attribute;
  struct cs_ptx_variable *results, *parameters;
  unsigned result_count, parameter_count, directive_count, node_count;
  struct cs_ptx_directive *directives;
  struct cs_ptx_node *nodes;
};

enum cs_ptx_item_kind {
  CS_PTX_HEAD, /* .version, .target, .address_size: name and text */
  CS_PTX_FILE,
  CS_PTX_SECTION, /* name, and its text as it is */
  CS_PTX_VARIABLE,
  CS_PTX_FUNCTION,
  CS_PTX_ALIAS,         /* name and text */
  CS_PTX_MODULE_PRAGMA, /* text */
};

struct cs_ptx_item {
  enum cs_ptx_item_kind kind;
  const char *name, *text;
  unsigned number;                 /* of a file */
  unsigned long long time, length; /* of a file; 0: not given */
  struct cs_ptx_variable *variable;
  struct cs_ptx_function *function;
};

struct cs_ptx_module {
  struct cs_ptx_arena arena;
  struct cs_ptx_item *items;
  unsigned item_count;
};

/* What could not be parsed. */
struct cs_ptx_error {
  unsigned line;
  char text[240];
};

#endif
