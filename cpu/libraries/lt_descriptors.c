/* lt_descriptors.c: cuBLASLt's handles, descriptors and algorithms, of which there is one. */
#include "cpu/libraries/lt_choose.h"
#include "cpu/libraries/lt_refuse.h"
#include "cpu/libraries/work.h"
#include <stdlib.h>
#include <string.h>

/* An attribute of a descriptor; the last of a list has no bytes. */
struct attribute {
  int number;
  size_t offset, bytes;
};

static const struct attribute *find(const struct attribute *list, int number) {
  while (list->bytes && list->number != number)
    list++;
  return list->bytes ? list : NULL;
}

static int set(void *descriptor, const struct attribute *list, int number, const void *from, size_t bytes) {
  const struct attribute *a = find(list, number);
  if (!descriptor || !a || !from || bytes != a->bytes)
    return CS_LT_INVALID_VALUE;
  memcpy((char *)descriptor + a->offset, from, bytes);
  return CS_LT_SUCCESS;
}

/* Without bytes, only the size of the attribute is asked for. */
static int get(const void *descriptor, const struct attribute *list, int number, void *to, size_t bytes,
               size_t *written) {
  const struct attribute *a = find(list, number);
  if (!descriptor || !a || (bytes ? !to || bytes != a->bytes : !written))
    return CS_LT_INVALID_VALUE;
  if (bytes)
    memcpy(to, (const char *)descriptor + a->offset, bytes);
  if (written)
    *written = a->bytes;
  return CS_LT_SUCCESS;
}

/* A new descriptor in memory of the library, or one in memory of the caller. */
static int create(void **to, const void *from, size_t bytes) {
  if (!to)
    return CS_LT_INVALID_VALUE;
  *to = malloc(bytes);
  if (!*to)
    return CS_LT_ALLOC_FAILED;
  memcpy(*to, from, bytes);
  return CS_LT_SUCCESS;
}
static int initialize(void *to, size_t room, const void *from, size_t bytes) {
  if (!to)
    return CS_LT_INVALID_VALUE;
  if (room < bytes)
    return CS_LT_ALLOC_FAILED;
  memcpy(to, from, bytes);
  return CS_LT_SUCCESS;
}
static int destroy(void *descriptor) {
  free(descriptor);
  return CS_LT_SUCCESS;
}

#define DEFAULT(number, type, name, otherwise) .name = otherwise,
static const struct cs_lt_layout layout = {
#define CS_LT_LAYOUT DEFAULT
#include "cpu/libraries/lt_attributes.inc"
};
static const struct cs_lt_operation operation = {
#define CS_LT_OPERATION DEFAULT
#include "cpu/libraries/lt_attributes.inc"
};
static const struct cs_lt_transform transform = {
#define CS_LT_TRANSFORM DEFAULT
#include "cpu/libraries/lt_attributes.inc"
};
static const struct cs_lt_preference preference = {
#define CS_LT_PREFERENCE DEFAULT
#include "cpu/libraries/lt_attributes.inc"
};
static const struct cs_lt_algorithm algorithm = {
#define CS_LT_ALGORITHM DEFAULT
#include "cpu/libraries/lt_attributes.inc"
};
static const struct ability {
#define CS_LT_ABILITY CS_LT_FIELD
#include "cpu/libraries/lt_attributes.inc"
} ability = {
#define CS_LT_ABILITY DEFAULT
#include "cpu/libraries/lt_attributes.inc"
};

/* The descriptors of cublasLt.h have this room. */
_Static_assert(sizeof layout <= 64 && sizeof operation <= 256 && sizeof transform <= 64 && sizeof preference <= 64 &&
                   sizeof algorithm <= 64,
               "a descriptor is larger than cuBLASLt's");

#define ATTRIBUTE(owner, number, type, name) {number, offsetof(struct owner, name), sizeof(type)},
#define LAYOUT(number, type, name, otherwise) ATTRIBUTE(cs_lt_layout, number, type, name)
#define OPERATION(number, type, name, otherwise) ATTRIBUTE(cs_lt_operation, number, type, name)
#define TRANSFORM(number, type, name, otherwise) ATTRIBUTE(cs_lt_transform, number, type, name)
#define PREFERENCE(number, type, name, otherwise) ATTRIBUTE(cs_lt_preference, number, type, name)
#define ALGORITHM(number, type, name, otherwise) ATTRIBUTE(cs_lt_algorithm, number, type, name)
#define ABILITY(number, type, name, otherwise) ATTRIBUTE(ability, number, type, name)
static const struct attribute of_layout[] = {
#define CS_LT_LAYOUT LAYOUT
#include "cpu/libraries/lt_attributes.inc"
    {0}};
