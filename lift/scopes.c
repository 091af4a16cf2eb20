/* scopes.c: the names of a function, which are local to the blocks that declare them. */
#include "lift/scopes.h"
#include "ir/memory.h"
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cs_lift_shadowed {
  const char *name; /* NULL: the start of a scope */
  struct cs_lift_symbol *symbol;
};

/* "NAME<" of a range of registers, "NAME<7" of a label in scope 7: keys that are no names. Valid until the next
 * call. */
static const char *key_of(struct cs_lift_function *f, const char *name, size_t length, const char *suffix) {
  size_t size = length + strlen(suffix) + 2;
  if (f->key_size < size) {
    free(f->key);
    f->key_size = 2 * size;
    f->key = cs_ir_allocate(f->key_size, 1);
  }
  snprintf(f->key, f->key_size, "%.*s<%s", (int)length, name, suffix);
  return f->key;
}

static const char *kept(struct cs_lift_function *f, const char *key) {
  return cs_ptx_copy(&f->unit->arena, key, strlen(key));
}

/* --- Symbols --- */

static void add_shadowed(struct cs_lift_function *f, const char *name, struct cs_lift_symbol *symbol) {
  cs_ir_push(f->shadowed, f->shadowed_count, (struct cs_lift_shadowed){name, symbol});
}

void cs_lift_name_symbol(struct cs_lift_function *f, const char *name, struct cs_lift_symbol *symbol) {
  struct cs_lift_symbol *before = cs_ir_map_get_name(&f->symbols, name);
  if (before && before->depth == f->depth)
    cs_lift_reject(f->unit, f->line, name, "is declared twice");
  symbol->depth = f->depth;
  symbol->order = ++f->symbol_count;
  add_shadowed(f, name, before);
  cs_ir_map_set_name(&f->symbols, name, symbol);
}

struct cs_lift_symbol *cs_lift_new_symbol(struct cs_lift_function *f, const char *name, int kind) {
  struct cs_lift_symbol *symbol = cs_ptx_allocate(&f->unit->arena, sizeof *symbol);
  symbol->kind = kind;
  cs_lift_name_symbol(f, name, symbol);
  return symbol;
}

void cs_lift_new_range(struct cs_lift_function *f, const char *name, unsigned count, unsigned bits) {
  const char *key = kept(f, key_of(f, name, strlen(name), ""));
  struct cs_lift_symbol *range = cs_lift_new_symbol(f, key, CS_LIFT_RANGE);
  range->bits = bits;
  range->count = count;
  cs_ir_push(f->ranges, f->range_count, range);
}

static struct cs_lift_symbol *member(struct cs_lift_function *f, struct cs_lift_symbol *range, unsigned long number) {
  const void *key = (const void *)((uintptr_t)(number + 1) << 4); /* maps hash addresses, whose low bits are equal */
  struct cs_lift_symbol *symbol = cs_ir_map_get(&range->members, key);
  if (!symbol) {
    symbol = cs_ptx_allocate(&f->unit->arena, sizeof *symbol);
    symbol->kind = CS_LIFT_REGISTER;
    symbol->bits = range->bits;
    cs_ir_map_set(&range->members, key, symbol);
  }
  return symbol;
}

/* The last declaration is the one of the innermost scope: "%r12" is a name, or in the range %r, or in the range %r1. */
struct cs_lift_symbol *cs_lift_symbol(struct cs_lift_function *f, const char *name) {
  enum { MAX_DIGITS = 9 };
  size_t length = strlen(name);
  unsigned long number = 0, found_number = 0, unit = 1;
  struct cs_lift_symbol *found = cs_ir_map_get_name(&f->symbols, name);
  for (size_t k = 1; k < length && k <= MAX_DIGITS && name[length - k] >= '0' && name[length - k] <= '9'; k++) {
    number += unit * (unsigned long)(name[length - k] - '0');
    unit *= 10;
    struct cs_lift_symbol *range = cs_ir_map_get_name(&f->symbols, key_of(f, name, length - k, ""));
    if (range && number < range->count && (!found || range->order > found->order)) {
      found = range;
      found_number = number;
    }
  }
  if (!found)
    return cs_ir_map_get_name(&f->unit->symbols, name);
  return found->kind == CS_LIFT_RANGE ? member(f, found, found_number) : found;
}

/* --- Labels --- */

static const char *label_key(struct cs_lift_function *f, const char *name, unsigned scope) {
  char number[16];
  snprintf(number, sizeof number, "%u", scope);
  return key_of(f, name, strlen(name), number);
}

static unsigned add_scope(struct cs_lift_function *f, unsigned parent) {
  cs_ir_push(f->parents, f->scope_count, parent);
  return f->scope_count - 1;
}

void cs_lift_collect_labels(struct cs_lift_function *f) {
  unsigned scope = add_scope(f, UINT_MAX);
  for (unsigned k = 0; k < f->ptx->node_count; k++) {
    const struct cs_ptx_node *node = &f->ptx->nodes[k];
    if (node->kind == CS_PTX_OPEN)
      scope = add_scope(f, scope);
    else if (node->kind == CS_PTX_CLOSE)
      scope = f->parents[scope];
    if (node->kind != CS_PTX_LABEL)
      continue;
    const char *key = label_key(f, node->name, scope);
    if (cs_ir_map_get_name(&f->labels, key))
      cs_lift_reject(f->unit, node->line, node->name, "is declared twice");
    else
      cs_ir_map_set_name(&f->labels, kept(f, key), LLVMAppendBasicBlockInContext(f->unit->context, f->value, ""));
  }
}

LLVMBasicBlockRef cs_lift_label(struct cs_lift_function *f, const char *name) {
  for (unsigned scope = f->scope; scope != UINT_MAX; scope = f->parents[scope]) {
    LLVMBasicBlockRef block = cs_ir_map_get_name(&f->labels, label_key(f, name, scope));
    if (block)
      return block;
  }
  return NULL;
}

/* --- Scopes: numbered in the order of the text, as they were when the labels were collected --- */

void cs_lift_open_scope(struct cs_lift_function *f) {
  add_shadowed(f, NULL, NULL);
  f->depth++;
  f->scope = ++f->opened;
}

void cs_lift_close_scope(struct cs_lift_function *f) {
  while (f->shadowed_count && f->shadowed[--f->shadowed_count].name)
    cs_ir_map_set_name(&f->symbols, f->shadowed[f->shadowed_count].name, f->shadowed[f->shadowed_count].symbol);
  f->depth--;
  f->scope = f->parents[f->scope];
}

void cs_lift_free_scopes(struct cs_lift_function *f) {
  for (unsigned k = 0; k < f->range_count; k++)
    cs_ir_map_free(&f->ranges[k]->members);
  cs_ir_map_free(&f->symbols);
  cs_ir_map_free(&f->labels);
  free(f->ranges);
  free(f->shadowed);
  free(f->parents);
  free(f->key);
}
