/* described.c: asks cuBLASLt and cuSPARSE what their descriptors describe. */
#include "host/libraries/described.h"
#include "host/collect/nvidia.h"
#include "host/libraries/operands.h"
#include "host/libraries/values.h"
#include <library_types.h>

typedef int attribute_call(const void *descriptor, int attribute, void *to, size_t bytes, size_t *written);

static attribute_call *layout_call(void) {
  static void *slot;
  return (attribute_call *)cs_host_nvidia_function_once(CS_HOST_CUBLASLT, "cublasLtMatrixLayoutGetAttribute", &slot);
}

/* An attribute of 4 or 8 bytes; `otherwise` if the library does not have it. */
static int64_t attribute(attribute_call *get, const void *descriptor, int which, size_t bytes, int64_t otherwise) {
  int64_t wide = 0;
  int32_t narrow = 0;
  size_t written;
  void *to = bytes == sizeof narrow ? (void *)&narrow : (void *)&wide;
  if (!get || get(descriptor, which, to, bytes, &written))
    return otherwise;
  return bytes == sizeof narrow ? narrow : wide;
}

struct cs_host_span cs_host_lt_matrices(enum cs_access access, const void *layout, cs_u64 base) {
  attribute_call *get = layout_call();
  int64_t order = attribute(get, layout, CUBLASLT_MATRIX_LAYOUT_ORDER, 4, -1),
          rows = attribute(get, layout, CUBLASLT_MATRIX_LAYOUT_ROWS, 8, 0);
  int64_t columns = attribute(get, layout, CUBLASLT_MATRIX_LAYOUT_COLS, 8, 0),
          distance = attribute(get, layout, CUBLASLT_MATRIX_LAYOUT_LD, 8, 0);
  int is_by_rows = order == CUBLASLT_ORDER_ROW;
  if ((order != CUBLASLT_ORDER_COL && !is_by_rows) ||
      attribute(get, layout, CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, 8, 0) ||
      attribute(get, layout, CUBLASLT_MATRIX_LAYOUT_BATCH_MODE, 4, 0))
    return (struct cs_host_span){0};
  return cs_host_matrices(access, base, is_by_rows ? columns : rows, is_by_rows ? rows : columns, distance,
                          cs_host_type_bytes((int)attribute(get, layout, CUBLASLT_MATRIX_LAYOUT_TYPE, 4, -1)),
                          attribute(get, layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, 8, 0),
                          attribute(get, layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, 4, 1));
}

static attribute_call *operation_call(void) {
  static void *slot;
  return (attribute_call *)cs_host_nvidia_function_once(CS_HOST_CUBLASLT, "cublasLtMatmulDescGetAttribute", &slot);
}

enum { UNKNOWN = -1 };
static int is_scaled(attribute_call *get, const void *descriptor, int mode, int type, const void *factor) {
  return attribute(get, descriptor, mode, 4, UNKNOWN) == CUBLASLT_POINTER_MODE_HOST &&
         cs_host_is_nonzero(factor, cs_host_type_bytes((int)attribute(get, descriptor, type, 4, UNKNOWN)));
}

int cs_host_lt_is_scaled(const void *operation, const void *factor) {
  return is_scaled(operation_call(), operation, CUBLASLT_MATMUL_DESC_POINTER_MODE, CUBLASLT_MATMUL_DESC_SCALE_TYPE,
                   factor);
}

int cs_host_lt_is_transformed(const void *transform, const void *factor) {
  static void *slot;
  attribute_call *get = (attribute_call *)cs_host_nvidia_function_once(
      CS_HOST_CUBLASLT, "cublasLtMatrixTransformDescGetAttribute", &slot);
  return is_scaled(get, transform, CUBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE,
                   CUBLASLT_MATRIX_TRANSFORM_DESC_SCALE_TYPE, factor);
}

/* An epilogue's operand: its type is an attribute, or if that is not set, the result's. */
struct epilogue {
  int64_t has, rows, columns, count;
  cs_u64 base, bytes;
};
static struct epilogue epilogue(const void *operation, const void *layout, int pointer, int of_type) {
  attribute_call *get = operation_call(), *of_layout = layout_call();
  int64_t type = attribute(get, operation, of_type, 4, UNKNOWN),
          result = attribute(of_layout, layout, CUBLASLT_MATRIX_LAYOUT_TYPE, 4, UNKNOWN);
  if (type < 0 && of_type == CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE && result == CUDA_R_8I)
    result = attribute(get, operation, CUBLASLT_MATMUL_DESC_SCALE_TYPE, 4, UNKNOWN);
  return (struct epilogue){.has = attribute(get, operation, CUBLASLT_MATMUL_DESC_EPILOGUE, 4, 0),
                           .rows = attribute(of_layout, layout, CUBLASLT_MATRIX_LAYOUT_ROWS, 8, 0),
                           .columns = attribute(of_layout, layout, CUBLASLT_MATRIX_LAYOUT_COLS, 8, 0),
                           .count = attribute(of_layout, layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, 4, 1),
                           .base = cs_strip((cs_u64)attribute(get, operation, pointer, 8, 0)),
                           .bytes = cs_host_type_bytes((int)(type < 0 ? result : type))};
}

