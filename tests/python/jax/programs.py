"""JAX on the CPU device: results equal those of JAX's own CPU device, arrays are buffers, and Pallas kernels are checked. XLA compiles kernels
without line information, so a bug is marked at its kernel."""
import re

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton

GPU, CPU = jax.devices()[0], jax.devices("cpu")[0]


def compare(name, function, *arguments, tolerance=1e-5):
    """One function, compiled for each device."""
    with jax.default_device(CPU):
        expected = jax.jit(function)(*jax.device_put(arguments, CPU))
    got = jax.jit(function)(*jax.device_put(arguments, GPU))
    for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(expected), strict=True):
        assert a.device == GPU and b.device == CPU, name
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance, err_msg=name)
    print("right:", name)


def train(inputs, targets, weights):
    """A multilayer perceptron, 20 steps of gradient descent."""

    def loss(weights):
        hidden = jnp.maximum(inputs @ weights[0] + weights[1], 0)
        return jnp.mean((hidden @ weights[2] - targets) ** 2)

    def step(weights, _):
        value, gradient = jax.value_and_grad(loss)(weights)
        return jax.tree.map(lambda w, g: w - 0.05 * g, weights, gradient), value

    return jax.lax.scan(step, weights, length=20)


def add_blocks(x_ref, y_ref, o_ref):
    at = pl.ds(pl.program_id(0) * 128, 128)
    o_ref[at] = x_ref[at] + y_ref[at]


def add_blocks_too_many(x_ref, y_ref, o_ref):  # BUG in kernel add_blocks_too_many: out-of-bounds
    add_blocks(x_ref, y_ref, o_ref)


def call(kernel, x, blocks):
    result = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(kernel, out_shape=result, grid=(blocks,), compiler_params=triton.CompilerParams())(x, x)


def closed_libraries():
    """NVIDIA's libraries in this process, except compilers."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        paths = {line.split()[-1] for line in maps if "/" in line}
    return [path for path in paths if re.search(r"/lib(cu|nccl|nvshmem|nvidia)[^/]*\.so", path) and "/cusafe/" not in path and "libcusafe" not in path]


def main():
    assert GPU.platform == "gpu", GPU
    random = np.random.default_rng(0)
    normal = lambda *shape: random.standard_normal(shape, dtype=np.float32)
    compare("softmax", jax.nn.softmax, normal(7, 33))
    compare("grad", jax.grad(lambda x: jnp.sin(x * x).sum()), normal(100))
    compare("scan", lambda x: jax.lax.scan(lambda carry, v: (carry * 0.5 + v, carry), 0.0, x), normal(50))
    compare("sort", jnp.sort, normal(200))
    compare("random", lambda key: jax.random.normal(key, (64,)), jax.random.key_data(jax.random.key(3)))
    compare("matmul", jnp.matmul, normal(65, 70), normal(70, 33))
    compare("convolution", lambda x, w: jax.lax.conv(x, w, (1, 1), "SAME"), normal(1, 3, 12, 12), normal(4, 3, 3, 3))
    inputs = normal(64, 8)
    compare("training", train, inputs, inputs.sum(1, keepdims=True), (normal(8, 16) * 0.3, normal(16), normal(16, 1) * 0.3), tolerance=1e-4)
    x = jnp.arange(1000.0)  # 7.8 blocks
    whole = jnp.arange(1024.0)
    np.testing.assert_array_equal(call(add_blocks, whole, 8), 2 * np.asarray(whole))
    print("right: pallas")
    call(add_blocks_too_many, x, 8).block_until_ready()
    assert not closed_libraries(), closed_libraries()


main()
