/* parts.c: splits the text of a module at its directives, without parsing its functions, and writes modules of some of
 * them. */
#include "ptx/parts.h"
#include "ptx/lexer.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum kind { HEAD, SECTION, VARIABLE, FUNCTION, KERNEL };

/* A directive: its text is [start, end). */
struct item {
  enum kind kind;
  const char *start, *end;
  const char *name;
  size_t length;                /* of the name; 0: it has none */
  const char *declared, *value; /* of a variable: its text after the linkage directive; its initialiser, or NULL */
  int is_shared;
  struct item *next; /* in the same bucket */
};

struct cs_ptx_parts {
  struct item *items;
  size_t count, room;
  struct item **buckets;
  size_t mask;
  char **kernels; /* their names */
  size_t kernel_count;
};

/* --- Reading --- */

static int is(const struct cs_ptx_token *t, const char *word) {
  return t->kind == CS_PTX_TOKEN_WORD && strlen(word) == t->length && memcmp(word, t->text, t->length) == 0;
}
static int is_any(const struct cs_ptx_token *t, const char *const *words) {
  while (*words && !is(t, *words))
    words++;
  return *words != NULL;
}
static int is_mark(const struct cs_ptx_token *t, char mark) {
  return t->kind == CS_PTX_TOKEN_MARK && *t->text == mark;
}
static int is_name(const struct cs_ptx_token *t) {
  return t->kind == CS_PTX_TOKEN_WORD && *t->text != '.';
}

/* The last character of a comment or string that begins here, or `at`; NULL if it is not closed. */
static const char *end_of_quoted(const char *at) {
  if (at[0] == '/' && at[1] == '/')
    return at + strcspn(at, "\n") - 1;
  if (at[0] == '"')
    return at[1 + strcspn(at + 1, "\"\n")] == '"' ? strchr(at + 1, '"') : NULL;
  if (at[0] != '/' || at[1] != '*')
    return at;
  const char *end = strstr(at + 2, "*/");
  return end ? end + 1 : NULL;
}

/* The end of a body, after its '{'; NULL if it is not closed. */
static const char *end_of_body(const char *at) {
  unsigned depth = 1;
  for (; *at; at++) {
    const char *end = end_of_quoted(at);
    depth += end == at && *at == '{';
    if (end == at && *at == '}' && --depth == 0)
      return at + 1;
    if (!end)
      return NULL;
    at = end;
  }
  return NULL;
}

/* ".version 9.0" and ".file 1 "name"" end with their line. */
static int read_line(struct cs_ptx_lexer *l, struct item *item) {
  item->kind = HEAD;
  l->at += strcspn(l->at, "\n{");
  return *l->at == '{' ? -1 : 0;
}

static int read_section(struct cs_ptx_lexer *l, struct item *item) {
  struct cs_ptx_token name = cs_ptx_next(l), open = cs_ptx_next(l);
  const char *end = is_mark(&open, '{') ? end_of_body(l->at) : NULL;
  item->kind = SECTION;
  item->name = name.text;
  item->length = name.length;
  l->at = end;
  return end ? 0 : -1;
}

/* After .entry or .func: attributes, results, name, parameters; then a body, or a semicolon. */
static int read_function(struct cs_ptx_lexer *l, struct item *item) {
  int depth = 0;
  for (;;) {
    struct cs_ptx_token t = cs_ptx_next(l);
    depth += is_mark(&t, '(') - is_mark(&t, ')');
    if (t.kind == CS_PTX_TOKEN_END)
      return -1;
    if (depth == 0 && is_name(&t) && !item->length) {
      item->name = t.text;
      item->length = t.length;
    }
    if (depth == 0 && is_mark(&t, ';'))
      return item->length ? 0 : -1;
    if (is_mark(&t, '{'))
      return (l->at = end_of_body(l->at)) && item->length ? 0 : -1;
  }
}

/* After the state space. One name only; the length of an array is not left to its initialiser. */
static int read_variable(struct cs_ptx_lexer *l, struct item *item) {
  int depth = 0, is_open = 0;
  struct cs_ptx_token t = {0};
  for (;;) {
    int was_bracket = is_mark(&t, '[');
    t = cs_ptx_next(l);
    is_open |= was_bracket && is_mark(&t, ']');
    depth += is_mark(&t, '(') - is_mark(&t, ')') + is_mark(&t, '{') - is_mark(&t, '}');
    if (t.kind == CS_PTX_TOKEN_END || (depth == 0 && is_mark(&t, ',')))
      return -1;
    if (depth == 0 && is_name(&t) && !item->length) {
      item->name = t.text;
      item->length = t.length;
    }
    if (depth == 0 && is_mark(&t, '=') && !item->value)
      item->value = t.text;
    if (depth == 0 && is_mark(&t, ';'))
      return item->length && !(is_open && item->value) ? 0 : -1;
  }
}