struct cs_host_span cs_host_lt_bias(const void *operation, const void *layout) {
  struct epilogue e =
      epilogue(operation, layout, CUBLASLT_MATMUL_DESC_BIAS_POINTER, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE);
  int is_gradient = e.has & (CUBLASLT_EPILOGUE_BGRAD | CUBLASLT_EPILOGUE_BGRADA | CUBLASLT_EPILOGUE_BGRADB);
  if (!is_gradient && !(e.has & CUBLASLT_EPILOGUE_BIAS))
    return (struct cs_host_span){0};
  int64_t n = e.has & CUBLASLT_EPILOGUE_BGRADB ? e.columns : e.rows;
  return cs_host_matrices(is_gradient ? CS_ACCESS_WRITE : CS_ACCESS_READ, e.base, n, 1, n, e.bytes,
                          attribute(operation_call(), operation, CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, 8, 0),
                          e.count);
}

/* The mask of ReLU has a bit for each element. */
struct cs_host_span cs_host_lt_aux(const void *operation, const void *layout) {
  enum { BITS = 8 };
  struct epilogue e = epilogue(operation, layout, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER,
                               CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE);
  int64_t distance = attribute(operation_call(), operation, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, 8, 0),
          stride = attribute(operation_call(), operation, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, 8, 0);
  int is_written = (e.has & (CUBLASLT_EPILOGUE_RELU | CUBLASLT_EPILOGUE_GELU)) != 0;
  if (!(e.has & CUBLASLT_EPILOGUE_AUX))
    return (struct cs_host_span){0};
  if (e.has & (CUBLASLT_EPILOGUE_RELU | CUBLASLT_EPILOGUE_DRELU)) {
    e.bytes = 1;
    e.rows = (e.rows + BITS - 1) / BITS;
    distance /= BITS;
    stride /= BITS;
  }
  return cs_host_matrices(is_written ? CS_ACCESS_WRITE : CS_ACCESS_READ, e.base, e.rows, e.columns, distance, e.bytes,
                          stride, e.count);
}

/* Calls of cuSPARSE that read a descriptor. Releases before 12 have no descriptors of constant operands, nor calls that
 * read them. */
