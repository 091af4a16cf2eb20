/* operators.cpp: computes ATen's operators for CUDA tensors with its operators for CPU tensors, in place on the CPU
 * device's memory, which the host can access. What is computed here is not checked.
 *
 * One boxed kernel replaces each CUDA kernel in ATen's dispatcher. It waits for the current stream, describes the CUDA
 * tensors to the CPU kernel as CPU tensors with the same bytes ("aliases"), and turns its results into CUDA tensors. */
#include <algorithm>
#include <ATen/Context.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/_sparse_compressed_tensor_unsafe.h>
#include <ATen/ops/_sparse_coo_tensor_unsafe.h>
#include <ATen/ops/copy_native.h>
#include <ATen/ops/empty_native.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/empty_strided_native.h>
#include <ATen/ops/resize_native.h>
#include <ATen/SparseCsrTensorImpl.h>
#include <ATen/SparseTensorImpl.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/Exception.h>
#include <cstring>
#include <mutex>
#include <sstream>
#include <string>
#include <torch/library.h>
#include <unordered_set>
#include <vector>

/* Of libcusafe, which is preloaded. */
extern "C" {
void cusafe_operator_computed() __attribute__((weak));
void cusafe_buffer_named(void *buffer, const char *name) __attribute__((weak));
}

namespace {

using at::Tensor;
using c10::DispatchKey;

/* For the summary. */
void count_computed() {
  if (cusafe_operator_computed)
    cusafe_operator_computed();
}

/* ---- Out of memory: what PyTorch's pool would raise, which is off ------------------------------------------------- */

/* Allocates a tensor of that size. */
template <class Allocate> decltype(auto) with_memory(at::IntArrayRef size, const Allocate &allocate) {
  constexpr int32_t MEMORY_ALLOCATION = 2; /* cudaErrorMemoryAllocation */
  try {
    return allocate();
  } catch (const c10::AcceleratorError &e) {
    TORCH_CHECK_WITH(OutOfMemoryError, e.get_error_code() != MEMORY_ALLOCATION,
                     "CUDA out of memory. Tried to allocate a tensor of size ", size);
    throw;
  }
}

/* Calls a CPU kernel, which allocates its results on the host. */
template <class Call> void with_host_memory(const Call &call) {
  try {
    call();
  } catch (const c10::Error &e) {
    const std::string message = e.what_without_backtrace();
    TORCH_CHECK_WITH(OutOfMemoryError, message.find("DefaultCPUAllocator: ") == std::string::npos,
                     "CUDA out of memory. ", message);
    throw;
  }
}

/* ---- Random numbers ---------------------------------------------------------------------------------------------- */

/* The position of a CUDA generator is its seed and its offset. It represents this many numbers of the CPU generator with
 * the same seed, times 4, since CUDA's offsets are multiples of 4. So manual_seed, get_state and set_state work, and the
 * first random tensor after manual_seed equals the CPU's. */
class Random {
  std::unique_lock<std::mutex> lock;
  at::Generator device, host;
  at::mt19937 before;
  bool borrowed; /* the CPU's default generator, for operators that have no argument for one */
  at::mt19937 borrowed_engine;
  std::optional<float> borrowed_float;
  std::optional<double> borrowed_double;

  /* The most recent position, so that its numbers need not be drawn again. */
  struct Position {
    uint64_t seed = 0, offset = 1;
    at::mt19937 engine;
  };
  static std::mutex &mutex() {
    static std::mutex m;
    return m;
  }
  static Position &latest() {
    static Position p;
    return p;
  }

  static at::mt19937 engine_at(uint64_t seed, uint64_t offset) {
    if (latest().seed == seed && latest().offset == offset)
      return latest().engine;
    at::mt19937 engine(seed);
    for (uint64_t i = 0; i < offset / 4; i++)
      engine();
    return engine;
  }

  static bool equal(const at::mt19937_data_pod &a, const at::mt19937_data_pod &b) {
    return a.next_ == b.next_ && a.left_ == b.left_ && a.state_ == b.state_;
  }