static int read_declaration(struct cs_ptx_lexer *l, struct cs_ptx_token t, struct item *item) {
  static const char *const linkages[] = {".visible", ".extern", ".weak", ".common", NULL};
  static const char *const spaces[] = {".global", ".const", ".shared", NULL};
  if (is_any(&t, linkages))
    t = cs_ptx_next(l);
  item->declared = t.text;
  if (is(&t, ".entry") || is(&t, ".func")) {
    item->kind = is(&t, ".entry") ? KERNEL : FUNCTION;
    return read_function(l, item);
  }
  item->kind = VARIABLE;
  item->is_shared = is(&t, ".shared");
  return is_any(&t, spaces) ? read_variable(l, item) : -1;
}

static int read_item(struct cs_ptx_lexer *l, struct cs_ptx_token first, struct item *item) {
  static const char *const lines[] = {".version", ".target", ".address_size", ".file", ".pragma", NULL};
  *item = (struct item){.start = first.text};
  int failed = is_any(&first, lines)    ? read_line(l, item)
               : is(&first, ".section") ? read_section(l, item)
                                        : read_declaration(l, first, item);
  item->end = l->at;
  return failed;
}

static int read_items(struct cs_ptx_parts *p, const char *text) {
  struct cs_ptx_lexer l = {text, 1};
  for (;;) {
    struct cs_ptx_token first = cs_ptx_next(&l);
    if (first.kind == CS_PTX_TOKEN_END)
      return 0;
    if (p->count == p->room) {
      size_t room = 2 * p->room + 64;
      struct item *grown = realloc(p->items, room * sizeof *grown);
      if (!grown)
        return -1;
      p->items = grown;
      p->room = room;
    }
    if (read_item(&l, first, &p->items[p->count++]))
      return -1;
  }
}

/* --- Names --- */

static size_t bucket_of(const struct cs_ptx_parts *p, const char *name, size_t length) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (size_t i = 0; i < length; i++)
    hash = (hash ^ (unsigned char)name[i]) * 0x100000001b3ull;
  return (size_t)hash & p->mask;
}

/* The next item of that name: a function may be declared before it is defined. */
static struct item *same_name(struct item *item, const char *name, size_t length) {
  while (item && !(item->length == length && memcmp(item->name, name, length) == 0))
    item = item->next;
  return item;
}
static struct item *find(const struct cs_ptx_parts *p, const char *name, size_t length) {
  return same_name(p->buckets[bucket_of(p, name, length)], name, length);
}

static int index_names(struct cs_ptx_parts *p) {
  for (p->mask = 63; p->mask < p->count;)
    p->mask = 2 * p->mask + 1;
  if (!(p->buckets = calloc(p->mask + 1, sizeof *p->buckets)))
    return -1;
  for (struct item *i = p->items; i < p->items + p->count; i++)
    if (i->kind >= VARIABLE) {
      struct item **bucket = &p->buckets[bucket_of(p, i->name, i->length)];
      i->next = *bucket;
      *bucket = i;
    }
  return 0;
}

/* Calls `visit` for every item that the text names; stops if it returns non-zero. */
static int each_named(const struct cs_ptx_parts *p, const char *from, const char *to,
                      int (*visit)(struct item *item, void *with), void *with) {
  struct cs_ptx_lexer l = {from, 1};
  for (struct cs_ptx_token t; (t = cs_ptx_next(&l)).kind != CS_PTX_TOKEN_END && t.text < to;) {
    if (!is_name(&t) || *t.text == '%')
      continue;
    for (struct item *i = find(p, t.text, t.length); i; i = same_name(i->next, t.text, t.length)) {
      int stop = visit(i, with);
      if (stop)
        return stop;
    }
  }
  return 0;
}

static int is_function(struct item *item, void *with) {
  (void)with;
  return item->kind != VARIABLE;
}

/* A function's address in a variable, or a call by address: every part would number the functions by itself. */
static int takes_addresses(const struct cs_ptx_parts *p, const char *text) {
  if (strstr(text, ".callprototype") || strstr(text, ".calltargets"))
    return 1;
  for (const struct item *i = p->items; i < p->items + p->count; i++)
    if (i->kind == VARIABLE && i->value && each_named(p, i->value, i->end, is_function, NULL))
      return 1;
  return 0;
}

