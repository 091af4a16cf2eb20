// twins.cl: six kernels of the bench, written by hand in OpenCL C.

kernel void gemm(global const float *a, global const float *b, global float *c, int n, float alpha, float beta) {
  int column = get_global_id(0), row = get_global_id(1);
  if (row >= n || column >= n)
    return;
  float sum = 0;
  for (int k = 0; k < n; k++)
    sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = alpha * sum + beta * c[row * n + column];
}

kernel void row_products(global const float *a, global const float *x, global float *y, int rows, int columns) {
  int i = get_global_id(0);
  if (i >= rows)
    return;
  float sum = 0;
  for (int j = 0; j < columns; j++)
    sum += a[i * columns + j] * x[j];
  y[i] = sum;
}

kernel void column_products(global const float *a, global const float *x, global float *y, int rows, int columns) {
  int j = get_global_id(0);
  if (j >= columns)
    return;
  float sum = 0;
  for (int i = 0; i < rows; i++)
    sum += a[i * columns + j] * x[i];
  y[j] = sum;
}

kernel void jacobi2d(global const float *in, global float *out, int n) {
  int x = get_global_id(0) + 1, y = get_global_id(1) + 1;
  if (x < n - 1 && y < n - 1)
    out[y * n + x] =
        0.2f * (in[y * n + x] + in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x]);
}

kernel void spmv(global const int *starts, global const int *columns, global const float *values, global const float *x,
                 global float *y, int rows) {
  int row = get_global_id(0);
  if (row >= rows)
    return;
  float sum = 0;
  for (int e = starts[row]; e < starts[row + 1]; e++)
    sum += values[e] * x[columns[e]];
  y[row] = sum;
}

#define T 16
kernel void gemm_tiled(global const float *a, global const float *b, global float *c, int n) {
  local float left[T][T], right[T][T];
  int tx = get_local_id(0), ty = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int k = 0; k < n; k += T) {
    left[ty][tx] = y < n && k + tx < n ? a[y * n + k + tx] : 0;
    right[ty][tx] = x < n && k + ty < n ? b[(k + ty) * n + x] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < T; i++)
      sum += left[ty][i] * right[i][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (x < n && y < n)
    c[y * n + x] = sum;
}

kernel void reduce(global const float *in, global float *out, int count, local float *partial) {
  int t = get_local_id(0);
  float sum = 0;
  for (int i = get_global_id(0); i < count; i += get_global_size(0))
    sum += in[i];
  partial[t] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int half_size = get_local_size(0) / 2; half_size; half_size /= 2) {
    if (t < half_size)
      partial[t] += partial[t + half_size];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0)
    out[get_group_id(0)] = partial[0];
}
