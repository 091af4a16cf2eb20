"""races.py: random kernels with and without data races, and an oracle that compares all accesses with each other."""

from collections import defaultdict

from duets import Duet, Shape, python_of

TYPES = {"unsigned char": 1, "short": 2, "int": 4, "unsigned": 4, "unsigned long long": 8}
ATOMIC = ("int", "unsigned", "unsigned long long")
PLAIN, VOLATILE, BLOCK, DEVICE = range(4)  # strengths; the last two are atomic, for the block or for all
ERROR, WARN, STRICT, NEVER = range(4)
NUMBERS = {"error": ERROR, "warn": WARN, "strict": STRICT}
DETECT, OPTION, LEVELS = "race", "race", ("error", "warn", "strict")
FILL = 0xA5
FULL = 0xFFFFFFFF


class Variable:
    """An array: shared, a buffer, a part of dynamic shared memory, or a __device__ variable."""

    def __init__(self, name, memory, type_):
        self.name, self.memory, self.type, self.bytes = name, memory, type_, TYPES[type_]
        self.of, self.shift = name, 0  # the memory that it is, and at which byte it starts
        self.end = 1  # elements
        self.reads = 0
        self.home = None


class Access:
    """One access of one thread."""

    __slots__ = ("line", "kind", "strength", "bid", "tid", "epoch", "syncs", "value", "size")

    def __init__(self, line, kind, strength, thread, value, size):
        self.line, self.kind, self.strength, self.value, self.size = line, kind, strength, value, size
        self.bid, self.tid, self.epoch, self.syncs = thread.bid, thread.tid, thread.epoch, thread.passed

    def writes(self):
        return self.kind != "read"

    def is_atomic(self):
        return self.strength >= BLOCK


