/* bindings.cpp: the launchers of kernels.cu as functions of tensors. */
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

using at::Tensor;

#define STREAM at::cuda::getCurrentCUDAStream()
void softmax_launch(const float *in, float *out, int rows, int columns, int over, cudaStream_t stream);
void layer_norm_launch(const float *in, const float *weight, float *out, int rows, int columns, int over,
                       cudaStream_t stream);
void rope_launch(const float *in, const float *angles, float *out, int length, int half, int over, cudaStream_t stream);
void topk_launch(const float *in, long long *out, int rows, int columns, int k, int over, cudaStream_t stream);
void scatter_launch(const float *in, const long long *index, float *out, int n, cudaStream_t stream);
void adam_launch(float *parameter, const float *gradient, float *first, float *second, int n, float rate, int over,
                 cudaStream_t stream);
void quantised_launch(const float *in, const signed char *weight, const float *scales, float *out, int rows,
                      int columns, int depth, int group, int over, cudaStream_t stream);
void paged_launch(const float *query, const float *keys, const float *values, const int *table, float *out, int length,
                  int page, int features, cudaStream_t stream);
void sample_launch(const float *probability, const float *number, long long *out, int rows, int columns,
                   cudaStream_t stream);
void square_launch(const float *in, float *out, int n, cudaStream_t stream);
void square_backward_launch(const float *gradient, const float *in, float *out, int n, int over, cudaStream_t stream);

static const float *in(const Tensor &t) {
  return t.const_data_ptr<float>();
}
static float *out(const Tensor &t) {
  return t.mutable_data_ptr<float>();
}
static long long *numbers(const Tensor &t) {
  return (long long *)t.mutable_data_ptr<int64_t>();
}

static Tensor softmax(const Tensor &x, int over) {
  Tensor r = at::empty_like(x);
  softmax_launch(in(x), out(r), (int)x.size(0), (int)x.size(1), over, STREAM);
  return r;
}
static Tensor layer_norm(const Tensor &x, const Tensor &weight, int over) {
  Tensor r = at::empty_like(x);
  layer_norm_launch(in(x), in(weight), out(r), (int)x.size(0), (int)x.size(1), over, STREAM);
  return r;
}
static Tensor rope(const Tensor &x, const Tensor &angles, int over) {
  Tensor r = at::empty_like(x);
  rope_launch(in(x), in(angles), out(r), (int)x.size(0), (int)x.size(1) / 2, over, STREAM);
  return r;
}
static Tensor topk(const Tensor &x, int k, int over) {
  Tensor r = at::empty({x.size(0), k}, x.options().dtype(at::kLong));
  topk_launch(in(x), numbers(r), (int)x.size(0), (int)x.size(1), k, over, STREAM);
  return r;
}
static Tensor scatter(const Tensor &x, const Tensor &index, int n) {
  Tensor r = at::zeros({n}, x.options());
  scatter_launch(in(x), numbers(index), out(r), (int)x.numel(), STREAM);
  return r;
}
static void adam(const Tensor &parameter, const Tensor &gradient, const Tensor &first, const Tensor &second,
                 double rate, int over) {
  adam_launch(out(parameter), in(gradient), out(first), out(second), (int)parameter.numel(), (float)rate, over, STREAM);
}
static Tensor quantised(const Tensor &x, const Tensor &weight, const Tensor &scales, int over) {
  Tensor r = at::empty({x.size(0), weight.size(0)}, x.options());
  quantised_launch(in(x), (const signed char *)weight.const_data_ptr<int8_t>(), in(scales), out(r), (int)x.size(0),
                   (int)weight.size(0), (int)x.size(1), (int)(x.size(1) / scales.size(1)), over, STREAM);
  return r;
}
static Tensor paged(const Tensor &query, const Tensor &keys, const Tensor &values, const Tensor &table, int length) {
  Tensor r = at::empty_like(query);
  paged_launch(in(query), in(keys), in(values), table.const_data_ptr<int>(), out(r), length, (int)keys.size(1),
               (int)query.numel(), STREAM);
  return r;
}
static Tensor sample(const Tensor &probability, const Tensor &number) {
  Tensor r = at::empty({probability.size(0)}, probability.options().dtype(at::kLong));
  sample_launch(in(probability), in(number), numbers(r), (int)probability.size(0), (int)probability.size(1), STREAM);
  return r;
}
static Tensor square(const Tensor &x) {
  Tensor r = at::empty_like(x);
  square_launch(in(x), out(r), (int)x.numel(), STREAM);
  return r;
}
static Tensor square_backward(const Tensor &gradient, const Tensor &x, int over) {
  Tensor r = at::empty_like(x);
  square_backward_launch(in(gradient), in(x), out(r), (int)x.numel(), over, STREAM);
  return r;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("softmax", &softmax);
  m.def("layer_norm", &layer_norm);
  m.def("rope", &rope);
  m.def("topk", &topk);
  m.def("scatter", &scatter);
  m.def("adam", &adam);
  m.def("quantised", &quantised);
  m.def("paged", &paged);
  m.def("sample", &sample);
  m.def("square", &square);
  m.def("square_backward", &square_backward);
}