static int list_kernels(struct cs_ptx_parts *p) {
  if (!(p->kernels = calloc(p->count + 1, sizeof *p->kernels)))
    return -1;
  for (const struct item *i = p->items; i < p->items + p->count; i++)
    if (i->kind == KERNEL && !(p->kernels[p->kernel_count++] = strndup(i->name, i->length)))
      return -1;
  return 0;
}

struct cs_ptx_parts *cs_ptx_parts_open(const char *text) {
  struct cs_ptx_parts *p = calloc(1, sizeof *p);
  if (p && !read_items(p, text) && !index_names(p) && !takes_addresses(p, text) && !list_kernels(p))
    return p;
  cs_ptx_parts_close(p);
  return NULL;
}

void cs_ptx_parts_close(struct cs_ptx_parts *p) {
  if (!p)
    return;
  for (size_t i = 0; i < p->kernel_count; i++)
    free(p->kernels[i]);
  free(p->kernels);
  free(p->items);
  free(p->buckets);
  free(p);
}

const char *const *cs_ptx_parts_kernels(const struct cs_ptx_parts *p, size_t *count) {
  *count = p->kernel_count;
  return (const char *const *)p->kernels;
}

/* --- Writing --- */

struct writer {
  char *text;
  size_t length, room;
  int failed;
};

static void put(struct writer *w, const char *from, size_t length) {
  if (!w->text || w->length + length + 1 > w->room) {
    size_t room = 2 * w->room + length + 4096;
    char *grown = realloc(w->text, room);
    w->failed |= !grown;
    if (!grown)
      return;
    w->text = grown;
    w->room = room;
  }
  memcpy(w->text + w->length, from, length);
  w->length += length;
  w->text[w->length] = 0;
}
static void put_item(struct writer *w, const struct item *item) {
  put(w, item->start, (size_t)(item->end - item->start));
  put(w, "\n", 1);
}
static char *written(struct writer *w) {
  if (!w->failed)
    return w->text;
  free(w->text);
  return NULL;
}

/* What every part has: the names of inlined functions are in .debug_str. */
static int is_common(const struct item *item) {
  return item->kind == HEAD || (item->kind == SECTION && item->length == 10 && !memcmp(item->name, ".debug_str", 10));
}

/* Literals of nvcc, which no other code can write or name. */
static int is_literal(const struct item *item) {
  return item->kind == VARIABLE && item->start == item->declared && item->length >= 4 && !memcmp(item->name, "$str", 4);
}

char *cs_ptx_parts_variables(const struct cs_ptx_parts *p) {
  struct writer w = {0};
  for (size_t i = 0; i < p->count; i++)
    if (is_common(&p->items[i]) || (p->items[i].kind == VARIABLE && !p->items[i].is_shared))
      put_item(&w, &p->items[i]);
  return written(&w);
}

static void put_external(struct writer *w, const struct item *item) {
  static const char prefix[] = ".extern ", suffix[] = ";\n";
  const char *end = item->value ? item->value : item->end - 1;
  put(w, prefix, sizeof prefix - 1);
  put(w, item->declared, (size_t)(end - item->declared));
  put(w, suffix, sizeof suffix - 1);
}

/* The items that a kernel reaches. */
struct reached {
  const struct cs_ptx_parts *parts;
  unsigned char *marks; /* one for each item */
  struct item **list;
  size_t count;
};

static int reach(struct item *item, void *with) {
  struct reached *r = with;
  unsigned char *mark = &r->marks[item - r->parts->items];
  if (!*mark)
    r->list[r->count++] = item;
  *mark = 1;
  return 0;
}

static void reach_all(struct reached *r, struct item *kernel) {
  reach(kernel, r);
  for (size_t i = 0; i < r->count; i++)
    if (r->list[i]->kind != VARIABLE)
      each_named(r->parts, r->list[i]->start, r->list[i]->end, reach, r);
}

static char *write_reached(const struct reached *r) {
  struct writer w = {0};
  for (size_t i = 0; i < r->parts->count; i++) {
    const struct item *item = &r->parts->items[i];
    if (!r->marks[i] && !is_common(item))
      continue;
    if (item->kind == VARIABLE && !item->is_shared && !is_literal(item))
      put_external(&w, item);
    else
      put_item(&w, item);
  }
  return written(&w);
}

char *cs_ptx_parts_kernel(const struct cs_ptx_parts *p, const char *name) {
  struct item *kernel = find(p, name, strlen(name));
  if (!kernel || kernel->kind != KERNEL)
    return NULL;
  struct reached r = {p, calloc(p->count, 1), calloc(p->count, sizeof *r.list), 0};
  char *made = NULL;
  if (r.marks && r.list) {
    reach_all(&r, kernel);
    made = write_reached(&r);
  }
  free(r.marks);
  free(r.list);
  return made;
}
