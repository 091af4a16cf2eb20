/* texture.c: textures and surfaces in inline PTX, which is how clang's headers read them. */
#include "retarget/ptx/families.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cs_ptx_type b32 = {'b', 32, 1}, handle = {'b', 64, 1}, real = {'f', 32, 1};

static LLVMValueRef number(struct cs_rt_asm *a, unsigned value) {
  return LLVMConstInt(cs_rt_asm_integer(a, 32), value, 0);
}

/* Numbered as in support/texture.c. A leading "a" means layered: the first coordinate is then the layer. */
struct geometry {
  int index, layered;
  unsigned coordinates;
};
static int geometry_of(const struct cs_ptx_instruction *s, struct geometry *g) {
  static const char *const names[] = {"1d", "2d", "3d", "cube"};
  for (unsigned i = 1; i < s->part_count; i++)
    for (int k = 0; k < 4; k++) {
      int layered = s->parts[i][0] == 'a';
      if (strcmp(s->parts[i] + layered, names[k]) != 0)
        continue;
      *g = (struct geometry){k, layered, k < 2 ? (unsigned)k + 1 : 3};
      return 1;
    }
  return 0;
}

/* "[object, {a, b}]" or "[object, a]" */
struct texel {
  LLVMValueRef object, layer, at[3];
};
static int texel_of(struct cs_rt_asm *a, const struct cs_ptx_operand *o, struct geometry g, struct cs_ptx_type type,
                    struct texel *texel) {
  const struct cs_ptx_operand *names[CS_PTX_MAX_ELEMENTS];
  unsigned count = o->kind == CS_PTX_ADDRESS ? cs_ptx_elements(o->items, o->count, names) : 0, next = 1;
  if (count < 1 + (unsigned)g.layered + g.coordinates || !(texel->object = cs_rt_asm_value(a, names[0], handle)))
    return 0;
  texel->layer = g.layered ? cs_rt_asm_value(a, names[next++], b32) : number(a, 0);
  for (unsigned i = 0; i < 3; i++)
    texel->at[i] = i < g.coordinates ? cs_rt_asm_value(a, names[next++], type) : number(a, 0);
  return texel->layer && texel->at[0] && texel->at[1] && texel->at[2];
}

/* "{a, b, c, d}" or, for sparse textures, "{a, b, c, d}|p": p is true, everything is resident. */
static int give(struct cs_rt_asm *a, const struct cs_ptx_operand *o, LLVMValueRef made) {
  const struct cs_ptx_operand *names[CS_PTX_MAX_ELEMENTS];
  unsigned count = cs_ptx_elements(o, 1, names);
  if (!made || count < 4 || count > 5)
    return 0;
  for (unsigned i = 0; i < 4; i++)
    if (!cs_rt_asm_assign(a, names[i], LLVMBuildExtractValue(a->builder, made, i, "")))
      return 0;
  return count == 4 || cs_rt_asm_assign(a, names[4], LLVMConstInt(cs_rt_asm_integer(a, 1), 1, 0));
}

/* tex{.level}.geometry.v4.result.coordinate d, [object, {...}]{, level} */
int cs_rt_ptx_tex(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  struct cs_ptx_type types[2];
  struct geometry g;
  struct texel texel;
  int level = cs_ptx_has(s, "level");
  if (cs_ptx_types(s, types) != 2 || !cs_ptx_knows(s, "level 1d 2d 3d cube a1d a2d acube v4") || !geometry_of(s, &g) ||
      s->operand_count != 2u + (unsigned)level || types[0].bits != 32 || types[1].bits != 32 ||
      !texel_of(a, &s->operands[1], g, types[1], &texel))
    return 0;
  LLVMValueRef reals = number(a, types[0].kind == 'f');
  if (types[1].kind != 'f') {
    LLVMValueRef args[] = {texel.object, reals, texel.at[0]};
    return g.index == 0 && !g.layered && !level &&
           give(a, &s->operands[0], cs_rt_asm_call(a, "texture_fetch", args, 3));
  }
  LLVMValueRef lod = level ? cs_rt_asm_value(a, &s->operands[2], real) : number(a, 0);
  LLVMValueRef args[] = {
      texel.object, number(a, (unsigned)g.index), reals, texel.layer, texel.at[0], texel.at[1], texel.at[2], lod};
  return lod && give(a, &s->operands[0], cs_rt_asm_call(a, "texture", args, 8));
}

