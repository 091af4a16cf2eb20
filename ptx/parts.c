/* parts.c: writes modules of some of the directives of others. */
#include "ptx/parts.h"
#include "ptx/directives.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct cs_ptx_parts {
  struct cs_ptx_directives all;
  size_t module_count;
  struct cs_ptx_directive **buckets;
  size_t mask;
  const struct cs_ptx_directive **defined; /* the kernels' definitions */
  char **kernels;                          /* their names */
  size_t kernel_count;
};

/* --- Names --- */

static size_t bucket_of(const struct cs_ptx_parts *p, const char *name, size_t length) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (size_t i = 0; i < length; i++)
    hash = (hash ^ (unsigned char)name[i]) * 0x100000001b3ull;
  return (size_t)hash & p->mask;
}

/* The first directive of that name, from this one on: a function may be declared before it is defined. */
static struct cs_ptx_directive *same_name(struct cs_ptx_directive *d, const char *name, size_t length) {
  while (d && !(d->length == length && memcmp(d->name, name, length) == 0))
    d = d->next;
  return d;
}
static struct cs_ptx_directive *find(const struct cs_ptx_parts *p, const char *name, size_t length) {
  return same_name(p->buckets[bucket_of(p, name, length)], name, length);
}
static struct cs_ptx_directive *next_of(const struct cs_ptx_directive *d) {
  return same_name(d->next, d->name, d->length);
}

/* Buckets keep the order of the texts. */
static int index_names(struct cs_ptx_parts *p) {
  for (p->mask = 63; p->mask < p->all.count;)
    p->mask = 2 * p->mask + 1;
  if (!(p->buckets = calloc(p->mask + 1, sizeof *p->buckets)))
    return -1;
  for (size_t i = p->all.count; i-- > 0;) {
    struct cs_ptx_directive *d = &p->all.list[i];
    if (d->kind >= CS_PTX_IS_VARIABLE) {
      struct cs_ptx_directive **bucket = &p->buckets[bucket_of(p, d->name, d->length)];
      d->next = *bucket;
      *bucket = d;
    }
  }
  return 0;
}

/* What a declaration of a module refers to: a definition in the module, or one that another module exports; NULL if
 * there is none. */
static struct cs_ptx_directive *definition_of(const struct cs_ptx_parts *p, const struct cs_ptx_directive *declared) {
  struct cs_ptx_directive *exported = NULL;
  for (struct cs_ptx_directive *d = find(p, declared->name, declared->length); d; d = next_of(d)) {
    if (!d->is_defined || d->kind != declared->kind)
      continue;
    if (d->module == declared->module)
      return d;
    if (!d->is_own && !exported)
      exported = d;
  }
  return exported;
}

/* Calls `visit` for everything that the text names in its module; stops if it returns non-zero. */
static int each_named(const struct cs_ptx_parts *p, size_t module, const char *from, const char *to,
                      int (*visit)(struct cs_ptx_directive *named, void *with), void *with) {
  struct cs_ptx_lexer l = {from, 1};
  for (struct cs_ptx_token t; (t = cs_ptx_next(&l)).kind != CS_PTX_TOKEN_END && t.text < to;) {
    if (!cs_ptx_is_name(&t) || *t.text == '%')
      continue;
    for (struct cs_ptx_directive *d = find(p, t.text, t.length); d; d = next_of(d)) {
      int stop = d->module == module ? visit(d, with) : 0;
      if (stop)
        return stop;
    }
  }
  return 0;
}

/* --- Modules that stay whole --- */

static int is_function(struct cs_ptx_directive *d, void *with) {
  (void)with;
  return d->kind != CS_PTX_IS_VARIABLE;
}

/* A function's address in a variable, or a call by address: every part would number the functions by itself. */
static int takes_addresses(const struct cs_ptx_parts *p, const char *const *texts) {
  for (size_t i = 0; i < p->module_count; i++)
    if (strstr(texts[i], ".callprototype") || strstr(texts[i], ".calltargets"))
      return 1;
  for (const struct cs_ptx_directive *d = p->all.list; d < p->all.list + p->all.count; d++)
    if (d->kind == CS_PTX_IS_VARIABLE && d->value && each_named(p, d->module, d->value, d->end, is_function, NULL))
      return 1;
  return 0;
}