  at::CPUGeneratorImpl *cpu() { return at::check_generator<at::CPUGeneratorImpl>(host); }

public:
  Random(const at::Generator &given, c10::Device where, bool has_argument) : lock(mutex()), borrowed(!has_argument) {
    device = given.defined() ? given : at::globalContext().defaultGenerator(where);
    TORCH_CHECK(device.device().is_cuda(), "Expected a '", where, "' device type for generator but found '",
                device.device(), "'");
    std::lock_guard<std::mutex> guard(device.mutex());
    before = engine_at(device.current_seed(), device.get_offset());
    host = borrowed ? at::detail::getDefaultCPUGenerator() : at::detail::createCPUGenerator(device.current_seed());
    if (borrowed) {
      borrowed_engine = cpu()->engine();
      borrowed_float = cpu()->next_float_normal_sample();
      borrowed_double = cpu()->next_double_normal_sample();
    }
    cpu()->set_engine(before);
    cpu()->set_next_float_normal_sample(std::nullopt);
    cpu()->set_next_double_normal_sample(std::nullopt);
  }
  Random(const Random &) = delete;
  Random &operator=(const Random &) = delete;

  ~Random() {
    if (!borrowed)
      return;
    cpu()->set_engine(borrowed_engine);
    cpu()->set_next_float_normal_sample(borrowed_float);
    cpu()->set_next_double_normal_sample(borrowed_double);
  }

  const at::Generator &generator() const { return host; }

  /* Advances the CUDA generator by what the operator has drawn. */
  void end() {
    at::mt19937 after = cpu()->engine(), engine = before;
    const at::mt19937_data_pod last = after.data();
    uint64_t drawn = 0;
    for (; !equal(engine.data(), last); drawn++)
      engine();
    std::lock_guard<std::mutex> guard(device.mutex());
    device.set_offset(device.get_offset() + 4 * drawn);
    latest() = {device.current_seed(), device.get_offset(), after};
  }
};

/* ---- Tensors ----------------------------------------------------------------------------------------------------- */

bool is_strided(const Tensor &t) {
  return t.layout() == at::kStrided;
}

/* A tensor of the type and keys of a device, that uses the storage as another tensor does. */
Tensor make_view(c10::Storage storage, c10::DispatchKeySet keys, const Tensor &like) {
  Tensor r = at::detail::make_tensor<c10::TensorImpl>(std::move(storage), keys, like.dtype());
  r.unsafeGetTensorImpl()->set_sizes_and_strides(like.sizes(), like.strides(), like.storage_offset());
  if (like.is_conj())
    r._set_conj(true);
  if (like.is_neg())
    r._set_neg(true);
  return r;
}

const void *bytes_of(const c10::Storage &s) {
  return s.data();
}

size_t span_of(const Tensor &t) {
  return at::detail::computeStorageNbytes(t.sizes(), t.strides(), t.dtype().itemsize());
}

/* A CUDA tensor with the contents of a CPU tensor. The memory is new, so no stream uses it. */
Tensor copy_to_device(const Tensor &t, c10::Device device) {
  Tensor r = at::empty_strided(t.sizes(), t.strides(), t.options().device(device).pinned_memory(false));
  if (const size_t bytes = span_of(t))
    std::memcpy(r.mutable_data_ptr(), t.const_data_ptr(), bytes);
  if (t.is_conj())
    r._set_conj(true);
  if (t.is_neg())
    r._set_neg(true);
  return r;
}

bool is_compressed(const Tensor &t) {
  const c10::Layout layout = t.layout();
  return layout == at::kSparseCsr || layout == at::kSparseCsc || layout == at::kSparseBsr || layout == at::kSparseBsc;
}

at::SparseTensorImpl *coo(const Tensor &t) {
  return static_cast<at::SparseTensorImpl *>(t.unsafeGetTensorImpl());
}

at::SparseCsrTensorImpl *compressed(const Tensor &t) {
  return static_cast<at::SparseCsrTensorImpl *>(t.unsafeGetTensorImpl());
}

/* The aliases of one operator's tensors. */
class Aliases {
  struct Alias {
    Tensor device, host;
    const void *bytes; /* of the storage, or of a sparse tensor's values; another one afterwards: was resized */
  };
  struct Shared {
    c10::Storage device, host;
  };
  std::vector<Alias> aliases;
  std::vector<Shared> storages; /* tensors that share a storage have aliases that do */
  std::vector<Tensor> cpu;      /* the operator's CPU tensors, which stay what they are as results */

