"""duets.py: kernels that are written twice: as CUDA, and as Python that an oracle executes for each thread."""

import random
import re


class Shape:
    """A launch, and where its threads are if their order is reversed. Warps stay the same sets of threads."""

    def __init__(self, grid, block):
        self.grid, self.block = grid, block
        self.threads, self.blocks = block[0] * block[1], grid[0] * grid[1]

    def flips_axes(self):
        return self.threads % 32 == 0 or self.threads < 32

    def real(self, bid, tid, flip):
        """The block and thread that have a number in the order of the oracle, as three numbers each."""
        if flip:
            bid = self.blocks - 1 - bid
            first = 0 if self.flips_axes() else tid & ~31
            last = self.threads - 1 if self.flips_axes() else min(first + 31, self.threads - 1)
            tid = first + last - tid
        return (bid % self.grid[0], bid // self.grid[0], 0), (tid % self.block[0], tid // self.block[0], 0)

    def head(self):
        """Declares tx, ty, tid, bid, gid and total."""
        if self.flips_axes():
            axes = [
                "int tx = FLIP ? blockDim.x - 1 - threadIdx.x : threadIdx.x;",
                "int ty = FLIP ? blockDim.y - 1 - threadIdx.y : threadIdx.y;",
            ]
        else:
            number = "int real = threadIdx.y * blockDim.x + threadIdx.x, first = real & ~31, "
            number += "last = min(first + 31, %d), number = FLIP ? first + last - real : real;" % (self.threads - 1)
            axes = [number, "int tx = number %% %d, ty = number / %d;" % (self.block[0], self.block[0])]
        number = "(blockIdx.y * gridDim.x + blockIdx.x)"
        block = "int bid = FLIP ? gridDim.x * gridDim.y - 1 - %s : %s;" % (number, number)
        if self.grid[1] == 1:
            block = "int bid = FLIP ? gridDim.x - 1 - blockIdx.x : blockIdx.x;"
        tid = "int tid = tx;" if self.block[1] == 1 else "int tid = ty * blockDim.x + tx;"
        size = "blockDim.x" if self.block[1] == 1 else "(blockDim.x * blockDim.y)"
        return axes + [block, tid, "int gid = bid * %s + tid;" % size]

    def launch(self):
        return "dim3(%d, %d), dim3(%d, %d)" % (*self.grid, *self.block)


class Text:
    """The lines of a kernel, and the same as Python."""

    def __init__(self):
        self.cuda, self.python, self.depth = [], [], 1

    def line(self, cuda, *python):
        """Returns the number of the line in the kernel."""
        self.cuda.append("  " * self.depth + cuda)
        self.python += ["  " * self.depth + p for p in python]
        return len(self.cuda)

    def next_line(self):
        return len(self.cuda) + 1

    def open(self, cuda, python):
        self.line(cuda + " {", python + ":")
        self.depth += 1
        self.python.append("  " * self.depth + "pass")

    def close(self, tail="}"):
        self.depth -= 1
        self.line(tail)

    def orelse(self):
        self.depth -= 1
        self.line("} else {", "else:")
        self.depth += 1
        self.python.append("  " * self.depth + "pass")


def python_of(text):
    """Expressions are written for non-negative numbers, so that most are the same in both languages."""
    return re.sub(r"!(?!=)", " not ", text.replace("&&", " and ").replace("||", " or ")).replace("/", "//")


class Duet:
    """What all families have in common: a seeded choice, a shape, a text."""

    def __init__(self, family, seed, number):
        self.number, self.rng, self.text, self.names = (
            number,
            random.Random("%s %s %d" % (family, seed, number)),
            Text(),
            0,
        )
        self.loops = []  # counters in scope
        self.first = 0  # the line of the file before the kernel's first

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, *choices):
        return self.rng.choice(choices)

    def fresh(self, name):
        self.names += 1
        return "%s%d" % (name, self.names)

    def run_threads(self, arguments):
        """The Python function of a thread."""
        source = "def thread(%s):\n%s\n" % (", ".join(arguments), "\n".join(self.text.python))
        scope = {"min": min, "max": max}
        exec(source, scope)  # pylint: disable=exec-used
        return scope["thread"]
