/* texture.c: texture fetches and surface accesses on the descriptors of image.h, with CUDA's rules for addressing and
 * filtering: weights have eight fractional bits. */
#include "support.h"

f32 __cr_ex2(f32 x);
f32 __cr_lg2(f32 x);
__attribute__((noreturn)) void __cr_illegal_address(void);

struct texel {
  u32 x, y, z, w;
};
struct texel_f {
  f32 v[4];
};

/* Returns the object, or ends the thread. */
static inline const struct cs_texture *object(u64 handle, u32 magic) {
  const struct cs_texture *t = (const struct cs_texture *)handle;
  if (handle < 4096 || t->magic != magic)
    __cr_illegal_address();
  return t;
}

/* --- Texels --- */

static inline u32 raw(const struct cs_texture *t, const char *at) {
  int with_sign = t->channel == CS_CHANNEL_SIGNED;
  switch (t->channel_bytes) {
  case 1:
    return with_sign ? (u32)(s32) * (const s8 *)at : *(const u8 *)at;
  case 2:
    return with_sign ? (u32)(s32) * (const s16 *)at : *(const u16 *)at;
  default:
    return *(const u32 *)at;
  }
}

static inline f32 linear_of_srgb(f32 x) {
  return x <= 0.04045f ? x / 12.92f : __cr_ex2(2.4f * __cr_lg2((x + 0.055f) / 1.055f));
}

/* A channel's value as a float. */
static inline f32 real(const struct cs_texture *t, u32 bits, u32 index) {
  if (t->channel == CS_CHANNEL_FLOAT)
    return t->channel_bytes == 2 ? (f32) __builtin_bit_cast(f16, (u16)bits) : float_of(bits);
  if (!(t->flags & CS_TEXTURE_UNORM))
    return float_of(bits);
  u32 width = t->channel_bytes * 8;
  if (t->channel == CS_CHANNEL_SIGNED) {
    f32 x = (f32)(s32)bits / (f32)((1u << (width - 1)) - 1);
    return x < -1 ? -1 : x;
  }
  f32 x = (f32)bits / (f32)((1u << width) - 1);
  return (t->flags & CS_TEXTURE_SRGB) && index < 3 ? linear_of_srgb(x) : x;
}

/* Missing channels are 0, a missing fourth channel is 1. x < 0 is outside: the border. */
static inline u32 channel(const struct cs_texture *t, const struct cs_texture_level *level, s32 x, s32 y, s32 z,
                          u32 index, u32 reals) {
  if (x < 0 || y < 0 || z < 0)
    return bits_f(t->border[index]);
  if (index >= t->channels)
    return index == 3 ? (reals ? 0x3f800000u : 1u) : 0;
  const char *at = (const char *)level->address + (u64)(u32)x * t->channels * t->channel_bytes +
                   (u64)(u32)y * level->pitch + (u64)(u32)z * level->slice + (u64)index * t->channel_bytes;
  u32 bits = raw(t, at);
  return reals ? bits_f(real(t, bits, index)) : bits;
}

/* --- Coordinates --- */

static inline s32 whole(f32 x) {
  x = __builtin_floorf(x);
  return x != x ? 0 : x < -1e9f ? -1000000000 : x > 1e9f ? 1000000000 : (s32)x;
}

/* The index in [0, n), or -1 outside in border mode. */
static inline s32 texel_index(s32 i, u32 n, u32 mode) {
  s32 size = (s32)n;
  switch (mode) {
  case CS_ADDRESS_WRAP:
    i %= size;
    return i < 0 ? i + size : i;
  case CS_ADDRESS_MIRROR:
    i %= 2 * size;
    i = i < 0 ? i + 2 * size : i;
    return i < size ? i : 2 * size - 1 - i;
  case CS_ADDRESS_BORDER:
    return i < 0 || i >= size ? -1 : i;
  default:
    return i < 0 ? 0 : i >= size ? size - 1 : i;
  }
}

/* One coordinate: the first neighbour, and the second one's weight. */
struct axis {
  s32 low, high;
  f32 weight;
};
static inline struct axis axis(const struct cs_texture *t, f32 x, u32 n, u32 mode, u32 linear) {
  if (t->flags & CS_TEXTURE_NORMALIZED)
    x *= (f32)n;
  f32 at = linear ? x - 0.5f : x;
  s32 i = whole(at);
  f32 part = at - __builtin_floorf(at);
  struct axis made = {texel_index(i, n, mode), texel_index(i + 1, n, mode), __builtin_floorf(part * 256 + 0.5f) / 256};
  return made;
}
static inline struct axis only(s32 i) {
  return (struct axis){i, i, 0};
}

enum { LINE, PLANE, VOLUME, CUBE }; /* in the order of retarget/ptx/texture.c */

/* --- Sampling --- */

static inline f32 mix(f32 a, f32 b, f32 weight) {
  return weight == 0 ? a : (1 - weight) * a + weight * b;
}