  c10::Storage alias_storage(const c10::Storage &s) {
    for (const Shared &known : storages)
      if (known.device.unsafeGetStorageImpl() == s.unsafeGetStorageImpl())
        return known.host;
    void *bytes = s.mutable_data();
    c10::Storage host(c10::Storage::use_byte_size_t(), s.nbytes(),
                      c10::DataPtr(bytes, bytes, [](void *) {}, at::kCPU), c10::GetCPUAllocator(), true);
    storages.push_back({s, host});
    return host;
  }

  Tensor alias_strided(const Tensor &t) {
    Tensor r = make_view(alias_storage(t.storage()), c10::DispatchKeySet(DispatchKey::CPU), t);
    if (t.unsafeGetTensorImpl()->is_wrapped_number())
      r.unsafeGetTensorImpl()->set_wrapped_number(true);
    return r;
  }

  Tensor alias_coo(const Tensor &t) {
    auto *impl = coo(t);
    return at::_sparse_coo_tensor_unsafe(to_host(impl->indices()), to_host(impl->values()), t.sizes(),
                                         t.options().device(at::kCPU), impl->coalesced());
  }

  Tensor alias_compressed(const Tensor &t) {
    auto *impl = compressed(t);
    return at::_sparse_compressed_tensor_unsafe(to_host(impl->compressed_indices()), to_host(impl->plain_indices()),
                                                to_host(impl->values()), t.sizes(), t.options().device(at::kCPU));
  }

  static const void *contents(const Tensor &t) {
    if (is_strided(t))
      return bytes_of(t.storage());
    return t.layout() == at::kSparse ? bytes_of(coo(t)->values().storage())
                                     : bytes_of(compressed(t)->values().storage());
  }

  /* The CPU kernel has given an out= tensor, or one that it changes in place, another shape or storage. A storage that
   * has grown keeps what other tensors have in it. */
  void update_strided(const Alias &a) {
    const c10::Storage &grown = a.host.storage();
    if (bytes_of(grown) != a.bytes) {
      Tensor up = at::empty_strided({static_cast<int64_t>(grown.nbytes())}, {1},
                                    a.device.options().dtype(at::kByte).pinned_memory(false));
      if (grown.nbytes())
        std::memcpy(up.mutable_data_ptr(), grown.data(), grown.nbytes());
      auto *storage = a.device.storage().unsafeGetStorageImpl();
      storage->set_data_ptr_noswap(
          up.storage().unsafeGetStorageImpl()->set_data_ptr(c10::DataPtr(nullptr, up.device())));
      storage->set_nbytes(grown.nbytes());
    }
    a.device.unsafeGetTensorImpl()->set_sizes_and_strides(a.host.sizes(), a.host.strides(), a.host.storage_offset());
  }

  void update_coo(const Alias &a) {
    auto *from = coo(a.host), *to = coo(a.device);
    to->raw_resize_(from->sparse_dim(), from->dense_dim(), a.host.sizes());
    to->set_indices_and_values_unsafe(to_device(from->indices()), to_device(from->values()));
    to->set_coalesced(from->coalesced());
  }

  void update_compressed(const Alias &a) {
    auto *from = compressed(a.host), *to = compressed(a.device);
    to->set_member_tensors(to_device(from->compressed_indices()), to_device(from->plain_indices()),
                           to_device(from->values()), a.host.sizes());
  }

  static bool same_shape(const Tensor &a, const Tensor &b) {
    return a.sizes() == b.sizes() && a.strides() == b.strides() && a.storage_offset() == b.storage_offset();
  }

public:
  c10::Device device{at::kCUDA, -1};

