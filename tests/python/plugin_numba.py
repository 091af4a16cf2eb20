"""Tests for the pytest plugin: kernels that leave their buffer or lack a barrier, which only CuSafe detects. One of them while a report file
is locked, so that libcusafe's thread for report files falls behind."""

import fcntl
import os
import re
import threading

import numpy as np
from numba import cuda


@cuda.jit
def scale(out, n):
    i = cuda.grid(1)
    if i < n:
        out[i] = 2


@cuda.jit
def clear(out, n):
    i = cuda.grid(1)
    if i < n:
        out[i] = 0


@cuda.jit
def fill(out, n):
    i = cuda.grid(1)
    if i < n:
        out[i] = 1


@cuda.jit
def mirror(out, n):
    tile = cuda.shared.array(64, np.float32)
    i = cuda.threadIdx.x
    if i < 64:
        tile[i] = i
    if n == 64:
        cuda.syncthreads()
    if i < 64:
        out[i] = tile[63 - i]


def run(kernel, n):
    data = cuda.to_device(np.ones(64, np.float32))
    kernel[1, 128](data, n)
    return data.copy_to_host().sum()


def test_right():
    assert [run(kernel, 64) for kernel in (scale, clear, fill)] == [128, 0, 64]


def test_past_end():
    assert run(scale, 65) == 128


def test_slow_file():
    page = open(re.search(r"html=([^:]+)", os.environ["CUSAFE_OPTIONS"])[1], "rb")
    fcntl.flock(page, fcntl.LOCK_EX)
    assert run(clear, 65) == 0
    threading.Timer(1.5, page.close).start()


def test_after_slow_file():
    assert run(fill, 65) == 64


def test_barrier():
    assert run(mirror, 64) == 2016


def test_race():
    run(mirror, 65)


def test_last():
    assert run(scale, 64) == 128