static inline struct texel_f filtered(const struct cs_texture *t, const struct cs_texture_level *level, struct axis x,
                                      struct axis y, struct axis z) {
  struct texel_f made;
  for (u32 c = 0; c < 4; c++) {
    f32 v[2][2][2];
    for (u32 k = 0; k < 8; k++)
      v[k >> 2][k >> 1 & 1][k & 1] =
          float_of(channel(t, level, k & 1 ? x.high : x.low, k & 2 ? y.high : y.low, k & 4 ? z.high : z.low, c, 1));
    f32 near = mix(mix(v[0][0][0], v[0][0][1], x.weight), mix(v[0][1][0], v[0][1][1], x.weight), y.weight);
    f32 far = mix(mix(v[1][0][0], v[1][0][1], x.weight), mix(v[1][1][0], v[1][1][1], x.weight), y.weight);
    made.v[c] = mix(near, far, z.weight);
  }
  return made;
}

static inline s32 layer_of(const struct cs_texture *t, s32 layer) {
  return layer < 0 ? 0 : layer >= (s32)t->layers ? (s32)t->layers - 1 : layer;
}

struct position {
  f32 x, y, z;
  s32 layer; /* or face */
};

static inline struct axis third(const struct cs_texture *t, const struct cs_texture_level *level, struct position p,
                                u32 geometry, u32 linear) {
  if (geometry == VOLUME)
    return axis(t, p.z, level->depth, t->address_mode[2], linear);
  return only(p.layer);
}

static inline struct texel_f sample_level(const struct cs_texture *t, const struct cs_texture_level *level,
                                          struct position p, u32 geometry) {
  u32 linear = t->filter == CS_FILTER_LINEAR;
  struct axis x = axis(t, p.x, level->width, t->address_mode[0], linear);
  struct axis y = geometry == LINE ? only(0) : axis(t, p.y, level->height, t->address_mode[1], linear);
  struct axis z = third(t, level, p, geometry, linear);
  if (!linear)
    x.weight = y.weight = z.weight = 0;
  return filtered(t, level, x, y, z);
}

/* The face that a direction points to, and the coordinates on it. */
static inline struct position on_cube(f32 x, f32 y, f32 z, s32 layer) {
  f32 ax = __builtin_fabsf(x), ay = __builtin_fabsf(y), az = __builtin_fabsf(z), m, s, t;
  s32 face;
  if (ax >= ay && ax >= az) {
    face = x < 0, m = ax, s = x < 0 ? z : -z, t = -y;
  } else if (ay >= az) {
    face = 2 + (y < 0), m = ay, s = x, t = y < 0 ? -z : z;
  } else {
    face = 4 + (z < 0), m = az, s = z < 0 ? -x : x, t = -y;
  }
  return (struct position){(s / m + 1) / 2, (t / m + 1) / 2, 0, 6 * layer + face};
}

static inline f32 within(f32 x, f32 low, f32 high) {
  return x < low ? low : x > high ? high : x;
}

static inline const struct cs_texture_level *level_at(const struct cs_texture *t, u32 index) {
  const struct cs_texture_level *levels = (const struct cs_texture_level *)t->levels;
  return &levels[index < t->level_count ? index : t->level_count - 1];
}

/* Integers are not filtered. */
static inline struct texel pick(const struct cs_texture *t, const struct cs_texture_level *level, struct position p,
                                u32 geometry) {
  struct axis x = axis(t, p.x, level->width, t->address_mode[0], 0);
  struct axis y = geometry == LINE ? only(0) : axis(t, p.y, level->height, t->address_mode[1], 0);
  struct axis z = third(t, level, p, geometry, 0);
  return (struct texel){channel(t, level, x.low, y.low, z.low, 0, 0), channel(t, level, x.low, y.low, z.low, 1, 0),
                        channel(t, level, x.low, y.low, z.low, 2, 0), channel(t, level, x.low, y.low, z.low, 3, 0)};
}

static inline struct texel bits_of(struct texel_f f) {
  return (struct texel){bits_f(f.v[0]), bits_f(f.v[1]), bits_f(f.v[2]), bits_f(f.v[3])};
}

static inline struct texel sample(u64 handle, u32 geometry, u32 reals, s32 layer, f32 x, f32 y, f32 z, f32 lod) {
  const struct cs_texture *t = object(handle, CS_TEXTURE_MAGIC);
  struct position p = {x, y, z, layer_of(t, layer)};
  if (geometry == CUBE)
    p = on_cube(x, y, z, layer);
  lod = within(lod + t->level_bias, t->level_min, t->level_max);
  lod = t->level_count > 1 ? within(lod, 0, (f32)(t->level_count - 1)) : 0;
  if (!reals)
    return pick(t, level_at(t, (u32)(lod + 0.5f)), p, geometry);
  if (t->level_filter != CS_FILTER_LINEAR)
    return bits_of(sample_level(t, level_at(t, (u32)(lod + 0.5f)), p, geometry));
  u32 first = (u32)lod;
  f32 weight = __builtin_floorf((lod - (f32)first) * 256 + 0.5f) / 256;
  struct texel_f a = sample_level(t, level_at(t, first), p, geometry);
  if (weight != 0) {
    struct texel_f b = sample_level(t, level_at(t, first + 1), p, geometry);
    for (u32 c = 0; c < 4; c++)
      a.v[c] = mix(a.v[c], b.v[c], weight);
  }
  return bits_of(a);
}

