/* words.c: reads and writes the words of a SPIR-V module. */
#include "retarget/write/words.h"
#include "ir/memory.h"
#include <stdlib.h>
#include <string.h>

cs_u32 cs_rt_opcode(const cs_u32 *instruction) {
  return *instruction & 0xffff;
}
size_t cs_rt_length(const cs_u32 *instruction) {
  return *instruction >> 16;
}
/* is_sound() has checked the length of the instruction. */
int cs_rt_is_text(const cs_u32 *instruction, size_t at, const char *text) {
  size_t room = (cs_rt_length(instruction) - at) * 4;
  return cs_rt_length(instruction) > at && strlen(text) < room && strcmp((const char *)(instruction + at), text) == 0;
}

static int is_sound(const cs_u32 *words, size_t count) {
  const cs_u32 magic = 0x07230203;
  size_t at = HEADER_WORDS;
  if (count < HEADER_WORDS || words[0] != magic)
    return 0;
  while (at < count && cs_rt_length(words + at) && cs_rt_length(words + at) <= count - at)
    at += cs_rt_length(words + at);
  return at == count;
}

int cs_rt_read_words(struct cs_rt_words *words, LLVMMemoryBufferRef spirv) {
  size_t count = LLVMGetBufferSize(spirv) / sizeof(cs_u32);
  *words = (struct cs_rt_words){.from = cs_ir_allocate(count, sizeof(cs_u32)), .count = count};
  memcpy(words->from, LLVMGetBufferStart(spirv), count * sizeof(cs_u32));
  LLVMDisposeMemoryBuffer(spirv);
  if (!is_sound(words->from, count)) {
    free(words->from);
    return -1;
  }
  words->bound = words->from[BOUND];
  cs_rt_put_all(words, words->from, HEADER_WORDS);
  return 0;
}

LLVMMemoryBufferRef cs_rt_written(struct cs_rt_words *words) {
  words->words[BOUND] = words->bound;
  LLVMMemoryBufferRef made =
      LLVMCreateMemoryBufferWithMemoryRangeCopy((const char *)words->words, words->used * sizeof(cs_u32), "spirv");
  free(words->from);
  free(words->words);
  return made;
}

static void put(struct cs_rt_words *words, cs_u32 word) {
  if (words->used == words->room)
    words->words = cs_ir_resized(words->words, (words->room = 2 * words->room + 1024) * sizeof word);
  words->words[words->used++] = word;
}

void cs_rt_put_all(struct cs_rt_words *words, const cs_u32 *all, size_t count) {
  for (size_t i = 0; i < count; i++)
    put(words, all[i]);
}

void cs_rt_put_text(struct cs_rt_words *words, cs_u32 op, cs_u32 result, const char *text) {
  size_t length = strlen(text), count = length / 4 + 1;
  put(words, (cs_u32)(count + (result ? 2 : 1)) << 16 | op);
  if (result)
    put(words, result);
  for (size_t i = 0; i < count; i++) {
    cs_u32 word = 0;
    for (size_t k = 0; k < 4 && 4 * i + k < length; k++)
      word |= (cs_u32)(unsigned char)text[4 * i + k] << 8 * k;
    put(words, word);
  }
}