static const struct attribute of_operation[] = {
#define CS_LT_OPERATION OPERATION
#include "cpu/libraries/lt_attributes.inc"
    {0}};
static const struct attribute of_transform[] = {
#define CS_LT_TRANSFORM TRANSFORM
#include "cpu/libraries/lt_attributes.inc"
    {0}};
static const struct attribute of_preference[] = {
#define CS_LT_PREFERENCE PREFERENCE
#include "cpu/libraries/lt_attributes.inc"
    {0}};
static const struct attribute of_algorithm[] = {
#define CS_LT_ALGORITHM ALGORITHM
#include "cpu/libraries/lt_attributes.inc"
    {0}};
static const struct attribute of_ability[] = {
#define CS_LT_ABILITY ABILITY
#include "cpu/libraries/lt_attributes.inc"
    {0}};

#define ACCESS(name, list)                                                                                             \
  CS_LT_PUBLIC(name##SetAttribute, (void *descriptor, int number, const void *from, size_t bytes)) {                   \
    return set(descriptor, list, number, from, bytes);                                                                 \
  }                                                                                                                    \
  CS_LT_PUBLIC(name##GetAttribute, (const void *descriptor, int number, void *to, size_t bytes, size_t *written)) {    \
    return get(descriptor, list, number, to, bytes, written);                                                          \
  }
#define DESCRIPTOR(name, list)                                                                                         \
  ACCESS(name, list)                                                                                                   \
  CS_LT_PUBLIC(name##Destroy, (void *descriptor)) {                                                                    \
    return destroy(descriptor);                                                                                        \
  }
DESCRIPTOR(cublasLtMatrixLayout, of_layout)
DESCRIPTOR(cublasLtMatmulDesc, of_operation)
DESCRIPTOR(cublasLtMatrixTransformDesc, of_transform)
DESCRIPTOR(cublasLtMatmulPreference, of_preference)
ACCESS(cublasLtMatmulAlgoConfig, of_algorithm)

static struct cs_lt_layout new_layout(uint32_t type, uint64_t rows, uint64_t columns, int64_t distance) {
  struct cs_lt_layout made = layout;
  made.type = type;
  made.rows = rows;
  made.columns = columns;
  made.distance = distance;
  return made;
}
CS_LT_PUBLIC(cublasLtMatrixLayoutCreate,
             (void **to, uint32_t type, uint64_t rows, uint64_t columns, int64_t distance)) {
  struct cs_lt_layout made = new_layout(type, rows, columns, distance);
  return create(to, &made, sizeof made);
}
CS_LT_PUBLIC(cublasLtMatrixLayoutInit_internal,
             (void *to, size_t room, uint32_t type, uint64_t rows, uint64_t columns, int64_t distance)) {
  struct cs_lt_layout made = new_layout(type, rows, columns, distance);
  return initialize(to, room, &made, sizeof made);
}

static struct cs_lt_operation new_operation(int compute, int scale) {
  struct cs_lt_operation made = operation;
  made.compute = compute;
  made.scale = scale;
  return made;
}
CS_LT_PUBLIC(cublasLtMatmulDescCreate, (void **to, int compute, int scale)) {
  struct cs_lt_operation made = new_operation(compute, scale);
  return create(to, &made, sizeof made);
}
CS_LT_PUBLIC(cublasLtMatmulDescInit_internal, (void *to, size_t room, int compute, int scale)) {
  struct cs_lt_operation made = new_operation(compute, scale);
  return initialize(to, room, &made, sizeof made);
}

CS_LT_PUBLIC(cublasLtMatrixTransformDescCreate, (void **to, int scale)) {
  struct cs_lt_transform made = transform;
  made.scale = scale;
  return create(to, &made, sizeof made);
}
CS_LT_PUBLIC(cublasLtMatrixTransformDescInit_internal, (void *to, size_t room, int scale)) {
  struct cs_lt_transform made = transform;
  made.scale = scale;
  return initialize(to, room, &made, sizeof made);
}

CS_LT_PUBLIC(cublasLtMatmulPreferenceCreate, (void **to)) {
  return create(to, &preference, sizeof preference);
}
CS_LT_PUBLIC(cublasLtMatmulPreferenceInit_internal, (void *to, size_t room)) {
  return initialize(to, room, &preference, sizeof preference);
}

/* A cublasHandle_t is a handle, too: none is ever read. */
CS_LT_PUBLIC(cublasLtCreate, (void **handle)) {
  static _Atomic(void *) any;
  if (!handle)
    return CS_LT_INVALID_VALUE;
  *handle = NULL;
  if (!cs_library_function(CS_ENGINE_OPENBLAS, "sgemm_", &any))
    return cs_lt_refuse(__func__, 0, cs_library_missing(CS_ENGINE_OPENBLAS));
  if (cs_library_start())
    return CS_LT_NOT_INITIALIZED;
  *handle = malloc(1);
  return *handle ? CS_LT_SUCCESS : CS_LT_ALLOC_FAILED;
}
CS_LT_PUBLIC(cublasLtDestroy, (void *handle)) {
  return handle ? destroy(handle) : CS_LT_NOT_INITIALIZED;
}

