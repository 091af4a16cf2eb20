"""barriers.py: random kernels whose lanes reach barriers together or not, and an oracle that runs them to each one."""

from collections import defaultdict

from duets import Duet, Shape, python_of

DETECT, OPTION, LEVELS = "sync", "", ("",)
CALLS = [
    "__syncthreads();",
    "__syncthreads();",
    "__syncthreads();",
    "acc += __syncthreads_or(tid == 3);",
    "acc += __syncthreads_count(tid & 1);",
    "acc += __syncthreads_and(tid < 5);",
]


def mixed(i):
    """What the array that the kernels read has at an index."""
    return (i * 2654435761 >> 7) % 97


class Kernel(Duet):
    """Barriers under conditions and in loops. A thread waits at (line, iterations of the loops around it, calls)."""

    def __init__(self, seed, number):
        super().__init__("barriers", seed, number)
        threads = self.pick(
            (1, 1),
            (7, 1),
            (16, 1),
            (32, 1),
            (32, 1),
            (33, 1),
            (48, 1),
            (64, 1),
            (64, 1),
            (8, 2),
            (16, 2),
            (16, 4),
            (5, 3),
            (96, 1),
        )
        self.shape = Shape(self.pick((1, 1), (1, 1), (2, 1), (3, 1)), threads)
        self.n, self.m = self.pick(1, 2, 3, 8, 16, 32, threads[0]), self.pick(1, 2, 3, 4)
        self.careful = self.pick(0, 0.4, 0.7, 0.85, 1)  # how many conditions are the same for all threads
        self.depth, self.budget, self.functions, self.function_lines = 0, self.rng.randint(4, 12), [], []
        self.counts = []  # the counters of iterations of the loops around a statement, in Python
        self.is_empty = True
        self.statements(self.rng.randint(2, 4))
        if self.is_empty or self.chance(0.5):
            self.barrier()
        self.simulate()

    # ---- text ----

    def condition(self):
        c = self.rng.randint(0, 9)
        if self.chance(self.careful):
            forms = [
                "n < %d" % c,
                "m == %d" % (c % 5),
                "bid == 0",
                "bid == 1",
                "tid / 32 == 0",
                "tid >= 32",
                "bid %% 2 == %d" % (c % 2),
                "data[bid] < %d" % (c * 11),
                "n > 0",
                "tid < 1000",
                "data[0] < %d" % (c * 11),
                "tid + %d < 512" % c,
            ]
            forms += ["%s == %d" % (i, c % 4) for i in self.loops] * 2 + [
                "(%s + bid) %% 2 == 0" % i for i in self.loops
            ]
            return self.rng.choice(forms)
        forms = [
            "tid < %d" % c,
            "tid % 2 == 0",
            "tid == %d" % (c * 7),
            "tid < n",
            "tx < n",
            "tid % 32 < n",
            "data[tid] < %d" % (c * 11),
            "data[gid] % 3 == 1",
            "gid %% %d == 0" % (c + 1),
            "tid >= 31",
        ]
        forms += ["tid %% 4 == %s" % i for i in self.loops] + ["data[tid + %s] < 50" % i for i in self.loops]
        return self.rng.choice(forms)

    def work(self):
        """Something that no optimisation removes or merges."""
        self.text.line("out[gid] += acc * %du;" % (2 * self.rng.randrange(500) + 3), "pass")

    def wait(self, line, path="()"):
        return "yield (%s, (%s), %s)" % (line, "".join(c + ", " for c in self.counts), path)

    def barrier(self):
        self.is_empty = False
        if self.chance(0.12):
            name, line = self.function(), self.text.next_line()
            self.text.line("%s<FLIP>(out, gid);" % name, self.wait(repr(name), "(%d,)" % line))
        else:
            self.text.line(self.rng.choice(CALLS), self.wait(self.text.next_line()))

    def function(self):
        """A device function with a barrier, which may be called from several places."""
        if not self.functions or self.chance(0.4):
            name = "f%d_%d" % (self.number, len(self.functions))
            start = len(self.function_lines)
            self.functions.append((name, start + 3))
            self.function_lines += [
                "template <int FLIP> __device__ %s void %s(unsigned *out, int gid) {"
                % (self.pick("__noinline__", "__forceinline__", ""), name),
                "  out[gid] += %du;" % (2 * self.rng.randrange(500) + 3),
                "  __syncthreads();",
                "  out[gid] *= 3u;",
                "}",
            ]
        return self.rng.choice(self.functions)[0]

    def statements(self, count):
        for _ in range(count):
            self.statement()

    def statement(self):
        self.budget -= 1
        if self.budget < 0 or self.depth >= 3:
            return self.barrier() if self.chance(0.4) else self.work()
        self.rng.choice(
            [self.barrier] * 4 + [self.work] + [self.branch] * 4 + [self.loop] * 3 + [self.leave] * 2 + [self.switch]
        )()

    def nested(self, body):
        self.depth += 1
        body()
        self.depth -= 1

    def branch(self):
        condition = self.condition()
        self.text.open("if (%s)" % condition, "if %s" % python_of(condition))
        self.nested(lambda: self.statements(self.rng.randint(1, 2)))
        if self.chance(0.45):
            self.text.orelse()
            self.nested(lambda: self.statements(self.rng.randint(1, 2)))
        self.text.close()
        if self.chance(0.5):
            self.work()

    def switch(self):
        value = (
            "bid + %d" % self.rng.randrange(3)
            if self.chance(self.careful)
            else self.pick("tid", "data[tid]", "tid / 2")
        )
        s = self.fresh("s")
        self.text.line("int %s = (%s) %% 4;" % (s, value), "%s = (%s) %% 4" % (s, python_of(value)))
        self.text.line("switch (%s) {" % s)
        for case in self.rng.sample(range(4), self.rng.randint(2, 3)):
            self.text.open("case %d:" % case, "if %s == %d" % (s, case))
            self.nested(lambda: self.barrier() if self.chance(0.6) else self.work())
            self.text.close("} break;")
        self.text.line("}")

    def loop(self):
        i, c = self.fresh("i"), self.rng.randint(1, 3)
        if self.chance(self.careful):
            end = self.pick(str(c), "n % 4", "m", "bid + 1", "data[bid] % 4", "tid / 32 + 1")
        else:
            end = self.pick("tid % 3", "data[tid] % 4", "tid % 2 + 1", "tid + %d - tid" % c, "(tid < n) + 1")
        start = self.pick("0", "0", "0", "1" if self.chance(self.careful) else "tid % 2")
        count, pragma, is_while = "c" + i, self.chance(0.5), self.chance(0.3)
        self.text.line(
            "int %s = %s - 1, end_%s = %s;" % (i, start, i, end) if is_while else "int end_%s = %s;" % (i, end),
            "%s, end_%s, %s = %s - 1, %s, -1" % (i, i, count, start, python_of(end)),
        )
        if pragma:
            self.text.line("#pragma unroll 1")
        if is_while:
            self.text.line(
                "while (++%s < end_%s) {" % (i, i), "while True:", "  %s += 1" % i, "  if %s >= end_%s: break" % (i, i)
            )
        else:
            self.text.line(
                "for (int %s = %s; %s < end_%s; %s++) {" % (i, start, i, i, i),
                "for %s in range(%s, end_%s):" % (i, start, i),
            )
        self.text.depth += 1
        self.text.line("acc += %s;" % i, "%s += 1" % count)
        self.loops.append(i)
        self.counts.append(count)
        self.nested(lambda: self.statements(self.rng.randint(1, 3)))
        self.counts.pop()
        self.loops.pop()
        self.text.close()

    def leave(self):
        condition, word = self.condition(), self.pick("break", "continue", "return") if self.loops else "return"
        if word == "return":
            self.text.line("if (%s) {" % condition)
            self.text.line("  out[gid] = acc;")
            self.text.line("  return;")
            self.text.line("}", "if %s: return" % python_of(condition))
        else:
            self.text.line("if (%s)" % condition, "if %s:" % python_of(condition))
            self.text.line("  %s;" % word, "  %s" % word)

    # ---- the oracle ----

    def simulate(self):
        """Lets all threads of a block run to their next barrier until they return; notes which lanes wait apart."""
        start = self.run_threads(["tx", "ty", "tid", "bid", "gid", "n", "m", "data"])
        data = [mixed(i) for i in range(4096)]
        self.apart = []  # (block, warp): for each round in which they do, place -> lanes
        self.was_apart = set()
        for bid in range(self.shape.blocks):
            threads = {}
            for tid in range(self.shape.threads):
                body = start(
                    tid % self.shape.block[0],
                    tid // self.shape.block[0],
                    tid,
                    bid,
                    bid * self.shape.threads + tid,
                    self.n,
                    self.m,
                    data,
                )
                threads[tid] = iter(body if body is not None else ())
            while threads:
                places = {tid: next(t, None) for tid, t in threads.items()}
                threads = {tid: t for tid, t in threads.items() if places[tid] is not None}
                self.compare(bid, places)

    def compare(self, bid, places):
        warps = defaultdict(lambda: defaultdict(set))
        for tid, place in places.items():
            if place is not None:
                warps[tid // 32][place].add(tid)
        for warp, waiting in warps.items():
            if len(waiting) > 1:
                self.apart.append((bid, waiting))
                self.was_apart.add((bid, warp))

    def line_of(self, place):
        starts = dict(self.functions)
        return starts[place[0]] + self.functions_first if place[0] in starts else place[0] + self.first

    def is_apart(self, one, other):
        """Whether two threads wait at two places of one round: (line, bid, tid) of each."""
        if one[1] != other[1]:
            return False
        for bid, waiting in self.apart:
            found = [
                [p for p, lanes in waiting.items() if tid in lanes and self.line_of(p) == line]
                for line, _, tid in (one, other)
            ]
            if bid == one[1] and found[0] and found[1] and found[0] != found[1]:
                return True
        return False

    def judge(self, findings, _, flip, exact):
        """What is wrong with the findings of a run. Where lanes have been apart, what follows is not compared."""
        wrong = []
        real = {
            self.shape.real(bid, tid, flip): (bid, tid)
            for bid in range(self.shape.blocks)
            for tid in range(self.shape.threads)
        }
        for f in findings:
            ends = [
                (f["line"], *real.get((f["block"], f["thread"]), (-1, -1))),
                (f["other_line"], *real.get((f["block"], f["other_thread"]), (-1, -1))),
            ]
            if f["kind"] != "barrier-divergence":
                wrong.append("%s at line %d" % (f["kind"], f["line"]))
            elif not self.is_apart(*ends) and (exact or (ends[0][1], ends[0][2] // 32) not in self.was_apart):
                wrong.append("they are not apart: lines, blocks and threads %s, %s" % tuple(ends))
        if self.apart and not findings:
            wrong.append(
                "not reported: %s"
                % "; ".join(
                    "block %d, lines %s" % (bid, sorted(map(self.line_of, waiting))) for bid, waiting in self.apart[:2]
                )
            )
        return wrong, "errors" if self.apart else "silence"

    def ending(self, flip, ended):
        return "" if "kernel %d %d: no error" % (self.number, flip) in ended else "it did not end"

    # ---- source ----

    def source(self):
        lines = list(self.function_lines)
        lines += [
            "template <int FLIP> __global__ void k%d(unsigned *out, const int *data, int n, int m) {" % self.number
        ]
        lines += ["  " + line for line in self.shape.head()] + ["  unsigned acc = gid;"]
        self.before = len(lines)
        return lines + self.text.cuda + ["  out[gid] += acc;", "}"]

    @property
    def functions_first(self):
        return self.first - self.before

    def host(self):
        lines = [
            "unsigned *out = (unsigned *)allocate(%d);" % (4 * self.shape.threads * self.shape.blocks),
            "int *data = numbers();",
        ]
        for flip in (0, 1):
            lines.append(
                "k%d<%d><<<%s>>>(out, data, %d, %d);" % (self.number, flip, self.shape.launch(), self.n, self.m)
            )
            lines.append("finished(%d, %d);" % (self.number, flip))
        return lines