/* Literals of nvcc, which no other code can write or name. */
static int is_literal(const struct cs_ptx_directive *d) {
  return d->kind == CS_PTX_IS_VARIABLE && d->is_own && d->length >= 4 && !memcmp(d->name, "$str", 4);
}

/* Variables are looked up by name, and so are kernels. */
static int has_one_name(const struct cs_ptx_directive *d) {
  return d->kind == CS_PTX_IS_KERNEL || (d->kind == CS_PTX_IS_VARIABLE && !d->is_shared && !is_literal(d));
}

static int are_ambiguous(const struct cs_ptx_directive *a, const struct cs_ptx_directive *b) {
  return a->module != b->module && (a->kind != b->kind || a->is_own || b->is_own ||
                                    (a->is_defined && b->is_defined && !(a->is_weak && b->is_weak)));
}

static int has_ambiguous_names(const struct cs_ptx_parts *p) {
  for (const struct cs_ptx_directive *d = p->all.list; d < p->all.list + p->all.count; d++)
    if (has_one_name(d))
      for (const struct cs_ptx_directive *other = find(p, d->name, d->length); other; other = next_of(other))
        if (are_ambiguous(d, other))
          return 1;
  return 0;
}

/* --- Opening --- */

static int read_all(struct cs_ptx_parts *p, const char *const *texts, size_t count) {
  p->module_count = count;
  for (size_t i = 0; i < count; i++)
    if (cs_ptx_read_directives(&p->all, texts[i], i))
      return -1;
  return 0;
}

/* Several modules may define the same weak kernel: the first is used. */
static int list_kernels(struct cs_ptx_parts *p) {
  p->kernels = calloc(p->all.count + 1, sizeof *p->kernels);
  p->defined = calloc(p->all.count + 1, sizeof *p->defined);
  if (!p->kernels || !p->defined)
    return -1;
  for (const struct cs_ptx_directive *d = p->all.list; d < p->all.list + p->all.count; d++) {
    const struct cs_ptx_directive *first = d->kind == CS_PTX_IS_KERNEL ? find(p, d->name, d->length) : NULL;
    while (first && !first->is_defined)
      first = next_of(first);
    if (!first || first != d)
      continue;
    p->defined[p->kernel_count] = d;
    if (!(p->kernels[p->kernel_count++] = strndup(d->name, d->length)))
      return -1;
  }
  return 0;
}

struct cs_ptx_parts *cs_ptx_parts_open(const char *const *texts, size_t count) {
  struct cs_ptx_parts *p = calloc(1, sizeof *p);
  if (p && !read_all(p, texts, count) && !index_names(p) && !takes_addresses(p, texts) && !has_ambiguous_names(p) &&
      !list_kernels(p))
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
  free(p->defined);
  free(p->all.list);
  free(p->buckets);
  free(p);
}

const char *const *cs_ptx_parts_kernels(const struct cs_ptx_parts *p, size_t *count) {
  *count = p->kernel_count;
  return (const char *const *)p->kernels;
}

static int is_provided(const struct cs_ptx_directive *d) {
  static const char *const names[] = {
#define CS_PTX_PROVIDED(name, types) name,
#include "ptx/provided.inc"
#undef CS_PTX_PROVIDED
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strlen(names[i]) == d->length && memcmp(names[i], d->name, d->length) == 0)
      return 1;
  return 0;
}

