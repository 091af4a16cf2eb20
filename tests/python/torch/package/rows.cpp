/* rows.cpp: the kernels of rows_kernels.cu as operators of torch.library. */
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

using at::Tensor;

void scale_launch(const float *in, const float *by, float *out, int rows, int columns, int over, cudaStream_t stream);
void gather_launch(const float *in, const long long *index, float *out, int rows, int columns, cudaStream_t stream);

static Tensor scale(const Tensor &x, const Tensor &by, int64_t over) {
  TORCH_CHECK(x.is_contiguous() && by.numel() == x.size(0), "one factor for each row");
  Tensor out = at::empty_like(x);
  scale_launch(x.const_data_ptr<float>(), by.const_data_ptr<float>(), out.mutable_data_ptr<float>(), (int)x.size(0),
               (int)x.size(1), (int)over, c10::cuda::getCurrentCUDAStream());
  return out;
}

static Tensor gather(const Tensor &x, const Tensor &index) {
  Tensor out = at::empty({index.numel(), x.size(1)}, x.options());
  gather_launch(x.const_data_ptr<float>(), (const long long *)index.const_data_ptr<int64_t>(),
                out.mutable_data_ptr<float>(), (int)index.numel(), (int)x.size(1), c10::cuda::getCurrentCUDAStream());
  return out;
}

TORCH_LIBRARY(cusafe_rows, library) {
  library.def("scale(Tensor x, Tensor by, int over) -> Tensor");
  library.def("gather(Tensor x, Tensor index) -> Tensor");
}
TORCH_LIBRARY_IMPL(cusafe_rows, CUDA, library) {
  library.impl("scale", scale);
  library.impl("gather", gather);
}
