/* print.c: prints what the steps have found: accesses, escapes and numbers with their roots, and variables. */
#include "pass/function/print.h"
#include "ir/names.h"
#include "report/print.h"
#include <stdio.h>
#include <string.h>

/* ---- of a function ---- */

static void print_value(const char *before, LLVMValueRef value) {
  char *text = LLVMPrintValueToString(value);
  cs_report_print(stderr, "%s%s", before, text + strspn(text, " "));
  LLVMDisposeMessage(text);
}

static void print_root(LLVMValueRef root) {
  const char *name = root ? cs_ir_name(root) : "none";
  if (*name)
    cs_report_print(stderr, "; root: %s", name);
  else
    print_value("; root: ", root);
}

static void print_uses(const char *kind, const struct cs_pass_pointer_use *uses, size_t count) {
  for (size_t i = 0; i < count; i++) {
    print_value(kind, uses[i].instruction);
    print_root(uses[i].root);
    if (uses[i].into)
      cs_report_print(stderr, "; into: %s", uses[i].into->name);
    fputs("\n", stderr);
  }
}

void cs_pass_print_found(const struct cs_pass_function *f) {
  const struct cs_pass_collected *c = &f->collected;
  for (size_t i = 0; i < c->access_count; i++) {
    print_value("; access: ", c->accesses[i].instruction);
    print_root(c->accesses[i].root);
    fputs("\n", stderr);
  }
  print_uses("; escape: ", c->escapes, c->escape_count);
  print_uses("; number: ", c->numbers, c->number_count);
}

/* ---- of the module ---- */

void cs_pass_print_variables(const struct cs_pass *pass) {
  for (size_t i = 0; i < pass->order_count; i++) {
    const struct cs_pass_variable *v = pass->order[i];
    cs_report_print(stderr, "; variable: %s; %llu bytes%s%s%s\n", v->name, v->bytes, v->escapes ? "; escapes" : "",
                    v->given_away ? "; given away" : "", v->outlived ? "; outlived" : "");
  }
}
