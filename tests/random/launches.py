"""launches.py: random kernels whose addresses the arguments of a launch decide, each written twice, as generate.py does.

Most of their accesses have affine indices under conditions on parameters, so that one test for the whole grid can replace the checks.
The buffers just fit what the grid accesses, or miss it by one element, or in one block only, which need not be the first or the last.
Each kernel is launched twice in a row with the same buffers and other values: a decision for the first launch is not one for the second.
"""
import functools
import random

import generate
from expressions import ANY, Pair

MODES = ["EXACT", "ONE_PAST", "ONE_BLOCK", "GROWN"]  # of the first plans
LATER_MODES = [*MODES, "ONE_BEFORE", "FREE"]


class Kernel(generate.Kernel):
    def __init__(self, number, rng, text):
        super().__init__(number, rng, text)
        self.heap = False
        self.barriers = rng.random() < 0.15
        self.block = (rng.choice([4, 8, 16]), rng.choice([2, 3, 4])) if self.two else (rng.choice([1, 7, 16, 32, 48, 64]), 1)
        self.grid = (rng.choice([1, 2, 3, 5, 8]), rng.choice([1, 2, 3]) if self.two else 1)

    def make_variables(self):
        super().make_variables()
        for device, host in self.of_blocks():
            name = self.fresh("u")
            self.text.line("const int %s = %s;" % (name, device), "const int %s = %s;" % (name, host))
            self.vars += [(name, False)] * 2

    def of_blocks(self):
        """Values that one block in the middle may have the largest of."""
        forms = [Pair("(int)gridDim.x - 1 - bx", "t.nbx - 1 - bx"), Pair("bid ^ %d" % self.pick(1, 2, 3)),
                 Pair("bid == %s ? %s : 0" % (self.value(0, 5), self.value(0, 100))), Pair("bx * %s" % self.value(1, 12)),
                 Pair("min(bid, %s)" % self.value(0, 5)), Pair("(bid * 5 + 3) % 7")]
        return self.rng.sample(forms, self.pick(0, 1, 1, 2))

    def any_index(self):
        return super().any_index() if self.chance(0.2) else Pair(self.index())

    def condition(self):
        if self.chance(0.1):
            return super().condition()
        return Pair(self.pick("(%s) < %s", "(unsigned)(%s) < (unsigned)%s", "(%s) <= %s", "(%s) != %s") % (self.index(), self.value(0, 100)))

    def statement(self):
        self.budget -= 1
        simple = [self.read] * 4 + [self.write] * 4 + [self.add, self.walk, self.call] * 2 + [self.record, self.choose, self.wide]
        nested = [self.loop] * 6 + [self.guarded] * 5 + [self.leave]
        self.rng.choice(simple + nested if self.budget > 0 else simple)()

    def entry(self):
        return "{%d, %d, %d, run%d, false, 2}," % (self.number, len(self.buffers), len(self.values), self.number)

    def plan(self, index):
        """Two launches, the second often with one value more."""
        rng = random.Random("%s/launches/%d/%d" % (self.seed, self.number, index))
        mode = MODES[index] if index < len(MODES) else rng.choice(LATER_MODES)
        first = [rng.choice(generate.EXTREMES) if (low, high) == ANY else rng.randint(low, high) for _, low, high in self.values]
        second, changed = list(first), [i for i, v in enumerate(self.values) if v[1:] != ANY]
        if changed and (mode == "GROWN" or rng.random() < 0.5):
            i = rng.choice(changed)
            second[i] += 1
        return "{&kernel%d, %s, %du, {%s}, {}, 2}," % (self.number, mode, rng.getrandbits(31), ", ".join(map(str, first + second)))


batch = functools.partial(generate.batch, make=Kernel)
