/* words.h: the words of a SPIR-V module, read once and written again with changes. */
#ifndef CUSAFE_RETARGET_WRITE_WORDS_H
#define CUSAFE_RETARGET_WRITE_WORDS_H

#include "cusafe/layout.h"
#include <llvm-c/Core.h>

/* Opcodes and constants of SPIR-V. */
enum {
  HEADER_WORDS = 5,
  BOUND = 3, /* the word of the header that every id is less than */
  OP_NAME = 5,
  OP_STRING = 7,
  OP_LINE = 8,
  OP_EXTENSION = 10,
  OP_IMPORT = 11,
  OP_EXT_INST = 12,
  OP_MEMORY_MODEL = 14,
  OP_ENTRY_POINT = 15,
  OP_EXECUTION_MODE = 16,
  OP_CAPABILITY = 17,
  OP_TYPE_VOID = 19,
  OP_TYPE_INT = 21,
  OP_TYPE_POINTER = 32,
  OP_CONSTANT = 43,
  OP_FUNCTION = 54,
  OP_FUNCTION_END = 56,
  OP_CALL = 57,
  OP_VARIABLE = 59,
  OP_LOAD = 61,
  OP_DECORATE = 71,
  OP_POINTER_TO_INTEGER = 117,
  OP_INTEGER_TO_POINTER = 120,
  OP_BITCAST = 124,
  OP_LABEL = 248,
  OP_EXECUTION_MODE_ID = 331,
  OP_FUNCTION_POINTER = 5600, /* of SPV_INTEL_function_pointers */
  OP_POINTER_CALL = 5601,
  FUNCTION_POINTERS = 5603, /* capability */
  CROSS_WORKGROUP = 5,      /* storage classes */
  CODE_SECTION = 5605,
  VOLATILE_AND_ALIGNED = 3 /* of a load */
};

struct cs_rt_words {
  cs_u32 *from; /* the module that was read */
  size_t count;
  cs_u32 *words; /* the one that is written: it starts with the same header */
  size_t used, room;
  cs_u32 bound; /* the next id */
};

/* Consumes the buffer. -1 if it is not SPIR-V. */
int cs_rt_read_words(struct cs_rt_words *words, LLVMMemoryBufferRef spirv);
/* The module that was written; frees the words. */
LLVMMemoryBufferRef cs_rt_written(struct cs_rt_words *words);

void cs_rt_put_all(struct cs_rt_words *words, const cs_u32 *all, size_t count);
/* An instruction with a result, unless that is 0, and a text. */
void cs_rt_put_text(struct cs_rt_words *words, cs_u32 op, cs_u32 result, const char *text);

cs_u32 cs_rt_opcode(const cs_u32 *instruction);
size_t cs_rt_length(const cs_u32 *instruction);
/* Whether the instruction has this text at its word `at`. */
int cs_rt_is_text(const cs_u32 *instruction, size_t at, const char *text);

#endif
