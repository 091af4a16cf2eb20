"""Two tests for the pytest plugin: the kernel of the second leaves its buffer, which only CuSafe detects."""

import numpy as np
from numba import cuda


@cuda.jit
def scale(out, n):
    i = cuda.grid(1)
    if i < n:
        out[i] = 2


def run(n):
    data = cuda.to_device(np.ones(64, np.float32))
    scale[1, 128](data, n)
    assert data.copy_to_host().sum() == 128


def test_right():
    run(64)


def test_past_end():
    run(65)