  Tensor to_host(const Tensor &t) {
    if (!t.defined())
      return t;
    if (!t.is_cuda()) {
      cpu.push_back(t);
      return t;
    }
    for (const Alias &a : aliases)
      if (a.device.unsafeGetTensorImpl() == t.unsafeGetTensorImpl())
        return a.host;
    Tensor host = is_strided(t) ? alias_strided(t) : is_compressed(t) ? alias_compressed(t) : alias_coo(t);
    aliases.push_back({t, host, contents(host)});
    return host;
  }

  Tensor to_device(const Tensor &t) {
    if (!t.defined() || t.is_cuda() || t.is_meta())
      return t;
    for (const Alias &a : aliases)
      if (a.host.unsafeGetTensorImpl() == t.unsafeGetTensorImpl())
        return a.device;
    for (const Tensor &c : cpu)
      if (c.unsafeGetTensorImpl() == t.unsafeGetTensorImpl())
        return t;
    if (t.layout() == at::kSparse) {
      auto *impl = coo(t);
      return at::_sparse_coo_tensor_unsafe(to_device(impl->indices()), to_device(impl->values()), t.sizes(),
                                           t.options().device(device), impl->coalesced());
    }
    if (is_compressed(t)) {
      auto *impl = compressed(t);
      return at::_sparse_compressed_tensor_unsafe(to_device(impl->compressed_indices()),
                                                  to_device(impl->plain_indices()), to_device(impl->values()),
                                                  t.sizes(), t.options().device(device));
    }
    if (!t.has_storage())
      return t;
    for (const Shared &s : storages)
      if (bytes_of(t.storage()) && bytes_of(t.storage()) == bytes_of(s.device))
        return make_view(s.device, c10::DispatchKeySet(DispatchKey::CUDA), t);
    return copy_to_device(t, device);
  }