/* cublasLtMatmulHeuristicResult_t. */
struct result {
  struct cs_lt_algorithm algorithm;
  _Alignas(8) char rest[64 - sizeof(struct cs_lt_algorithm)]; /* of an algorithm in cublasLt.h */
  size_t room;
  int status;
  float waves;
  int reserved[4];
};
_Static_assert(sizeof(struct result) == 96, "the result of cublasLtMatmulAlgoGetHeuristic");

static struct result choose(const char *call, const struct cs_lt_operation *o, const struct cs_lt_layout *a,
                            const struct cs_lt_layout *b, const struct cs_lt_layout *c, const struct cs_lt_layout *d) {
  struct cs_lt_kind kind;
  return (struct result){.algorithm = algorithm, .status = cs_lt_choose(call, 0, o, a, b, c, d, &kind), .waves = 1};
}

CS_LT_PUBLIC(cublasLtMatmulAlgoGetHeuristic,
             (void *handle, const struct cs_lt_operation *o, const struct cs_lt_layout *a, const struct cs_lt_layout *b,
              const struct cs_lt_layout *c, const struct cs_lt_layout *d, const void *preferred, int requested,
              struct result *results, int *count)) {
  if (!handle)
    return CS_LT_NOT_INITIALIZED;
  if (!preferred || requested < 1 || !results || !count)
    return CS_LT_INVALID_VALUE;
  results[0] = choose(__func__, o, a, b, c, d);
  *count = results[0].status == CS_LT_SUCCESS;
  return results[0].status;
}
CS_LT_PUBLIC(cublasLtMatmulAlgoCheck,
             (void *handle, const struct cs_lt_operation *o, const struct cs_lt_layout *a, const struct cs_lt_layout *b,
              const struct cs_lt_layout *c, const struct cs_lt_layout *d, const void *given, struct result *result)) {
  if (!handle)
    return CS_LT_NOT_INITIALIZED;
  if (!given || !result)
    return CS_LT_INVALID_VALUE;
  struct cs_lt_algorithm chosen;
  memcpy(&chosen, given, sizeof chosen); /* which may be in the result */
  *result = choose(__func__, o, a, b, c, d);
  result->algorithm = chosen;
  return result->status;
}
CS_LT_PUBLIC(cublasLtMatmulAlgoGetIds, (void *handle, int compute, int scale, int a, int b, int c, int d, int requested,
                                        int *numbers, int *count)) {
  (void)compute, (void)scale, (void)a, (void)b, (void)c, (void)d;
  if (!handle)
    return CS_LT_NOT_INITIALIZED;
  if (requested < 1 || !numbers || !count)
    return CS_LT_INVALID_VALUE;
  numbers[0] = algorithm.number;
  *count = 1;
  return CS_LT_SUCCESS;
}
CS_LT_PUBLIC(cublasLtMatmulAlgoInit, (void *handle, int compute, int scale, int a, int b, int c, int d, int number,
                                      struct cs_lt_algorithm *to)) {
  (void)compute, (void)scale, (void)a, (void)b, (void)c, (void)d;
  if (!handle)
    return CS_LT_NOT_INITIALIZED;
  if (!to || number != algorithm.number)
    return CS_LT_INVALID_VALUE;
  *to = algorithm;
  return CS_LT_SUCCESS;
}

/* The lists of tiles and of stages are empty. */
CS_LT_PUBLIC(cublasLtMatmulAlgoCapGetAttribute,
             (const void *given, int number, void *to, size_t bytes, size_t *written)) {
  enum { TILES = 6, STAGES = 13 };
  if (number != TILES && number != STAGES)
    return given ? get(&ability, of_ability, number, to, bytes, written) : CS_LT_INVALID_VALUE;
  if (!given || !written)
    return CS_LT_INVALID_VALUE;
  *written = 0;
  return CS_LT_SUCCESS;
}

/* No algorithm is searched for, so no cache is kept. */
CS_LT_PUBLIC(cublasLtHeuristicsCacheGetCapacity, (size_t *capacity)) {
  if (!capacity)
    return CS_LT_INVALID_VALUE;
  *capacity = 0;
  return CS_LT_SUCCESS;
}
CS_LT_PUBLIC(cublasLtHeuristicsCacheSetCapacity, (size_t capacity)) {
  (void)capacity;
  return CS_LT_SUCCESS;
}
