/* print.c: prints a syntax tree as PTX. */
#include "ptx/print.h"

/* --- Operands --- */

static void print_operand(const struct cs_ptx_operand *o, FILE *to);

static void print_list(const struct cs_ptx_operand *items, unsigned count, const char *between, FILE *to) {
  for (unsigned i = 0; i < count; i++) {
    fputs(i ? between : "", to);
    print_operand(&items[i], to);
  }
}

static void print_operand(const struct cs_ptx_operand *o, FILE *to) {
  static const struct {
    const char *open, *between, *close;
  } forms[] = {[CS_PTX_NAME] = {"", "", ""},          [CS_PTX_INTEGER] = {"", "", ""},    [CS_PTX_FLOAT] = {"", "", ""},
               [CS_PTX_ADDRESS] = {"[", ", ", "]"},   [CS_PTX_VECTOR] = {"{", ", ", "}"}, [CS_PTX_PAIR] = {"", "|", ""},
               [CS_PTX_ARGUMENTS] = {"(", ", ", ")"}, [CS_PTX_APPLIED] = {"(", ", ", ")"}};
  if (o->name)
    fprintf(to, "%s%s", o->negated ? "!" : "", o->name);
  fputs(forms[o->kind].open, to);
  print_list(o->items, o->count, forms[o->kind].between, to);
  fputs(forms[o->kind].close, to);
  if (o->has_offset)
    fprintf(to, "+%lld", o->offset);
}

/* --- Declarations --- */

static void print_variable(const struct cs_ptx_variable *v, FILE *to) {
  if (v->linkage)
    fprintf(to, "%s ", v->linkage);
  fputs(v->space, to);
  if (v->attribute)
    fprintf(to, " .attribute(%s)", v->attribute);
  if (v->align)
    fprintf(to, " .align %u", v->align);
  if (v->lanes > 1)
    fprintf(to, " .v%u", v->lanes);
  fprintf(to, " %s", v->type);
  if (v->pointer_space)
    fprintf(to, " .ptr %s", v->pointer_space);
  if (v->pointer_align)
    fprintf(to, " .align %u", v->pointer_align);
  fprintf(to, " %s", v->name);
  if (v->registers)
    fprintf(to, "<%u>", v->registers);
  for (unsigned i = 0; i < v->dimension_count; i++)
    v->dimensions[i] ? fprintf(to, "[%llu]", v->dimensions[i]) : fprintf(to, "[]");
  if (v->initial) {
    fputs(" = ", to);
    print_operand(v->initial, to);
  }
}

static void print_parameters(const struct cs_ptx_variable *items, unsigned count, FILE *to) {
  fputc('(', to);
  for (unsigned i = 0; i < count; i++) {
    fputs(i ? ",\n\t" : "", to);
    print_variable(&items[i], to);
  }
  fputc(')', to);
}

/* --- Statements --- */

static void print_instruction(const struct cs_ptx_instruction *i, FILE *to) {
  if (i->predicate)
    fprintf(to, "@%s%s ", i->negated ? "!" : "", i->predicate);
  fprintf(to, "%s ", i->opcode);
  print_list(i->operands, i->operand_count, ", ", to);
  fputs(";\n", to);
}

static void print_loc(const struct cs_ptx_loc *loc, FILE *to) {
  fprintf(to, ".loc %u %u %u", loc->file, loc->line, loc->column);
  if (loc->function) {
    fprintf(to, ", function_name %s", loc->function);
    if (loc->function_offset)
      fprintf(to, "+%u", loc->function_offset);
    fprintf(to, ", inlined_at %u %u %u", loc->at_file, loc->at_line, loc->at_column);
  }
  fputc('\n', to);
}

static void print_prototype(const struct cs_ptx_node *node, FILE *to) {
  const struct cs_ptx_function *f = node->prototype;
  fprintf(to, "%s: .callprototype ", node->name);
  if (f->result_count)
    print_parameters(f->results, f->result_count, to);
  fputs(" _ ", to);
  print_parameters(f->parameters, f->parameter_count, to);
  fprintf(to, " %s;\n", f->attribute ? f->attribute : "");
}