static void *reader(const char *of_constant, const char *name, void **slot) {
  void *found = cs_host_nvidia_function_once(CS_HOST_CUSPARSE, of_constant, slot);
  return found ? found : cs_host_nvidia_function_once(CS_HOST_CUSPARSE, name, slot);
}
#define READER(name, ...)                                                                                              \
  static int (*name##_call(void))(__VA_ARGS__) {                                                                       \
    static void *slot;                                                                                                 \
    return (int (*)(__VA_ARGS__))reader("cusparseConst" #name, "cusparse" #name, &slot);                               \
  }
READER(CsrGet, const void *, int64_t *, int64_t *, int64_t *, void **, void **, void **, int *, int *, int *, int *)
READER(CscGet, const void *, int64_t *, int64_t *, int64_t *, void **, void **, void **, int *, int *, int *, int *)
READER(CooGet, const void *, int64_t *, int64_t *, int64_t *, void **, void **, void **, int *, int *, int *)
READER(SpVecGet, const void *, int64_t *, int64_t *, void **, void **, int *, int *, int *)
READER(DnVecGet, const void *, int64_t *, void **, int *)
READER(DnMatGet, const void *, int64_t *, int64_t *, int64_t *, void **, int *, int *)
#undef READER

#define CALL(name, ...) ((int (*)(__VA_ARGS__))cs_host_nvidia_function_once(CS_HOST_CUSPARSE, name, &slot))

/* The arrays of a sparse matrix, and the bytes of an element of each. */
enum { ARRAYS = 3 };
struct sparse {
  cs_u64 start[ARRAYS], count[ARRAYS], bytes[ARRAYS];
};

static cs_u64 index_bytes(int type) {
  static const unsigned char bytes[] = {[CUSPARSE_INDEX_16U] = 2, [CUSPARSE_INDEX_32I] = 4, [CUSPARSE_INDEX_64I] = 8};
  return type > 0 && type < (int)sizeof bytes ? bytes[type] : 0;
}

static int read_sparse(const void *descriptor, struct sparse *s) {
  static void *slot;
  int (*format_of)(const void *, int *) = CALL("cusparseSpMatGetFormat", const void *, int *);
  int64_t rows, columns, nonzeros;
  void *first, *second, *values;
  int format, first_type, second_type, base, type, error = -1;
  if (!format_of || format_of(descriptor, &format))
    return -1;
  int is_compressed = format == CUSPARSE_FORMAT_CSR || format == CUSPARSE_FORMAT_CSC;
  __typeof__(CsrGet_call()) of_compressed =
      is_compressed ? (format == CUSPARSE_FORMAT_CSR ? CsrGet_call() : CscGet_call()) : NULL;
  if (of_compressed)
    error = of_compressed(descriptor, &rows, &columns, &nonzeros, &first, &second, &values, &first_type, &second_type,
                          &base, &type);
  if (format == CUSPARSE_FORMAT_COO && CooGet_call()) {
    error = CooGet_call()(descriptor, &rows, &columns, &nonzeros, &first, &second, &values, &first_type, &base, &type);
    second_type = first_type;
  }
  if (error)
    return -1;
  cs_u64 offsets = (cs_u64)(format == CUSPARSE_FORMAT_CSR ? rows : columns) + 1;
  *s = (struct sparse){{cs_strip((cs_u64)first), cs_strip((cs_u64)second), cs_strip((cs_u64)values)},
                       {is_compressed ? offsets : (cs_u64)nonzeros, (cs_u64)nonzeros, (cs_u64)nonzeros},
                       {index_bytes(first_type), index_bytes(second_type), cs_host_type_bytes(type)}};
  return 0;
}

/* Of a batch, whose strides the library does not give, the first matrix. */
struct cs_host_span cs_host_sparse_matrix(enum cs_access indices, enum cs_access values, const void *descriptor) {
  struct cs_host_span span = {0};
  struct sparse s;
  if (read_sparse(descriptor, &s))
    return span;
  for (int i = 0; i < ARRAYS && cs_host_span_is_valid(&span); i++)
    span = cs_host_vector(i == ARRAYS - 1 ? values : indices, s.start[i], s.count[i], 1, s.bytes[i]);
  return span;
}

struct cs_host_span cs_host_sparse_entries(enum cs_access access, const void *descriptor) {
  int64_t size, nonzeros;
  void *indices, *values;
  int index_type, base, type;
  if (!SpVecGet_call() || SpVecGet_call()(descriptor, &size, &nonzeros, &indices, &values, &index_type, &base, &type))
    return (struct cs_host_span){0};
  struct cs_host_span span =
      cs_host_vector(CS_ACCESS_READ, cs_strip((cs_u64)indices), (cs_u64)nonzeros, 1, index_bytes(index_type));
  return cs_host_span_is_valid(&span)
             ? cs_host_vector(access, cs_strip((cs_u64)values), (cs_u64)nonzeros, 1, cs_host_type_bytes(type))
             : span;
}

struct cs_host_span cs_host_sparse_vector(enum cs_access access, const void *descriptor) {
  int64_t size;
  void *values;
  int type;
  if (!DnVecGet_call() || DnVecGet_call()(descriptor, &size, &values, &type))
    return (struct cs_host_span){0};
  return cs_host_vector(access, cs_strip((cs_u64)values), (cs_u64)size, 1, cs_host_type_bytes(type));
}

struct cs_host_span cs_host_sparse_dense(enum cs_access access, const void *descriptor) {
  static void *slot;
  int (*batches_of)(const void *, int *, int64_t *) =
      CALL("cusparseDnMatGetStridedBatch", const void *, int *, int64_t *);
  int64_t rows, columns, distance, stride = 0;
  void *values;
  int type, order, count = 1;
  if (!DnMatGet_call() || DnMatGet_call()(descriptor, &rows, &columns, &distance, &values, &type, &order))
    return (struct cs_host_span){0};
  if (!batches_of || batches_of(descriptor, &count, &stride))
    count = 1;
  int is_by_rows = order == CUSPARSE_ORDER_ROW;
  return cs_host_matrices(access, cs_strip((cs_u64)values), is_by_rows ? columns : rows, is_by_rows ? rows : columns,
                          distance, cs_host_type_bytes(type), stride, count);
}

int cs_host_sparse_is_scaled(void *handle, const void *alpha, int type) {
  static void *slot;
  return cs_host_is_scaled(CALL("cusparseGetPointerMode", void *, int *), handle, alpha, cs_host_type_bytes(type));
}
