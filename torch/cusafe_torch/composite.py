"""composite: operators that ATen has for CUDA only, composed from others. Results and workspaces have the meaning that the backward operator
here, or PyTorch's formula for the gradient, expects; the layout of a workspace is not cuDNN's."""

import math

import torch

_library = torch.library.Library("aten", "IMPL")
names = []  # of the operators below, for the table


def _form(*operators):
    """Registers a function for CUDA tensors."""

    def register(function):
        for name in operators:
            if hasattr(torch.ops.aten, name.split(".")[0]):  # not in every release
                _library.impl(name, function, "CUDA", allow_override=True)
                names.append(name)
        return function

    return register


def _out(operator, function):
    """The form of an operator with out=: its results are copied to the tensors given."""

    def into(*arguments, out=None, out0=None, out1=None, out2=None, out3=None, **options):
        results = function(*arguments, **options)
        outs = [t for t in (out, out0, out1, out2, out3) if t is not None]
        for to, result in zip(outs, results if isinstance(results, tuple) else (results,)):
            to.resize_(result.shape).copy_(result)
        return outs[0] if len(outs) == 1 else tuple(outs)

    _form(operator)(into)


# Attention. Tensors are [batch, heads, length, features].


@_form("_fused_sdp_choice")
def _choose(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False):
    """The composite form, or a fused form where the program has disabled it (torch.nn.attention.sdpa_kernel)."""
    backend = torch.nn.attention.SDPBackend
    cuda = torch.backends.cuda
    enabled = [(cuda.math_sdp_enabled(), backend.MATH), (cuda.flash_sdp_enabled() and attn_mask is None, backend.FLASH_ATTENTION),
               (cuda.mem_efficient_sdp_enabled(), backend.EFFICIENT_ATTENTION), (cuda.cudnn_sdp_enabled(), backend.CUDNN_ATTENTION)]
    return next((int(choice) for on, choice in enabled if on), int(backend.ERROR))


def _refuse_if(condition, operator, feature):
    if condition:
        raise NotImplementedError(f"cusafe: aten::{operator} with {feature} is not computed on the CPU device (docs/use/pytorch.md)")


def _scale(query, scale):
    return 1 / math.sqrt(query.shape[-1]) if scale is None else scale


def _scores(query, key, bias, causal, scale, corner=0):
    """Scores before the softmax, in float32. Position i sees those up to i + corner if `causal`."""
    scores = (query.float() @ key.float().transpose(-2, -1)) * _scale(query, scale)
    if bias is not None:
        scores = scores + bias.float()
    if causal:
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).triu_(1 + corner)
        scores = scores.masked_fill(hidden, float("-inf"))
    return scores