static void print_targets(const struct cs_ptx_node *node, FILE *to) {
  fprintf(to, "%s: %s ", node->name, node->list);
  print_list(node->instruction.operands, node->instruction.operand_count, ", ", to);
  fputs(";\n", to);
}

static void print_node(const struct cs_ptx_node *node, FILE *to) {
  switch (node->kind) {
  case CS_PTX_INSTRUCTION:
    print_instruction(&node->instruction, to);
    break;
  case CS_PTX_LABEL:
    fprintf(to, "%s:\n", node->name);
    break;
  case CS_PTX_DECLARATION:
    print_variable(node->variable, to);
    fputs(";\n", to);
    break;
  case CS_PTX_LOC:
    print_loc(node->loc, to);
    break;
  case CS_PTX_OPEN:
    fputs("{\n", to);
    break;
  case CS_PTX_CLOSE:
    fputs("}\n", to);
    break;
  case CS_PTX_PRAGMA:
    fprintf(to, ".pragma \"%s\";\n", node->name);
    break;
  case CS_PTX_TARGETS:
    print_targets(node, to);
    break;
  case CS_PTX_PROTOTYPE:
    print_prototype(node, to);
    break;
  }
}

/* --- The module --- */

static void print_directive(const struct cs_ptx_directive *d, FILE *to) {
  fprintf(to, "\n%s", d->name);
  if (d->text)
    fprintf(to, " \"%s\";", d->text);
  for (unsigned i = 0; i < d->count; i++)
    fprintf(to, "%s %llu", i ? "," : "", d->values[i]);
}

static void print_function(const struct cs_ptx_function *f, FILE *to) {
  fprintf(to, "%s %s ", f->linkage ? f->linkage : "", f->is_entry ? ".entry" : ".func");
  if (f->attribute)
    fprintf(to, "%s ", f->attribute);
  if (f->result_count)
    print_parameters(f->results, f->result_count, to);
  fprintf(to, " %s", f->name);
  print_parameters(f->parameters, f->parameter_count, to);
  for (unsigned i = 0; i < f->directive_count; i++)
    print_directive(&f->directives[i], to);
  if (!f->is_defined) {
    fputs(";\n", to);
    return;
  }
  fputs("\n{\n", to);
  for (unsigned i = 0; i < f->node_count; i++)
    print_node(&f->nodes[i], to);
  fputs("}\n", to);
}

static void print_file(const struct cs_ptx_item *item, FILE *to) {
  fprintf(to, ".file %u \"%s\"", item->number, item->text);
  if (item->time || item->length)
    fprintf(to, ", %llu, %llu", item->time, item->length);
  fputc('\n', to);
}

static void print_item(const struct cs_ptx_item *item, FILE *to) {
  switch (item->kind) {
  case CS_PTX_HEAD:
    fprintf(to, "%s %s\n", item->name, item->text);
    break;
  case CS_PTX_FILE:
    print_file(item, to);
    break;
  case CS_PTX_SECTION:
    fprintf(to, ".section %s\n{%s}\n", item->name, item->text);
    break;
  case CS_PTX_VARIABLE:
    print_variable(item->variable, to);
    fputs(";\n", to);
    break;
  case CS_PTX_FUNCTION:
    print_function(item->function, to);
    break;
  case CS_PTX_ALIAS:
    fprintf(to, ".alias %s, %s;\n", item->name, item->text);
    break;
  case CS_PTX_MODULE_PRAGMA:
    fprintf(to, ".pragma \"%s\";\n", item->text);
    break;
  }
}

void cs_ptx_print_module(const struct cs_ptx_module *module, FILE *to) {
  for (unsigned i = 0; i < module->item_count; i++)
    print_item(&module->items[i], to);
}