/* Integer coordinates: linear memory, which is zero outside. */
struct texel __cr_texture_fetch(u64 handle, u32 reals, s32 x) {
  const struct cs_texture *t = object(handle, CS_TEXTURE_MAGIC);
  if (x < 0 || (u32)x >= t->level.width)
    return (struct texel){0, 0, 0, 0};
  return (struct texel){channel(t, &t->level, x, 0, 0, 0, reals), channel(t, &t->level, x, 0, 0, 1, reals),
                        channel(t, &t->level, x, 0, 0, 2, reals), channel(t, &t->level, x, 0, 0, 3, reals)};
}

/* One channel of the four texels that linear filtering would combine. */
static inline struct texel gather(u64 handle, u32 index, u32 reals, f32 px, f32 py) {
  const struct cs_texture *t = object(handle, CS_TEXTURE_MAGIC);
  struct axis x = axis(t, px, t->level.width, t->address_mode[0], 1);
  struct axis y = axis(t, py, t->level.height, t->address_mode[1], 1);
  return (struct texel){
      channel(t, &t->level, x.low, y.high, 0, index, reals), channel(t, &t->level, x.high, y.high, 0, index, reals),
      channel(t, &t->level, x.high, y.low, 0, index, reals), channel(t, &t->level, x.low, y.low, 0, index, reals)};
}

/* Stay calls because of their size; the back end cannot return structures from calls. */
PER_LANE void __cr_sample_into(struct texel *to, u64 handle, u32 geometry, u32 reals, s32 layer, f32 x, f32 y, f32 z,
                               f32 lod) {
  *to = sample(handle, geometry, reals, layer, x, y, z, lod);
}
PER_LANE void __cr_gather_into(struct texel *to, u64 handle, u32 index, u32 reals, f32 x, f32 y) {
  *to = gather(handle, index, reals, x, y);
}
struct texel __cr_texture(u64 handle, u32 geometry, u32 reals, s32 layer, f32 x, f32 y, f32 z, f32 lod) {
  struct texel made;
  __cr_sample_into(&made, handle, geometry, reals, layer, x, y, z, lod);
  return made;
}
struct texel __cr_texture_gather(u64 handle, u32 index, u32 reals, f32 x, f32 y) {
  struct texel made;
  __cr_gather_into(&made, handle, index, reals, x, y);
  return made;
}

/* --- Surfaces: x counts bytes --- */

enum { TRAP, CLAMP, ZERO };

static inline s32 bounded(s32 i, s32 n, u32 mode, _Bool *outside) {
  if (i >= 0 && i < n)
    return i;
  *outside = 1;
  return mode == CLAMP ? (i < 0 ? 0 : n - 1) : 0;
}

/* The address of an access of this many bytes; 0 when the access is dropped. */
PER_LANE u64 __cr_surface(u64 handle, u32 geometry, u32 bytes, u32 mode, s32 layer, s32 x, s32 y, s32 z) {
  const struct cs_texture *t = object(handle, CS_SURFACE_MAGIC);
  const struct cs_texture_level *level = &t->level;
  _Bool outside = 0;
  s32 texel = (s32)(t->channels * t->channel_bytes), element = bounded(x / texel, (s32)level->width, mode, &outside);
  if (x < 0)
    element = bounded(-1, (s32)level->width, mode, &outside);
  s32 row = geometry == LINE ? 0 : bounded(y, (s32)level->height, mode, &outside);
  s32 slice = geometry == VOLUME ? bounded(z, (s32)level->depth, mode, &outside)
                                 : bounded(layer, (s32)t->layers, mode, &outside);
  if (outside && mode == TRAP)
    __cr_illegal_address();
  if (outside && mode == ZERO)
    return 0;
  u64 inside = outside ? 0 : (u64)(u32)x % (u32)texel;
  (void)bytes;
  return level->address + (u64)(u32)element * (u32)texel + inside + (u64)(u32)row * level->pitch +
         (u64)(u32)slice * level->slice;
}

u32 __cr_image_width(u64 handle) {
  return ((const struct cs_texture *)handle)->level.width;
}
u32 __cr_image_height(u64 handle) {
  return ((const struct cs_texture *)handle)->level.height;
}
u32 __cr_image_depth(u64 handle) {
  return ((const struct cs_texture *)handle)->level.depth;
}

/* A dropped access reads 0 and writes nothing. */
#define ACCESS(bits, type)                                                                                             \
  type __cr_surface_load_##bits(u64 address, u32 index) {                                                              \
    return address ? ((const type *)address)[index] : 0;                                                               \
  }                                                                                                                    \
  void __cr_surface_store_##bits(u64 address, u32 index, type value) {                                                 \
    if (address)                                                                                                       \
      ((type *)address)[index] = value;                                                                                \
  }
ACCESS(8, u8)
ACCESS(16, u16)
ACCESS(32, u32)
ACCESS(64, u64)