def _like_heads(tensor, query):
    """Grouped queries: the heads of keys and values are repeated."""
    return tensor.repeat_interleave(query.shape[1] // tensor.shape[1], 1) if tensor.shape[1] != query.shape[1] else tensor


def _kept(weights, dropout, seed):
    """What remains of the weights, or of their gradients: both are multiplied by the same mask, which the seed determines."""
    if dropout == 0:
        return weights
    generator = torch.Generator(weights.device).manual_seed(seed.item())
    return weights * torch.empty_like(weights).bernoulli_(1 - dropout, generator=generator) / (1 - dropout)


def _attend(query, key, value, bias=None, causal=False, scale=None, corner=0, dropout=0.0, seed=None):
    key, value = _like_heads(key, query), _like_heads(value, query)
    scores = _scores(query, key, bias, causal, scale, corner)
    weights = _kept(torch.softmax(scores, -1).nan_to_num(0.0), dropout, seed)  # 0.0: a row without a visible position
    return (weights @ value.float()).to(query.dtype), torch.logsumexp(scores, -1)


def _attend_backward(gradient, query, key, value, out, logsumexp, bias=None, causal=False, scale=None, corner=0, dropout=0.0,
                     seed=None):
    """Gradients of query, key, value and bias; the weights are computed again from the logarithm of their sum."""
    heads = key.shape[1]
    key, value = _like_heads(key, query), _like_heads(value, query)
    q, k, v, g = query.float(), key.float(), value.float(), gradient.float()
    weights = (_scores(query, key, bias, causal, scale, corner) - logsumexp.unsqueeze(-1)).exp().nan_to_num(0.0)
    of_value = _kept(weights, dropout, seed).transpose(-2, -1) @ g
    of_scores = weights * (_kept(g @ v.transpose(-2, -1), dropout, seed) - (g * out.float()).sum(-1, keepdim=True))
    of_query = of_scores @ k * _scale(query, scale)
    of_key = of_scores.transpose(-2, -1) @ q * _scale(query, scale)
    if heads != query.shape[1]:
        of_key, of_value = (t.unflatten(1, (heads, -1)).sum(2) for t in (of_key, of_value))
    return of_query.to(query.dtype), of_key.to(query.dtype), of_value.to(query.dtype), of_scores


def _seed(query, dropout=0.0):
    """What determines the mask of a dropout."""
    if dropout == 0:
        return torch.zeros((), dtype=torch.int64, device=query.device)
    return torch.randint(2**31, (), device=query.device)


def _none(query):
    return torch.empty(0, device=query.device, dtype=query.dtype)


@_form("_scaled_dot_product_flash_attention")
def _flash(query, key, value, dropout_p=0.0, is_causal=False, return_debug_mask=False, *, scale=None):
    seed = _seed(query, dropout_p)
    out, logsumexp = _attend(query, key, value, None, is_causal, scale, 0, dropout_p, seed)
    return out, logsumexp, None, None, query.shape[2], key.shape[2], seed, _seed(query), _none(query)


@_form("_scaled_dot_product_flash_attention_backward")
def _flash_backward(gradient, query, key, value, out, logsumexp, cum_seq_q, cum_seq_k, max_q, max_k, dropout_p, is_causal, philox_seed,
                    philox_offset, *, scale=None):
    return _attend_backward(gradient, query, key, value, out, logsumexp, None, is_causal, scale, 0, dropout_p, philox_seed)[:3]


@_form("_scaled_dot_product_efficient_attention")
def _efficient(query, key, value, attn_bias, compute_log_sumexp, dropout_p=0.0, is_causal=False, *, scale=None):
    seed = _seed(query, dropout_p)
    out, logsumexp = _attend(query, key, value, attn_bias, is_causal, scale, 0, dropout_p, seed)
    return out, logsumexp, seed, _seed(query)


def _to_shape(gradient, tensor):
    return gradient.sum_to_size(tensor.shape).to(tensor.dtype)


@_form("_scaled_dot_product_efficient_attention_backward")
def _efficient_backward(gradient, query, key, value, attn_bias, out, logsumexp, philox_seed, philox_offset, dropout_p, grad_input_mask,
                        is_causal=False, *, scale=None):
    if gradient is None:
        return None, None, None, None
    *gradients, of_bias = _attend_backward(gradient, query, key, value, out, logsumexp, attn_bias, is_causal, scale, 0, dropout_p, philox_seed)
    wanted = grad_input_mask[3] and attn_bias is not None
    return (*gradients, _to_shape(of_bias, attn_bias) if wanted else None)


@_form("_scaled_dot_product_cudnn_attention")
def _cudnn(query, key, value, attn_bias, compute_log_sumexp, dropout_p=0.0, is_causal=False, return_debug_mask=False, *, scale=None):
    seed = _seed(query, dropout_p)
    out, logsumexp = _attend(query, key, value, attn_bias, is_causal, scale, 0, dropout_p, seed)
    return out, logsumexp.unsqueeze(-1), None, None, query.shape[2], key.shape[2], seed, _seed(query), _none(query)


@_form("_scaled_dot_product_cudnn_attention_backward")
def _cudnn_backward(gradient, query, key, value, out, logsumexp, philox_seed, philox_offset, attn_bias, cum_seq_q, cum_seq_k, max_q, max_k,
                    dropout_p, is_causal, *, scale=None):
    return _attend_backward(gradient, query, key, value, out, logsumexp.squeeze(-1), attn_bias, is_causal, scale, 0, dropout_p,
                            philox_seed)[:3]


# The forms below these have [batch, length, heads, features], or [sum of lengths, heads, features] with the sequences' starts.


def _sequences(query, key, starts_q, starts_k):
    """Slices of the queries and the keys of each sequence; a tensor without starts is one of equal lengths."""
    if starts_q is None:
        return [((slice(None),), (slice(None),))]
    starts_q, starts_k = starts_q.tolist(), (starts_q if starts_k is None else starts_k).tolist()
    lead = () if query.dim() == 3 else (0,)
    return [((*lead, slice(a, b)), (*lead, slice(c, d))) for a, b, c, d in zip(starts_q, starts_q[1:], starts_k, starts_k[1:])]


def _heads_first(tensor):
    return (tensor if tensor.dim() == 4 else tensor.unsqueeze(0)).transpose(1, 2)


def _heads_last(tensor, like):
    tensor = tensor.transpose(1, 2)
    return tensor if like.dim() == 4 else tensor.squeeze(0)


def _attend_each(query, key, value, starts_q, starts_k, bias, causal, scale, from_end):
    out, sums = query.new_zeros((*query.shape[:-1], value.shape[-1])), []
    for of_q, of_k in _sequences(query, key, starts_q, starts_k):
        q, k, v = _heads_first(query[of_q]), _heads_first(key[of_k]), _heads_first(value[of_k])
        corner = k.shape[2] - q.shape[2] if from_end else 0
        result, logsumexp = _attend(q, k, v, bias, causal, scale, corner)
        out[of_q] = _heads_last(result, out[of_q])
        sums.append(logsumexp)
    return out, sums[0] if starts_q is None else torch.cat([s.squeeze(0) for s in sums], -1)


def _attend_each_backward(gradient, query, key, value, out, logsumexp, starts_q, starts_k, bias, causal, scale, from_end):
    gradients = [torch.zeros_like(t) for t in (query, key, value)]
    of_bias, at = None, 0
    for of_q, of_k in _sequences(query, key, starts_q, starts_k):
        q, k, v = _heads_first(query[of_q]), _heads_first(key[of_k]), _heads_first(value[of_k])
        sums = logsumexp if starts_q is None else logsumexp[..., at : at + q.shape[2]].reshape(1, q.shape[1], q.shape[2])
        at += q.shape[2]
        corner = k.shape[2] - q.shape[2] if from_end else 0
        *parts, of_bias = _attend_backward(_heads_first(gradient[of_q]), q, k, v, _heads_first(out[of_q]), sums, bias, causal, scale, corner)
        for whole, part, where in zip(gradients, parts, (of_q, of_k, of_k)):
            whole[where] = _heads_last(part, whole[where])
    return (*gradients, of_bias)


@_form("_flash_attention_forward")
def _flash_forward(query, key, value, cum_seq_q, cum_seq_k, max_q, max_k, dropout_p, is_causal, return_debug_mask, *, scale=None,
                   window_size_left=None, window_size_right=None, seqused_k=None, alibi_slopes=None, block_table=None, num_splits=None):
    name = "_flash_attention_forward"
    _refuse_if(dropout_p > 0, name, "dropout")
    windows = [w for w in (window_size_left, window_size_right) if w is not None and w >= 0]
    _refuse_if(windows and not (is_causal and windows == [0]), name, "a window")
    _refuse_if(any(t is not None for t in (seqused_k, alibi_slopes, block_table)), name, "seqused_k, alibi_slopes or block_table")
    out, logsumexp = _attend_each(query, key, value, cum_seq_q, cum_seq_k, None, is_causal, scale, True)
    return out, logsumexp, _seed(query), _seed(query), _none(query)


@_form("_flash_attention_backward")
def _flash_forward_backward(gradient, query, key, value, out, logsumexp, cum_seq_q, cum_seq_k, max_q, max_k, dropout_p, is_causal, rng_state,
                            unused, *, scale=None, window_size_left=None, window_size_right=None):
    return _attend_each_backward(gradient, query, key, value, out, logsumexp, cum_seq_q, cum_seq_k, None, is_causal, scale, True)[:3]


@_form("_efficient_attention_forward")
def _efficient_forward(query, key, value, bias, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, dropout_p, custom_mask_type,
                       compute_log_sumexp=False, *, scale=None, seqlen_k=None, window_size=None):
    name = "_efficient_attention_forward"
    _refuse_if(dropout_p > 0, name, "dropout")
    _refuse_if(window_size or seqlen_k is not None, name, "a window or seqlen_k")
    out, logsumexp = _attend_each(query, key, value, cu_seqlens_q, cu_seqlens_k, bias, custom_mask_type != 0, scale, custom_mask_type == 2)
    return out, logsumexp, _seed(query), _seed(query), max_seqlen_q or query.shape[1], max_seqlen_k or key.shape[1]


@_form("_efficient_attention_backward")
def _efficient_forward_backward(gradient, query, key, value, bias, out, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, logsumexp,
                                dropout_p, philox_seed, philox_offset, custom_mask_type, bias_requires_grad, *, scale=None,
                                num_splits_key=None, window_size=None, shared_storage_dqdkdv=False):
    *gradients, of_bias = _attend_each_backward(gradient, query, key, value, out, logsumexp, cu_seqlens_q, cu_seqlens_k, bias,
                                                custom_mask_type != 0, scale, custom_mask_type == 2)
    return (*gradients, _to_shape(of_bias, bias) if bias_requires_grad and bias is not None else None)


@_form("_triton_scaled_dot_attention")
def _triton_attention(q, k, v, dropout_p=0.0):
    _refuse_if(dropout_p > 0, "_triton_scaled_dot_attention", "dropout")
    return _attend(q, k, v)[0]


# Recurrent networks: cuDNN's form is not chosen, the cells of ATen's own are.


@_form("cudnn_is_acceptable")
def _is_acceptable(self):
    return False


@_form("_cudnn_rnn_flatten_weight")
def _flatten(weight_arr, *arguments):
    """The weights stay where they are."""
    return weight_arr[0].new_empty(0)


def _sum(*tensors):
    total = None
    for tensor in tensors:
        if tensor is not None:
            total = tensor if total is None else total + tensor
    return total


@_form("_thnn_fused_lstm_cell")
def _lstm(input_gates, hidden_gates, cx, input_bias=None, hidden_bias=None):
    i, f, g, o = _sum(input_gates, hidden_gates, input_bias, hidden_bias).chunk(4, 1)
    i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
    cy = f * cx + i * g
    return o * cy.tanh(), cy, torch.cat((i, f, g, o), 1)


@_form("_thnn_fused_lstm_cell_backward_impl")
def _lstm_backward(grad_hy, grad_cy, cx, cy, workspace, has_bias):
    if grad_hy is None and grad_cy is None:
        return None, None, None
    i, f, g, o = workspace.chunk(4, 1)
    t = cy.tanh()
    of_hy = torch.zeros_like(cy) if grad_hy is None else grad_hy
    of_cy = _sum(of_hy * o * (1 - t * t), grad_cy)
    gates = torch.cat((of_cy * g * i * (1 - i), of_cy * cx * f * (1 - f), of_cy * i * (1 - g * g), of_hy * t * o * (1 - o)), 1)
    return gates, of_cy * f, gates.sum(0) if has_bias else None


@_form("_thnn_fused_gru_cell")
def _gru(input_gates, hidden_gates, hx, input_bias=None, hidden_bias=None):
    ir, iz, new = _sum(input_gates, input_bias).chunk(3, 1)
    hr, hz, hidden = _sum(hidden_gates, hidden_bias).chunk(3, 1)
    r, z = (ir + hr).sigmoid(), (iz + hz).sigmoid()
    n = (new + r * hidden).tanh()
    return n + z * (hx - n), torch.cat((r, z, n, hx, hidden), 1)


@_form("_thnn_fused_gru_cell_backward")
def _gru_backward(grad_hy, workspace, has_bias):
    r, z, n, hx, hidden = workspace.chunk(5, 1)
    of_n = grad_hy * (1 - z) * (1 - n * n)
    of_z = grad_hy * (hx - n) * z * (1 - z)
    of_r = of_n * hidden * r * (1 - r)
    of_input, of_hidden = torch.cat((of_r, of_z, of_n), 1), torch.cat((of_r, of_z, of_n * r), 1)
    biases = (of_input.sum(0), of_hidden.sum(0)) if has_bias else (None, None)
    return (of_input, of_hidden, grad_hy * z, *biases)


# Normalisation.


def _per_channel(tensor, like):
    return None if tensor is None else tensor.reshape(1, -1, *[1] * (like.dim() - 2))


def _other_dimensions(tensor):
    return [d for d in range(tensor.dim()) if d != 1]


@_form("batch_norm_stats")
def _stats(input, eps):
    values = input.float() if input.dtype != torch.double else input
    return values.mean(_other_dimensions(input)), (values.var(_other_dimensions(input), unbiased=False) + eps).rsqrt()


@_form("batch_norm_elemt")
def _normalise(input, weight, bias, mean, invstd, eps):
    result = (input - _per_channel(mean, input)) * _per_channel(invstd, input)
    result = result if weight is None else result * _per_channel(weight, input)
    return (result if bias is None else result + _per_channel(bias, input)).to(input.dtype)


_out("batch_norm_elemt.out", _normalise)


@_form("batch_norm_gather_stats_with_counts")
def _gather_stats(input, mean, invstd, running_mean, running_var, momentum, eps, counts):
    counts = counts.to(mean.dtype).reshape(-1, 1)
    total = counts.sum()
    centre = (mean * counts).sum(0) / total
    variance = ((invstd.pow(-2) - eps + (mean - centre).square()) * counts).sum(0) / total
    if running_mean is not None:
        running_mean.mul_(1 - momentum).add_(centre, alpha=momentum)
    if running_var is not None:
        running_var.mul_(1 - momentum).add_(variance * total / (total - 1), alpha=momentum)
    return centre, (variance + eps).rsqrt()


@_form("batch_norm_gather_stats")
def _gather_equal_stats(input, mean, invstd, running_mean, running_var, momentum, eps, count):
    counts = torch.full((mean.shape[0],), count, dtype=mean.dtype, device=mean.device)
    return _gather_stats(input, mean, invstd, running_mean, running_var, momentum, eps, counts)


@_form("batch_norm_backward_reduce")
def _norm_backward_sums(grad_out, input, mean, invstd, weight, input_g, weight_g, bias_g):
    of = _other_dimensions(input)
    sum_dy = grad_out.float().sum(of)
    sum_dy_xmu = (grad_out * (input - _per_channel(mean, input))).float().sum(of)
    dtype = grad_out.dtype if weight is None else weight.dtype
    return (sum_dy if input_g else None, sum_dy_xmu if input_g else None, (sum_dy_xmu * invstd).to(dtype) if weight_g else None,
            sum_dy.to(dtype) if bias_g else None)


@_form("batch_norm_backward_elemt")
def _norm_backward(grad_out, input, mean, invstd, weight, sum_dy, sum_dy_xmu, count):
    total = count.sum()
    factor = invstd if weight is None else invstd * weight
    centred = input - _per_channel(mean, input)
    inner = grad_out - _per_channel(sum_dy / total, input) - centred * _per_channel(invstd.square() * sum_dy_xmu / total, input)
    return (inner * _per_channel(factor, input)).to(input.dtype)


@_form("cudnn_batch_norm")
def _batch_norm(input, weight, bias, running_mean, running_var, training, exponential_average_factor, epsilon):
    results = torch.native_batch_norm(input, weight, bias, running_mean, running_var, training, exponential_average_factor, epsilon)
    return (*results, input.new_empty(0, dtype=torch.uint8))


_out("cudnn_batch_norm.out", _batch_norm)


@_form("cudnn_batch_norm_backward")
def _batch_norm_backward(input, grad_output, weight, running_mean, running_var, save_mean, save_var, epsilon, reserve):
    return torch.ops.aten.native_batch_norm_backward(grad_output, input, weight, running_mean, running_var, save_mean, save_var, True,
                                                     epsilon, [True, True, True])


@_form("_fused_rms_norm")
def _rms_norm(input, normalized_shape, weight, eps):
    of = list(range(-len(normalized_shape), 0))
    values = input.float() if input.dtype in (torch.half, torch.bfloat16) else input
    rstd = (values.square().mean(of, keepdim=True) + (torch.finfo(values.dtype).eps if eps is None else eps)).rsqrt()
    result = (values * rstd).to(input.dtype)
    return result if weight is None else result * weight, rstd


@_form("_fused_rms_norm_backward")
def _rms_norm_backward(grad_out, input, normalized_shape, rstd, weight, output_mask):
    of = list(range(-len(normalized_shape), 0))
    normal = input * rstd
    inner = grad_out if weight is None else grad_out * weight
    of_input = (inner - normal * (inner * normal).mean(of, keepdim=True)) * rstd
    of_weight = None
    if output_mask[1] and weight is not None:
        of_weight = _to_shape(grad_out * normal, weight)
    return of_input.to(input.dtype) if output_mask[0] else None, of_weight


# Dropout.


@_form("_fused_dropout")
def _dropout(self, p, generator=None):
    mask = torch.empty_like(self).bernoulli_(p, generator=generator)
    return self * mask / p, mask.to(torch.uint8)


@_form("_masked_scale")
def _masked_scale(self, mask, scale):
    return self * mask.to(self.dtype) * scale


# Convolutions and grids.


def _repeated(numbers, count):
    return list(numbers) * count if len(numbers) == 1 else list(numbers)


@_form("_conv_depthwise2d", "conv_depthwise3d")
def _depthwise(self, weight, kernel_size, bias, stride, padding, dilation):
    n = weight.dim() - 2
    return torch.convolution(self, weight, bias, _repeated(stride, n), _repeated(padding, n), _repeated(dilation, n), False, [0] * n,
                             self.shape[1])


_out("_conv_depthwise2d.out", _depthwise)


@_form("cudnn_convolution")
def _convolution(self, weight, padding, stride, dilation, groups, benchmark, deterministic, allow_tf32):
    return torch.convolution(self, weight, None, stride, padding, dilation, False, [0] * len(stride), groups)


_out("cudnn_convolution.out", _convolution)


@_form("cudnn_convolution_transpose")
def _transposed(self, weight, padding, output_padding, stride, dilation, groups, benchmark, deterministic, allow_tf32):
    return torch.convolution(self, weight, None, stride, padding, dilation, True, output_padding, groups)


@_form("cudnn_convolution_relu")
def _convolution_relu(self, weight, bias, stride, padding, dilation, groups):
    return torch.convolution(self, weight, bias, stride, padding, dilation, False, [0] * len(stride), groups).relu_()


@_form("cudnn_convolution_add_relu")
def _convolution_add_relu(self, weight, z, alpha, bias, stride, padding, dilation, groups):
    result = torch.convolution(self, weight, bias, stride, padding, dilation, False, [0] * len(stride), groups)
    return result.add_(z, alpha=1 if alpha is None else alpha).relu_()


@_form("cudnn_affine_grid_generator")
def _grid(theta, N, C, H, W):
    return torch.affine_grid_generator(theta, [N, C, H, W], True)


@_form("cudnn_affine_grid_generator_backward")
def _grid_backward(grad, N, C, H, W):
    return torch.ops.aten.affine_grid_generator_backward(grad, [N, C, H, W], True)


@_form("cudnn_grid_sampler")
def _sample(self, grid):
    return torch.grid_sampler_2d(self, grid, 0, 0, True)


@_form("cudnn_grid_sampler_backward")
def _sample_backward(self, grid, grad_output):
    return torch.ops.aten.grid_sampler_2d_backward(grad_output, self, grid, 0, 0, True, [True, True])


# Products with another type of the result.


@_form("mm.dtype", "bmm.dtype")
def _product(self, mat2, out_dtype):
    return self.to(out_dtype) @ mat2.to(out_dtype)


@_form("addmm.dtype")
def _add_product(self, mat1, mat2, out_dtype, *, beta=1, alpha=1):
    return torch.addmm(self.to(out_dtype), mat1.to(out_dtype), mat2.to(out_dtype), beta=beta, alpha=alpha)


@_form("baddbmm.dtype")
def _add_products(self, batch1, batch2, out_dtype, *, beta=1, alpha=1):
    return torch.baddbmm(self.to(out_dtype), batch1.to(out_dtype), batch2.to(out_dtype), beta=beta, alpha=alpha)


_out("mm.dtype_out", _product)
_out("bmm.dtype_out", _product)
_out("addmm.dtype_out", _add_product)
_out("baddbmm.dtype_out", _add_products)

# CTC loss: cuDNN's form is not chosen.


@_form("_use_cudnn_ctc_loss", "_use_cudnn_ctc_loss.Tensor", "_use_miopen_ctc_loss", "_use_miopen_ctc_loss.Tensor")
def _use_cudnn(*arguments):
    return False