  /* After the operator: `t` is one of its arguments that it writes, as the CPU kernel has left it. */
  void update(const Tensor &t) {
    for (size_t i = 0; i < aliases.size(); i++) {
      const Alias a = aliases[i]; /* updating a sparse tensor adds others */
      if (a.host.unsafeGetTensorImpl() != t.unsafeGetTensorImpl())
        continue;
      if (is_strided(t)) {
        if (contents(t) != a.bytes || !same_shape(a.host, a.device))
          update_strided(a);
      } else if (is_compressed(t)) {
        update_compressed(a);
      } else {
        update_coo(a);
      }
      return;
    }
  }
};

/* ---- One operator ------------------------------------------------------------------------------------------------ */

/* TorchScript's lists have a type of their own, which isOptionalTensorList() does not know. */
bool is_list_of_optional(const c10::IValue &v) {
  return v.isList() && v.toListRef().size() && *v.toList().elementType() == *c10::getTypePtr<std::optional<Tensor>>();
}

/* Applies `change` to each tensor of an argument or result. */
template <class Change> void for_tensors(c10::IValue &v, const Change &change) {
  if (v.isTensor()) {
    v = change(v.toTensor());
  } else if (v.isTensorList()) {
    c10::List<Tensor> changed;
    for (const Tensor &t : v.toTensorList())
      changed.push_back(change(t));
    v = std::move(changed);
  } else if (is_list_of_optional(v)) {
    const c10::List<c10::IValue> all = v.toList();
    c10::List<c10::IValue> changed(all.elementType());
    for (const c10::IValue &t : all)
      changed.push_back(t.isTensor() ? c10::IValue(change(t.toTensor())) : t);
    v = std::move(changed);
  }
}

const std::string &name_of(const c10::OperatorHandle &op) {
  return op.schema().name();
}

bool is_written(const c10::Argument &argument) {
  return argument.alias_info() && argument.alias_info()->isWrite();
}

/* ---- Operands on several devices, which are refused as PyTorch refuses them -------------------------------------- */

bool is_number(const Tensor &t) {
  return t.is_cpu() && t.dim() == 0;
}

void check_same(const c10::OperatorHandle &op, const Tensor &a, const Tensor &b) {
  TORCH_CHECK(a.device() == b.device(),
              "Expected all tensors to be on the same device, but found at least two devices, ", a.device(), " and ",
              b.device(), "! (when checking argument in method ", name_of(op), ")");
}

/* self, indices and, for index_put, values. */
void check_indexing(const c10::OperatorHandle &op, const c10::IValue *arguments, size_t count) {
  const Tensor self = arguments[0].toTensor();
  c10::IValue indices = arguments[1];
  for_tensors(indices, [&](const Tensor &t) {
    TORCH_CHECK(!t.defined() || t.is_cpu() || t.device() == self.device(),
                "indices should be either on cpu or on the same device as the indexed tensor (", self.device(), ")");
    return t;
  });
  if (count > 2 && arguments[2].isTensor() && !is_number(arguments[2].toTensor()))
    check_same(op, self, arguments[2].toTensor());
}

/* Lists, element by element. */
void check_lists(const c10::OperatorHandle &op, const c10::IValue *arguments, size_t count) {
  const c10::List<Tensor> first = arguments[0].toTensorList();
  for (size_t i = 1; i < count; i++)
    if (arguments[i].isTensorList())
      for (size_t at = 0; at < std::min(first.size(), arguments[i].toTensorList().size()); at++)
        if (const Tensor t = arguments[i].toTensorList().get(at); !is_number(t))
          check_same(op, first.get(at), t);
}

/* Of CPU tensors, only numbers may be operands. */
void check_all(const c10::OperatorHandle &op, const c10::IValue *arguments, size_t count, const Tensor &cuda) {
  for (size_t i = 0; i < count; i++) {
    c10::IValue v = arguments[i];
    const bool written = is_written(op.schema().arguments()[i]);
    for_tensors(v, [&](const Tensor &t) {
      if (t.defined() && !t.is_meta() && (written || !is_number(t)))
        check_same(op, cuda, t);
      return t;
    });
  }
}

void check_devices(const c10::OperatorHandle &op, const c10::IValue *arguments, size_t count, const Tensor &cuda) {
  static const std::unordered_set<std::string> indexing = {
      "aten::index",         "aten::index_put",         "aten::index_put_",          "aten::_index_put_impl_",
      "aten::_unsafe_index", "aten::_unsafe_index_put", "aten::_unsafe_masked_index"};
  const std::string &name = name_of(op);
  if (indexing.count(name) && arguments[1].isList())
    check_indexing(op, arguments, count);
  else if (name.rfind("aten::_foreach_", 0) == 0 && arguments[0].isTensorList())
    check_lists(op, arguments, count);
  else
    check_all(op, arguments, count, cuda);
}

/* The first CUDA tensor among the arguments, or an undefined one. */
Tensor find_cuda(std::vector<c10::IValue>::iterator begin, std::vector<c10::IValue>::iterator end) {
  Tensor found;
  for (auto v = begin; v != end && !found.defined(); ++v)
    for_tensors(*v, [&](const Tensor &t) {
      if (t.defined() && t.is_cuda() && !found.defined())
        found = t;
      return t;
    });
  return found;
}

/* Waits for the work of the current stream, which the operator follows. */
void wait_for_stream(const c10::OperatorHandle &op, c10::Device device) {
  const c10::impl::VirtualGuardImpl guard(at::kCUDA);
  const c10::Stream stream = guard.getStream(device);
  TORCH_CHECK_NOT_IMPLEMENTED(!guard.isStreamCapturing(stream), "cusafe: ", name_of(op),
                              " cannot be captured in a CUDA graph on the CPU device: it is computed on the host "
                              "(docs/use/pytorch.md)");
  guard.synchronizeStream(stream);
}

/* The generator that is the argument, or an undefined one. */
at::Generator given_generator(const torch::jit::Stack &stack, size_t base, size_t count, bool *has_argument,
                              const c10::FunctionSchema &schema) {
  at::Generator given;
  for (size_t i = 0; i < count; i++) {
    if (stack[base + i].isGenerator())
      given = stack[base + i].toGenerator();
    const std::string &argument = schema.arguments()[i].name();
    *has_argument = *has_argument || argument == "generator";
  }
  return given;
}

template <DispatchKey HOST> void compute(const c10::OperatorHandle &op, c10::DispatchKeySet, torch::jit::Stack *stack) {
  const c10::FunctionSchema &schema = op.schema();
  const size_t count = schema.arguments().size(), base = stack->size() - count;
  /* Nothing below is recorded, cast or checked again for gradients: that has happened. */
  const at::AutoDispatchBelowADInplaceOrView below;
  const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
  const c10::impl::VirtualGuardImpl cuda(at::kCUDA);

  Aliases aliases;
  const Tensor first = find_cuda(stack->begin() + base, stack->end());
  aliases.device = first.defined() ? first.device() : cuda.getDevice();
  for (size_t i = 0; i < count; i++)
    if (const c10::IValue &v = (*stack)[base + i]; v.isDevice() && v.toDevice().is_cuda() && !first.defined())
      aliases.device = v.toDevice().has_index() ? v.toDevice() : cuda.getDevice();
  if (first.defined())
    check_devices(op, stack->data() + base, count, first);
  const c10::DeviceGuard guard(aliases.device);
  wait_for_stream(op, aliases.device);

  bool has_argument = false;
  const at::Generator given = given_generator(*stack, base, count, &has_argument, schema);
  std::optional<Random> random;
  if (has_argument || op.hasTag(at::Tag::nondeterministic_seeded))
    random.emplace(given, aliases.device, has_argument);

  std::vector<std::pair<size_t, c10::IValue>> written;
  for (size_t i = 0; i < count; i++) {
    c10::IValue &v = (*stack)[base + i];
    const bool writes = is_written(schema.arguments()[i]);
    for_tensors(v, [&](const Tensor &t) { return aliases.to_host(t); });
    if (writes)
      written.emplace_back(i, v);
    if (v.isDevice())
      v = c10::Device(at::kCPU);
    else if (random && schema.arguments()[i].name() == "generator")
      v = random->generator();
  }
  with_host_memory([&] { op.redispatchBoxed(c10::DispatchKeySet(HOST), stack); });
  count_computed();
  if (random)
    random->end();
  for (auto &[i, v] : written)
    for_tensors(v, [&](const Tensor &t) {
      if (t.defined())
        aliases.update(t);
      return t;
    });
  for (size_t i = stack->size() - schema.returns().size(); i < stack->size(); i++)
    for_tensors((*stack)[i], [&](const Tensor &t) { return aliases.to_device(t); });
}

void refuse(const c10::OperatorHandle &op, torch::jit::Stack *) {
  const std::string &overload = op.schema().overload_name();
  TORCH_CHECK_NOT_IMPLEMENTED(false, "cusafe: ", name_of(op), overload.empty() ? "" : ".", overload,
                              " has a kernel for GPUs only, and is not computed on the CPU device "
                              "(docs/use/pytorch.md)");
}

/* ---- Copies ------------------------------------------------------------------------------------------------------ */

/* Whether PyTorch copies the bytes as they are, with one cudaMemcpyAsync: checked by CuSafe, in the stream's order. */
bool is_plain_copy(const Tensor &to, const Tensor &from) {
  if (to.dtype() != from.dtype() || to.is_conj() != from.is_conj() || to.is_neg() != from.is_neg() ||
      to.sizes() != from.sizes())
    return false;
  return (to.is_contiguous() && from.is_contiguous()) ||
         (to.strides() == from.strides() && to.is_non_overlapping_and_dense());
}

Tensor &copy(Tensor &self, const Tensor &from, bool non_blocking) {
  const at::AutoDispatchBelowADInplaceOrView below;
  const bool dense = is_strided(self) && is_strided(from);
  if (!dense || !(self.is_cuda() || self.is_cpu()) || !(from.is_cuda() || from.is_cpu()) || is_plain_copy(self, from))
    return at::native::copy_(self, from, non_blocking);
  static const c10::OperatorHandle op = c10::Dispatcher::singleton().findSchemaOrThrow("aten::copy_", "");
  for (const Tensor &t : {self, from})
    if (t.is_cuda())
      wait_for_stream(op, t.device());
  Aliases aliases;
  Tensor to = aliases.to_host(self);
  at::native::copy_(to, aliases.to_host(from), non_blocking);
  count_computed();
  return self;
}

/* ---- Allocation -------------------------------------------------------------------------------------------------- */

/* The storages that were allocated in a capture of a stream. The graph uses them in every launch, so they must remain
 * when the program drops the tensors: PyTorch's pool, which is off, would keep them for it. */
class Captured {
  std::mutex mutex;
  std::vector<c10::Storage> storages;

public:
  static Captured &all() {
    static auto *captured = new Captured; /* never destroyed: threads may allocate at the end of the process */
    return *captured;
  }
  void add(const Tensor &t) {
    std::lock_guard<std::mutex> guard(mutex);
    storages.push_back(t.storage());
  }
  /* Those since the last call. */
  std::vector<c10::Storage> *take() {
    std::lock_guard<std::mutex> guard(mutex);
    auto *taken = new std::vector<c10::Storage>;
    taken->swap(storages);
    return taken;
  }
};

/* The buffer's name in reports: what the tensor was allocated as. */
void name_buffer(const Tensor &t) {
  if (!cusafe_buffer_named || !t.numel())
    return;
  std::ostringstream name;
  name << "tensor " << c10::getDtypeNames(t.scalar_type()).first << ' ' << t.sizes();
  if (!t.is_contiguous())
    name << ", strides " << t.strides();
  cusafe_buffer_named(t.mutable_data_ptr(), name.str().c_str());
}

Tensor allocated(Tensor t) {
  name_buffer(t);
  const c10::impl::VirtualGuardImpl guard(at::kCUDA);
  if (guard.isStreamCapturing(guard.getStream(t.device())))
    Captured::all().add(t);
  return t;
}

Tensor empty(at::IntArrayRef size, std::optional<at::ScalarType> type, std::optional<at::Layout> layout,
             std::optional<at::Device> device, std::optional<bool> pinned, std::optional<at::MemoryFormat> format) {
  return allocated(
      with_memory(size, [&] { return at::native::empty_cuda(size, type, layout, device, pinned, format); }));
}

Tensor empty_strided(at::IntArrayRef size, at::IntArrayRef strides, std::optional<at::ScalarType> type,
                     std::optional<at::Layout> layout, std::optional<at::Device> device, std::optional<bool> pinned) {
  return allocated(
      with_memory(size, [&] { return at::native::empty_strided_cuda(size, strides, type, layout, device, pinned); }));
}

const Tensor &resize(const Tensor &self, at::IntArrayRef size, std::optional<at::MemoryFormat> format) {
  return with_memory(size, [&]() -> const Tensor & { return at::native::resize_cuda_(self, size, format); });
}

/* ---- Registration ------------------------------------------------------------------------------------------------ */

/* What PyTorch does for CUDA without a kernel: allocation, views, and what concerns the device itself. */
const std::unordered_set<std::string> &kept() {
  static const std::unordered_set<std::string> names = {"_coalesced_",
                                                        "_cudnn_init_dropout_state",
                                                        "_dimI",
                                                        "_dimV",
                                                        "_efficientzerotensor",
                                                        "_has_same_storage_numel",
                                                        "_indices",
                                                        "_nnz",
                                                        "_pin_memory",
                                                        "_reshape_alias",
                                                        "_resize_output_",
                                                        "_sparse_coo_tensor_with_dims",
                                                        "_sparse_coo_tensor_with_dims_and_tensors",
                                                        "_values",
                                                        "alias",
                                                        "as_strided",
                                                        "ccol_indices",
                                                        "col_indices",
                                                        "copy_",
                                                        "copy_sparse_to_sparse_",
                                                        "crow_indices",
                                                        "dense_dim",
                                                        "detach",
                                                        "empty",
                                                        "empty_strided",
                                                        "indices",
                                                        "is_coalesced",
                                                        "is_pinned",
                                                        "is_set_to",
                                                        "record_stream",
                                                        "resize_",
                                                        "resize_as_sparse_",
                                                        "row_indices",
                                                        "set_",
                                                        "sparse_dim",
                                                        "sparse_resize_",
                                                        "sparse_resize_and_clear_",
                                                        "unfold",
                                                        "values",
                                                        "view",
                                                        "view_as_complex",
                                                        "view_as_real"};
  return names;
}

/* Operators for every device whose kernel would choose one of CUDA's by itself. */
bool chooses_cuda(const std::string &name) {
  static const std::unordered_set<std::string> names = {"convolution", "convolution_backward"};
  return names.count(name) != 0;
}

/* Drops the warning that a kernel is replaced. */
class Silent : public c10::WarningHandler {
  void process(const c10::Warning &) override {}
};

template <DispatchKey CUDA, DispatchKey HOST> void install() {
  auto &dispatcher = c10::Dispatcher::singleton();
  static torch::Library library(torch::Library::IMPL, "aten", CUDA, __FILE__, __LINE__);
  for (const c10::OperatorName &name : dispatcher.getAllOpNames()) {
    const auto op = dispatcher.findOp(name);
    if (name.name.rfind("aten::", 0) != 0 || !op || !op->hasSchema())
      continue;
    const std::string plain = name.name.substr(6);
    const bool replaced = op->hasKernelForDispatchKey(CUDA) || (CUDA == DispatchKey::CUDA && chooses_cuda(plain));
    if (kept().count(plain) || !replaced)
      continue;
    const std::string full = plain + (name.overload_name.empty() ? "" : "." + name.overload_name);
    if (op->hasComputedKernelForDispatchKey(HOST))
      library.impl(full.c_str(), torch::CppFunction::makeFromBoxedFunction<&compute<HOST>>());
    else
      library.impl(full.c_str(), torch::CppFunction::makeFromBoxedFunction<&refuse>());
  }
  if (CUDA == DispatchKey::CUDA) {
    library.impl("copy_", copy);
    library.impl("empty.memory_format", empty);
    library.impl("empty_strided", empty_strided);
    library.impl("resize_", resize);
  }
}

} // namespace