/* tld4.component.2d.v4.result.f32 */
int cs_rt_ptx_tld4(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  struct cs_ptx_type types[2];
  struct geometry g;
  struct texel texel;
  if (cs_ptx_types(s, types) != 2 || !cs_ptx_knows(s, "r g b a 2d v4") || !geometry_of(s, &g) ||
      s->operand_count != 2 || !texel_of(a, &s->operands[1], g, real, &texel))
    return 0;
  const char *component = strchr("rgba", s->parts[1][0]);
  if (!component)
    return 0;
  LLVMValueRef args[] = {texel.object, number(a, (unsigned)(component - "rgba")), number(a, types[0].kind == 'f'),
                         texel.at[0], texel.at[1]};
  return give(a, &s->operands[0], cs_rt_asm_call(a, "texture_gather", args, 5));
}

/* --- Surfaces --- */

static LLVMValueRef surface_address(struct cs_rt_asm *a, const struct cs_ptx_instruction *s,
                                    const struct cs_ptx_operand *o, unsigned bytes) {
  struct geometry g;
  struct texel texel;
  if (!cs_ptx_knows(s, "b 1d 2d 3d cube a1d a2d acube v2 v4 trap clamp zero") || s->operand_count != 2 ||
      !geometry_of(s, &g))
    return NULL;
  struct geometry flat = g;
  if (g.index == 3) /* a cube's surface: x, y and the face */
    flat = (struct geometry){1, 0, 3};
  if (!texel_of(a, o, flat, b32, &texel))
    return NULL;
  LLVMValueRef layer = g.index == 3 ? texel.at[2] : texel.layer;
  unsigned mode = cs_ptx_has(s, "zero") ? 2 : cs_ptx_has(s, "clamp") ? 1 : 0;
  LLVMValueRef args[] = {
      texel.object, number(a, (unsigned)flat.index), number(a, bytes), number(a, mode), layer, texel.at[0], texel.at[1],
      texel.at[2]};
  return cs_rt_asm_call(a, "surface", args, 8);
}

/* Accesses the elements one after the other; a zero address accesses none. */
static int surface_access(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, int store) {
  struct cs_ptx_type types[2];
  const struct cs_ptx_operand *names[CS_PTX_MAX_ELEMENTS];
  if (cs_ptx_types(s, types) != 1 || types[0].bits > 64 || s->operand_count != 2)
    return 0;
  unsigned count = cs_ptx_elements(&s->operands[store ? 1 : 0], 1, names), bits = types[0].bits;
  LLVMValueRef address = surface_address(a, s, &s->operands[store ? 0 : 1], count * bits / 8);
  if (!address || !count || count > 4)
    return 0;
  char name[32];
  snprintf(name, sizeof name, "surface_%s_%u", store ? "store" : "load", bits);
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef args[] = {address, number(a, i), store ? cs_rt_asm_value(a, names[i], types[0]) : NULL};
    if (store && !args[2])
      return 0;
    LLVMValueRef made = cs_rt_asm_call(a, name, args, store ? 3 : 2);
    if (!made || (!store && !cs_rt_asm_assign(a, names[i], made)))
      return 0;
  }
  return 1;
}

int cs_rt_ptx_suld(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  return surface_access(a, s, 0);
}
int cs_rt_ptx_sust(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  return surface_access(a, s, 1);
}

/* txq and suq: the size of an object. */
int cs_rt_ptx_image_query(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  char name[48];
  const struct cs_ptx_operand *object = s->operand_count == 2 ? cs_ptx_base(&s->operands[1]) : NULL;
  if (s->part_count != 3 || !cs_ptx_knows(s, "width height depth") || !object)
    return 0;
  snprintf(name, sizeof name, "image_%s", s->parts[1]);
  LLVMValueRef value = cs_rt_asm_value(a, object, handle);
  return value && cs_rt_asm_assign(a, &s->operands[0], cs_rt_asm_call(a, name, &value, 1));
}