class Thread:
    """Where a thread is, and what it has passed."""

    def __init__(self, kernel, bid, tid):
        self.kernel, self.bid, self.tid, self.epoch, self.passed = kernel, bid, tid, 0, ()

    def access(self, line, name, index, kind, strength, value=0, count=1):
        v = self.kernel.variables[name]
        size = v.bytes * count
        v.end = max(v.end, index + count)
        assert index >= 0
        memory, unit = (v.of, self.bid if v.memory in ("shared", "dynamic") else -1), min(v.bytes, 4)
        for part in range(count):
            start = (v.shift + (index + part) * v.bytes) // unit
            for k in range(v.bytes // unit):
                stored = None if value is None else (value + part) >> 32 * k & (1 << 8 * unit) - 1
                self.kernel.units[memory, start + k].append(Access(line, kind, strength, self, stored, size))

    def barrier(self):
        self.epoch, self.passed = self.epoch + 1, ()

    def warp_barrier(self, line, mask):
        sync = (self.bid, self.tid // 32, self.epoch, line, len(self.passed), mask)
        self.passed += (sync,)
        self.kernel.who_passed[sync].add(self.tid)
        self.kernel.masks[self.bid, self.tid, self.epoch].append(mask)


def level_of(a, b):
    """The lowest level at which two accesses that nothing orders are a race."""
    if a.is_atomic() and b.is_atomic():
        return ERROR if a.bid != b.bid and BLOCK in (a.strength, b.strength) else NEVER
    if (a.writes() and a.strength == PLAIN) or (b.writes() and b.strength == PLAIN):
        return ERROR
    if PLAIN in (a.strength, b.strength):
        return WARN
    in_warp = a.bid == b.bid and a.tid // 32 == b.tid // 32
    return WARN if a.strength == b.strength and ((a.writes() and b.writes()) or in_warp) else STRICT


class Kernel(Duet):
    """Accesses of a few variables between barriers."""

    def __init__(self, seed, number):
        super().__init__("races", seed, number)
        threads = self.pick(
            (1, 1),
            (2, 1),
            (7, 1),
            (16, 1),
            (32, 1),
            (32, 1),
            (33, 1),
            (40, 1),
            (48, 1),
            (64, 1),
            (64, 1),
            (8, 2),
            (4, 4),
            (16, 2),
            (16, 4),
            (5, 3),
            (32, 2),
        )
        self.shape = Shape(self.pick((1, 1), (1, 1), (2, 1), (3, 1), (2, 1), (1, 2)), threads)
        self.n, self.m = self.pick(1, 2, 3, 5, 8, 16, 32, 64, threads[0], threads[0]), self.pick(
            1, 2, 4, 7, 32, self.shape.threads
        )
        self.variables, self.units, self.who_passed = {}, defaultdict(list), defaultdict(set)
        self.masks = defaultdict(list)  # of a thread's warp barriers in an epoch
        self.safe = self.chance(0.6)  # prefers what does not race
        self.barriers = self.pick(0.1, 0.3, 0.5)
        # The engine takes seconds to compile a kernel whose warps are in lock step.
        self.is_volatile, self.has_warp_barriers = self.chance(0.08), self.chance(0.1)
        self.strengths = self.rng.choices(
            [PLAIN, VOLATILE, BLOCK, DEVICE], [8, 4 * self.is_volatile, self.pick(0, 1), self.pick(0, 2)], k=4
        )
        self.make()

    # ---- text ----

    def make(self):
        for _ in range(self.pick(1, 1, 2, 2, 3)):
            self.variable()
        self.statements(self.rng.randint(2, 6))
        if self.chance(0.3):
            self.barrier()
        for v in self.variables.values():
            if v.memory in ("shared", "dynamic") and (not v.reads or self.chance(0.1)):
                self.read_all(v)
        self.unit = {v.of: min(v.bytes, 4) for v in self.variables.values()}
        self.thread = self.run_threads(["t", "tx", "ty", "tid", "bid", "gid", "n", "m"])
        for _ in range(2):  # the first time for the sizes of arrays, which loops read whole
            self.units.clear()
            self.masks.clear()
            for gid in range(self.shape.blocks * self.shape.threads):
                bid, tid = divmod(gid, self.shape.threads)
                self.thread(
                    Thread(self, bid, tid),
                    tid % self.shape.block[0],
                    tid // self.shape.block[0],
                    tid,
                    bid,
                    gid,
                    self.n,
                    self.m,
                )

    def variable(self):
        memory = self.pick("shared", "shared", "buffer", "buffer", "buffer", "dynamic", "variable")
        v = Variable("%s%d" % (memory[0], len(self.variables)), memory, self.pick("int", "int", "int", *TYPES))
        if memory == "variable":
            v.name = "v%d_%d" % (self.number, len(self.variables))
        v.of = v.name
        others = [o for o in self.variables.values() if o.memory == "buffer"]
        if memory == "buffer" and others and self.chance(0.2):
            other = self.rng.choice(others)
            v.of, v.type, v.bytes = other.of, other.type, other.bytes
            v.shift = other.shift + self.pick(0, 0, 1, self.shape.threads) * v.bytes
        self.variables[v.name] = v

    def whole(self):
        """The threads of a block, as source."""
        return "blockDim.x" if self.shape.block[1] == 1 else str(self.shape.threads)

    def index(self):
        c, d, two_d = self.rng.randint(1, 9), self.rng.randint(0, 5), self.shape.block[1] > 1 or self.chance(0.2)
        forms = (
            ["tid"] * 4
            + ["gid"] * 4
            + [
                "tid + %d" % c,
                "gid + %d" % c,
                "%d - tid" % (self.shape.threads - 1),
                "tid * %d + %d" % (c, d),
                "gid * %d + %d" % (c, d),
            ]
        )
        forms += [
            "tid / 2",
            "tid %% %d" % c,
            "tid ^ 1",
            "tid & %d" % self.pick(1, 3, 7, 15),
            "%d" % c,
            "bid",
            "bid * %d + tid" % (c * 8),
            "(tid + %d) %% %d" % (c, self.shape.threads),
        ]
        forms += ["tid * n", "gid * n + %d" % d, "tid + n", "n", "bid * n + tid", "gid / %d" % c]
        if two_d:
            forms += ["ty * n + tx"] * 4 + [
                "tx * m + ty",
                "ty * %d + tx" % self.shape.block[0],
                "tx",
                "ty",
                "ty * m + tx",
            ]
        for i in self.loops:
            forms += [
                "tid * n + I",
                "I * %d + tid" % self.shape.threads,
                "I",
                "tid + I",
                "gid * %d + I" % c,
                "I * m + tid",
                "(tid + I) %% %d" % self.shape.threads,
                "I * %d + gid" % (self.shape.threads * self.shape.blocks),
            ]
            forms = [f.replace("I", i) for f in forms]
        return self.rng.choice(forms)

    def condition(self):
        c, threads = self.rng.randint(0, 9), self.shape.threads
        forms = [
            "tid < %d" % c,
            "tid == %d" % (c % threads),
            "tid %% %d == 0" % (c + 1),
            "bid == %d" % self.rng.randrange(self.shape.blocks),
            "gid == 0",
            "gid < %d" % (c * 8),
            "tx < n",
            "tx < n",
            "tx < n",
            "tid >= %d" % c,
            "bid == 0 && tid == %d" % (c % threads),
            "tid / 32 == 0",
            "tid %% 2 == %d" % (c % 2),
            "tid < n && bid == 0",
        ]
        if self.shape.block[1] > 1:
            forms += ["ty == 0", "tx == 0", "tx < n && ty < m"]
        forms += ["%s == %d" % (i, c % 3) for i in self.loops]
        if self.safe:
            forms += ["tid == 0", "gid == 0", "tx < n", "bid == 0 && tid == 0"] * 3
        return self.rng.choice(forms)

    def statements(self, count):
        for _ in range(count):
            self.statement()

    def statement(self):
        roll = self.rng.random()
        if roll < 0.12 and len(self.loops) < 2:
            self.loop()
        elif roll < 0.24:
            self.guarded()
        elif roll < 0.27 and not self.loops and self.text.depth == 1:
            end = self.pick(self.shape.threads // 2, self.shape.threads - 1, 1) + 1
            self.text.line("if (tid >= %d)" % end, "if tid >= %d:" % end)
            self.text.line("  return;", "  return")
        elif roll < 0.27 + self.barriers / 3 and self.text.depth == 1 + len(self.loops):
            self.barrier()
        else:
            self.access(self.rng.choice(list(self.variables.values())))
            if self.chance(self.barriers) and self.text.depth == 1 + len(self.loops):
                self.barrier()

    def loop(self):
        i = self.fresh("i")
        start, end = self.pick("0", "0", "1"), self.pick("2", "3", "4", "bid + 1")
        if self.chance(0.6):
            self.text.line("#pragma unroll 1")
        self.text.open(
            "for (int %s = %s; %s < %s; %s++)" % (i, start, i, end, i), "for %s in range(%s, %s)" % (i, start, end)
        )
        self.loops.append(i)
        self.statements(self.rng.randint(1, 3))
        self.loops.pop()
        self.text.close()

    def guarded(self):
        condition = self.condition()
        self.text.open("if (%s)" % condition, "if %s" % python_of(condition))
        for _ in range(self.rng.randint(1, 2)):
            self.access(self.rng.choice(list(self.variables.values())))
        if self.chance(0.3):
            self.text.orelse()
            self.access(self.rng.choice(list(self.variables.values())))
        self.text.close()

    def barrier(self):
        if not self.has_warp_barriers or self.chance(0.4):
            self.text.line(
                self.pick("__syncthreads();", "__syncthreads();", "acc += __syncthreads_or(tid == 1);"), "t.barrier()"
            )
            return
        line, mask = self.text.next_line(), 0xFFFFFFFF
        if self.chance(0.2):
            mask = self.pick(0xFFFF, 0xFF, 0x0F0F0F0F)
            self.text.line(
                "if (0x%xu >> (tid & 31) & 1) __syncwarp(0x%xu & __activemask());" % (mask, mask),
                "if %d >> (tid & 31) & 1: t.warp_barrier(%d, %d)" % (mask, line, mask),
            )
        else:
            self.text.line("__syncwarp();", "t.warp_barrier(%d, %d)" % (line, mask))

    def access(self, v):
        strength = self.rng.choice(self.strengths)
        if self.safe and self.chance(0.8):
            v.home = v.home or self.safe_home(v)
            index = v.home.replace("I", self.loops[-1] if self.loops else "0")
        else:
            index = self.index()
        if strength >= BLOCK and v.type not in ATOMIC:
            strength = PLAIN
        if self.chance(0.15):
            condition = self.condition()
            self.text.line("if (%s)" % condition, "if %s:" % python_of(condition))
            self.text.depth += 1
            self.one_access(v, strength, index)
            self.text.depth -= 1
        else:
            self.one_access(v, strength, index)

    def safe_home(self, v):
        if v.memory in ("shared", "dynamic"):
            return self.pick(
                "tid",
                "tid",
                "tid * 2",
                "%d - tid" % (self.shape.threads - 1),
                "tid * 4 + I",
                "I * %d + tid" % self.shape.threads,
                "tid * n + n",
            )
        return self.pick(
            "gid",
            "gid",
            "gid * 2 + 1",
            "bid * %d + tid" % self.shape.threads,
            "gid * 5 + I",
            "I * %d + gid" % (self.shape.threads * self.shape.blocks),
        )

    def value(self):
        if self.chance(0.06):
            return "7"  # as a flag that many threads set
        parts = ["%d" % self.rng.randrange(1 << 20), "gid * 61"] + [
            "%s * %d" % (i, self.pick(13, 4099)) for i in self.loops
        ]
        return " + ".join(parts)

    def one_access(self, v, strength, index):
        line, name = self.text.next_line(), v.name
        note = lambda kind, value="0": "t.access(%d, %r, %s, %r, %d, %s)" % (
            line,
            name,
            python_of(index),
            kind,
            strength,
            value,
        )
        value, kind = self.value(), self.pick("read", "read", "write", "write", "write", "add")
        shown = "(%s)(%s)" % (v.type, value)
        masked = "(%s) & %d" % (value, (1 << 8 * v.bytes) - 1)
        if strength >= BLOCK:
            call = self.pick("atomicAdd", "atomicMax", "atomicExch") + ("_block" if strength == BLOCK else "")
            self.text.line("%s&%s[%s], %s);" % (call + "(", name, index, shown), note("atomic"))
        elif strength == VOLATILE:
            element = "((volatile %s *)%s)[%s]" % (v.type, name, index)
            if kind == "read":
                v.reads += 1
                self.text.line("acc += %s;" % element, note("read"))
            else:
                self.text.line("%s = %s;" % (element, shown), note("write", masked))
        elif v.type == "int" and not v.shift and self.chance(0.15):
            self.vector(v, index, kind, value)
        elif kind == "read":
            v.reads += 1
            self.text.line("acc += %s[%s];" % (name, index), note("read"))
        elif kind == "write":
            self.text.line("%s[%s] = %s;" % (name, index, shown), note("write", masked))
        else:
            self.text.line("%s[%s] += %s;" % (name, index, shown), note("read"), note("write", "None"))

    def vector(self, v, index, kind, value):
        width, line = self.pick(2, 4), self.text.next_line()
        note = lambda kind, value="0": "t.access(%d, %r, (%s) * %d, %r, %d, %s, %d)" % (
            line,
            v.name,
            python_of(index),
            width,
            kind,
            PLAIN,
            value,
            width,
        )
        element = "*(int%d *)&%s[(%s) * %d]" % (width, v.name, index, width)
        if kind == "read":
            v.reads += 1
            self.text.line("acc += %s;" % " + ".join("(%s).%s" % (element, c) for c in "xyzw"[:width]), note("read"))
        else:
            parts = ", ".join("%s + %d" % (value, k) for k in range(width))
            self.text.line("%s = make_int%d(%s);" % (element, width, parts), note("write", value))

    def read_all(self, v):
        """Memory that a kernel only writes is removed, and its races with it."""
        if self.chance(0.8):
            self.text.line("__syncthreads();", "t.barrier()")
        i, line = self.fresh("i"), self.text.next_line() + 1
        self.text.line(
            "for (int %s = 0; %s < @%s@; %s++)" % (i, i, v.name, i),
            "for %s in range(t.kernel.variables[%r].end):" % (i, v.name),
        )
        self.text.line(
            "  acc += %s[%s];" % (v.name, i), "  t.access(%d, %r, %s, 'read', %d, 0)" % (line, v.name, i, PLAIN)
        )

    # ---- the oracle ----

    def order(self, a, b):
        """Whether the program orders two accesses. None: what the detector is to say is not defined (limits.md)."""
        if a.bid != b.bid or a.epoch != b.epoch:
            return a.bid == b.bid
        if a.tid == b.tid:
            return True
        if a.tid // 32 != b.tid // 32:
            return False
        for first, second in ((a, b), (b, a)):
            for sync in set(second.syncs) - set(first.syncs):
                if first.tid in self.who_passed[sync]:
                    return True
        return False if len(a.syncs) == len(b.syncs) and self.are_counts_known(a, b) else None

    def are_counts_known(self, a, b):
        """Whether all barriers of the two lanes between barriers of the block have one mask, the same, after full ones."""
        masks = [self.masks[x.bid, x.tid, x.epoch] for x in (a, b)]
        parts = [[m for m in one if m != FULL] for one in masks]
        return parts[0] == parts[1] and len(set(parts[0])) < 2 and all(
            FULL not in one[len(one) - len(part):] for one, part in zip(masks, parts))

    def change(self, a, accesses, at):
        """Whether a plain write certainly changes memory; None: no write does."""
        if a.value is None:
            return a.size <= 4
        values = [b.value for b in accesses if b is not a and b.kind == "write"]
        if at[0][1] < 0:
            values.append(
                int.from_bytes(bytes([FILL] * min(a.size, 4)), "little")
                & (1 << 8 * min(a.size, self.unit[at[0][0]])) - 1
            )
        if a.value not in values:
            return True
        writes = [b for b in accesses if b.writes()]
        return None if all(b.value == a.value and b.size <= 4 and b.strength == PLAIN for b in writes) else False

    def relation(self, a, b, level, accesses, at):
        """True: a race; None: perhaps one that is reported; False: none."""
        if not (a.writes() or b.writes()) or level_of(a, b) > level:
            return False
        ordered = self.order(a, b)
        if ordered or level == STRICT:
            return False if ordered else True if ordered is False else None
        changes = [self.change(w, accesses, at) for w in (a, b) if w.kind == "write" and w.strength == PLAIN]
        if len(changes) == 2 and None in changes:
            return False
        return True if all(changes) and ordered is False else None

    def racy(self, level):
        """The variables of which a race must be reported."""
        found = set()
        for at, accesses in self.units.items():
            if at[0][0] not in found and self.is_racy(at, accesses, level):
                found.add(at[0][0])
        return found

    def is_racy(self, at, accesses, level):
        writers = [a for a in accesses if a.writes()]
        if all(a.strength == DEVICE for a in accesses):
            return False
        for a in writers:
            for b in accesses:
                if (a.tid != b.tid or a.bid != b.bid) and self.relation(a, b, level, accesses, at):
                    return True
        return False

    def racing(self, one, other, level, exact):
        """The variables in which two accesses race: (line, kind, bid, tid) of each.

        Accesses that LLVM merges have the line of one of them."""
        return {
            at[0][0]
            for at, accesses in self.units.items()
            for a in accesses
            if self.matches(a, one, exact)
            for b in accesses
            if self.matches(b, other, exact) and self.relation(a, b, level, accesses, at) is not False
        }

    def matches(self, a, what, exact):
        line, kind, bid, tid = what
        return (a.line == line - self.first or not exact) and a.kind == kind and a.bid == bid and a.tid == tid

    def judge(self, findings, level, flip, exact):
        """What is wrong with the findings of a run, which are dictionaries."""
        level, wrong, reported = NUMBERS[level], [], set()
        real = {
            self.shape.real(bid, tid, flip): (bid, tid)
            for bid in range(self.shape.blocks)
            for tid in range(self.shape.threads)
        }
        must = self.racy(level)
        for f in findings:
            ends = [
                (f["line"], f["access"], *real.get((f["block"], f["thread"]), (-1, -1))),
                (f["other_line"], f["other_access"], *real.get((f["other_block"], f["other_thread"]), (-1, -1))),
            ]
            names = self.racing(*ends, level, True) or not exact and self.racing(*ends, level, False)
            if f["kind"] != "data-race":
                wrong.append("%s at line %d" % (f["kind"], f["line"]))
            elif not names:
                wrong.append("no race: %s and %s" % tuple(ends))
            reported |= names or set()
        if must - reported:
            wrong.append("not reported: races of %s" % ", ".join(sorted(must - reported)))
        return wrong, "errors" if must else "perhaps" if findings else "silence"

    def ending(self, flip, ended):
        expected = "kernel %d %d: no error" % (self.number, flip)
        return "" if expected in ended else "it did not end"

    # ---- source ----

    def source(self):
        """The kernel's lines."""
        sizes = {v.name: v.end for v in self.variables.values()}
        params = ["%s *%s" % (v.type, v.name) for v in self.variables.values() if v.memory == "buffer"]
        lines = [
            "__device__ %s %s[%d];" % (v.type, v.name, v.end)
            for v in self.variables.values()
            if v.memory == "variable"
        ]
        lines += [
            "template <int FLIP> __global__ void k%d(%s) {"
            % (self.number, ", ".join(params + ["unsigned *out", "int n", "int m"]))
        ]
        lines += ["  " + line for line in self.shape.head()]
        offset = 0
        for v in self.variables.values():
            if v.memory == "shared":
                lines.append("  __shared__ __align__(16) %s %s[%d];" % (v.type, v.name, v.end))
            elif v.memory == "dynamic":
                lines.append("  %s *%s = (%s *)(dynamic + %d);" % (v.type, v.name, v.type, offset))
                offset += (v.end * v.bytes + 15) // 16 * 16
        lines.append("  unsigned acc = 0;")
        self.dynamic, self.before = offset, len(lines)
        body = "\n".join(self.text.cuda)
        for name, size in sizes.items():
            body = body.replace("@%s@" % name, str(size))
        return lines + body.split("\n") + ["  out[gid] = acc;", "}"]

    def host(self):
        """What launches the kernel in both orders."""
        lines, buffers, arguments = [], {}, []
        for v in self.variables.values():
            if v.memory == "buffer":
                buffers[v.of] = max(buffers.get(v.of, 0), v.shift + v.end * v.bytes)
                arguments.append("(%s *)(%s + %d)" % (v.type, v.of, v.shift))
        for name, size in buffers.items():
            lines.append("char *%s = (char *)allocate(%d);" % (name, size))
        lines.append("unsigned *out = (unsigned *)allocate(%d);" % (4 * self.shape.threads * self.shape.blocks))
        for flip in (0, 1):
            for name, size in buffers.items():
                lines.append("cudaMemset(%s, 0x%x, %d);" % (name, FILL, size))
            for v in self.variables.values():
                if v.memory == "variable":
                    lines.append("clear(%s, %d, 0x%x);" % (v.name, v.end * v.bytes, FILL))
            lines.append(
                "k%d<%d><<<%s, %d>>>(%s);"
                % (
                    self.number,
                    flip,
                    self.shape.launch(),
                    self.dynamic,
                    ", ".join(arguments + ["out", str(self.n), str(self.m)]),
                )
            )
            lines.append("finished(%d, %d);" % (self.number, flip))
        return lines