int cs_ptx_parts_are_complete(const struct cs_ptx_parts *p) {
  for (const struct cs_ptx_directive *d = p->all.list; d < p->all.list + p->all.count; d++)
    if (d->kind >= CS_PTX_IS_VARIABLE && !d->is_defined && !d->is_shared && !is_provided(d) && !definition_of(p, d))
      return 0;
  return 1;
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

static void put_whole(struct writer *w, const struct cs_ptx_directive *d) {
  put(w, d->start, (size_t)(d->end - d->start));
  put(w, "\n", 1);
}

/* With the type and size of the definition, also where a module declares an array of unknown length. */
static void put_external(struct writer *w, const struct cs_ptx_parts *p, const struct cs_ptx_directive *d) {
  static const char prefix[] = ".extern ", suffix[] = ";\n";
  const struct cs_ptx_directive *defined = d->is_defined ? d : definition_of(p, d);
  d = defined ? defined : d;
  const char *end = d->value ? d->value : d->end - 1;
  put(w, prefix, sizeof prefix - 1);
  put(w, d->declared, (size_t)(end - d->declared));
  put(w, suffix, sizeof suffix - 1);
}

static int is_outside(const struct cs_ptx_directive *d) {
  return d->kind == CS_PTX_IS_VARIABLE && !d->is_shared && !is_literal(d);
}

/* The names of inlined functions, and the local variables of unoptimised code. */
static int is_used_section(const struct cs_ptx_directive *d) {
  static const char *const used[] = {".debug_str", ".debug_info", ".debug_abbrev"};
  for (size_t i = 0; i < sizeof used / sizeof *used; i++)
    if (d->length == strlen(used[i]) && !memcmp(d->name, used[i], d->length))
      return 1;
  return 0;
}

/* What every part has. */
static int is_common(const struct cs_ptx_directive *d) {
  return d->kind == CS_PTX_IS_HEAD || (d->kind == CS_PTX_IS_SECTION && is_used_section(d));
}

/* The marked directives of one module, which are a range of all; without marks its variables. NULL text: none. */
static struct writer write_module(const struct cs_ptx_parts *p, size_t module, const unsigned char *marks) {
  struct writer w = {0};
  int has_any = 0;
  for (size_t i = 0; i < p->all.count; i++) {
    const struct cs_ptx_directive *d = &p->all.list[i];
    int is_wanted = marks ? marks[i] : d->kind == CS_PTX_IS_VARIABLE && !d->is_shared;
    if (d->module != module || (!is_wanted && !is_common(d)))
      continue;
    has_any |= is_wanted;
    if (marks && is_outside(d))
      put_external(&w, p, d);
    else
      put_whole(&w, d);
  }
  if (has_any || (!marks && module == 0)) /* without variables there is still a module */
    return w;
  free(w.text);
  return (struct writer){.failed = w.failed};
}

static struct cs_ptx_part write_all(const struct cs_ptx_parts *p, const unsigned char *marks) {
  struct cs_ptx_part part = {calloc(p->module_count, sizeof *part.texts), 0};
  int failed = !part.texts;
  for (size_t i = 0; i < p->module_count && !failed; i++) {
    struct writer w = write_module(p, i, marks);
    failed = w.failed;
    if (w.text)
      part.texts[part.count++] = w.text;
  }
  if (failed)
    cs_ptx_part_free(&part);
  return part;
}

void cs_ptx_part_free(struct cs_ptx_part *part) {
  for (size_t i = 0; i < part->count; i++)
    free(part->texts[i]);
  free(part->texts);
  *part = (struct cs_ptx_part){0};
}

struct cs_ptx_part cs_ptx_parts_variables(const struct cs_ptx_parts *p) {
  return write_all(p, NULL);
}

/* --- Kernels --- */

/* What a kernel reaches. */
struct reached {
  const struct cs_ptx_parts *parts;
  unsigned char *marks; /* one for each directive */
  struct cs_ptx_directive **list;
  size_t count;
};

static int reach(struct cs_ptx_directive *d, void *with) {
  struct reached *r = with;
  unsigned char *mark = &r->marks[d - r->parts->all.list];
  if (!*mark)
    r->list[r->count++] = d;
  *mark = 1;
  return 0;
}

static void reach_all(struct reached *r, const struct cs_ptx_directive *kernel) {
  reach(&r->parts->all.list[kernel - r->parts->all.list], r);
  for (size_t i = 0; i < r->count; i++) {
    const struct cs_ptx_directive *d = r->list[i];
    struct cs_ptx_directive *defined = d->kind == CS_PTX_IS_FUNCTION ? definition_of(r->parts, d) : NULL;
    if (defined)
      reach(defined, r);
    if (d->kind != CS_PTX_IS_VARIABLE)
      each_named(r->parts, d->module, d->start, d->end, reach, r);
  }
}

struct cs_ptx_part cs_ptx_parts_kernel(const struct cs_ptx_parts *p, const char *name) {
  size_t i = 0;
  while (i < p->kernel_count && strcmp(p->kernels[i], name) != 0)
    i++;
  if (i == p->kernel_count)
    return (struct cs_ptx_part){0};
  struct reached r = {p, calloc(p->all.count, 1), calloc(p->all.count, sizeof *r.list), 0};
  struct cs_ptx_part part = {0};
  if (r.marks && r.list) {
    reach_all(&r, p->defined[i]);
    part = write_all(p, r.marks);
  }
  free(r.marks);
  free(r.list);
  return part;
}