extern "C" {

__attribute__((visibility("default"))) void *cusafe_torch_take_captured() {
  return Captured::all().take();
}

__attribute__((visibility("default"))) void cusafe_torch_free_captured(void *storages) {
  delete static_cast<std::vector<c10::Storage> *>(storages);
}

/* backward() returns before PyTorch's autograd thread has released its objects, and one of Python that it releases after
 * the interpreter's end aborts the process (pytorch/pytorch#190489). The thread takes another task when it has released
 * those of the last; this one has no object of Python. */
__attribute__((visibility("default"))) void cusafe_torch_wait_for_autograd() try {
  const c10::Device device(at::kCUDA, c10::impl::VirtualGuardImpl(at::kCUDA).getDevice().index());
  Tensor number = at::native::empty_cuda({}, at::kFloat, at::kStrided, device);
  const Tensor gradient = at::native::empty_cuda({}, at::kFloat, at::kStrided, device);
  number.set_requires_grad(true);
  number.backward(gradient);
} catch (const c10::Error &) {
  /* The device has failed, or its stream is captured: the program has its error. */
}

__attribute__((visibility("default"))) void cusafe_torch_install() {
  Silent silent;
  const c10::WarningUtils::WarningHandlerGuard guard(&silent);
  install<DispatchKey::CUDA, DispatchKey::CPU>();
  install<DispatchKey::SparseCUDA, DispatchKey::SparseCPU>();
  install<DispatchKey::SparseCsrCUDA, DispatchKey::SparseCsrCPU>();
}
}
