"""What it costs to record the stack of a Python program: processor time with Python frames (default), or with the interpreter's C frames
(CUSAFE_OPTIONS=python_stacks=0). For instructions, run it with two counts under callgrind, and divide the difference."""

import argparse
import ctypes
import sys


def deep(frames, call):
    return deep(frames - 1, call) if frames > 1 else call()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", help="bench/python_stacks.c, built")
    parser.add_argument("--depth", type=int, default=10, metavar="FRAMES")
    parser.add_argument("--count", type=int, default=100000, help="stacks of a run, of which there are five")
    parser.add_argument("--at-most", type=float, metavar="US", help="fail if a stack takes longer")
    given = parser.parse_args()
    stacks = ctypes.CDLL(given.library).bench_stacks
    stacks.restype, stacks.argtypes = ctypes.c_double, [ctypes.c_uint]
    own = 3  # main, the module and the lambda
    best = min(deep(given.depth - own, lambda: stacks(given.count)) for _ in range(5)) * 1e6
    print(f"{best:.2f} us for a stack of {given.depth} Python frames")
    return 1 if best < 0 or (given.at_most and best > given.at_most) else 0


if __name__ == "__main__":
    sys.exit(main())
