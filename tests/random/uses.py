"""uses.py: random kernels that use memory which is written or not, and an oracle that knows that of each bit."""

from duets import Duet, Shape, Text, python_of

DETECT, OPTION, LEVELS = "init", "init", ("use", "load")
TYPES = {"unsigned char": 1, "unsigned short": 2, "unsigned": 4, "unsigned long long": 8}
NEVER, PERHAPS, CERTAIN = range(3)


class Value:
    """bits; those that are uninitialised; and those that may count as such, or not."""

    __slots__ = ("bits", "shadow", "perhaps")

    def __init__(self, bits, shadow=0, perhaps=0):
        self.bits, self.shadow, self.perhaps = bits, shadow, perhaps & ~shadow

    def unknown(self):
        return self.shadow | self.perhaps


def cut(value, size):
    mask = (1 << 8 * size) - 1
    return Value(value.bits & mask, value.shadow & mask, value.perhaps & mask)


def above(bits):
    """All bits from the lowest one of `bits` on."""
    return -(bits & -bits) if bits else 0


def plus(a, b):
    return Value(a.bits + b.bits, a.shadow | b.shadow, above(a.unknown() | b.unknown()) & (1 << 64) - 1)


def xor(a, b):
    return Value(a.bits ^ b.bits, a.shadow | b.shadow, a.perhaps | b.perhaps)


def conjunction(a, mask):
    return Value(a.bits & mask, a.shadow & mask, a.perhaps & mask)


def disjunction(a, mask):
    return Value(a.bits | mask, a.shadow & ~mask, a.perhaps & ~mask)


def shifted(a, count):
    return Value(a.bits >> count, a.shadow >> count, a.perhaps >> count)


class Memory:
    """The bytes of an array: (value, shadow, perhaps, never written)."""

    def __init__(self, size, by_pattern):
        self.bytes, self.by_pattern = [(0, 255, 0, True) for _ in range(size)], by_pattern

    def store(self, at, size, value):
        for i in range(size):
            shift = 8 * i
            self.bytes[at + i] = (
                value.bits >> shift & 255,
                value.shadow >> shift & 255,
                value.perhaps >> shift & 255,
                False,
            )

    def load(self, at, size):
        found = Value(0)
        for i in range(size):
            value, shadow, perhaps, never = self.bytes[at + i]
            if never and self.by_pattern and sum(b[3] for b in self.bytes[(at + i) & ~7 : ((at + i) | 7) + 1]) < 4:
                shadow, perhaps = (
                    0,
                    255,
                )  # too few to be told from a value that something unknown has written: docs/decisions/0050
            found = Value(
                found.bits | value << 8 * i, found.shadow | shadow << 8 * i, found.perhaps | perhaps << 8 * i
            )
        return found


class Array:
    """A buffer, or an array of a block or a thread."""

    def __init__(self, name, memory, type_):
        self.name, self.memory, self.type, self.bytes = name, memory, type_, TYPES[type_]
        self.home, self.count = None, 0
        self.written = self.stored = False  # in this interval, at all
        self.read = False  # by threads that do not own the element, in this interval


class Thread:
    """What a thread knows, and what it has used."""

    def __init__(self, kernel, phase, bid, tid):
        self.kernel, self.phase, self.bid, self.tid, self.locals = kernel, phase, bid, tid, {}

    def memory(self, name):
        array = self.kernel.arrays[name]
        key = (
            (name,)
            if array.memory == "buffer"
            else (name, self.phase, self.bid) if array.memory == "shared" else (name, self.phase, self.bid, self.tid)
        )
        return self.kernel.memory_of(array, key), array

    def load(self, line, name, index, softly=False):
        memory, array = self.memory(name)
        found = memory.load(index * array.bytes, array.bytes)
        if array.memory == "local" or softly:
            self.note(self.kernel.local_uses if not softly else self.kernel.loads, line, NEVER)
        if array.memory != "local":
            self.note(
                self.kernel.loads,
                line,
                CERTAIN if found.shadow and not softly else PERHAPS if found.unknown() else NEVER,
            )
        return Value(found.bits, 0, found.unknown()) if softly else found

    def store(self, name, index, value):
        memory, array = self.memory(name)
        memory.store(index * array.bytes, array.bytes, cut(value, array.bytes))

    def add(self, line, name, index, value):
        found = self.load(line, name, index)
        self.store(name, index, plus(found, Value(value)))
        return found

    def note(self, where, line, verdict):
        key = (self.phase, line, self.bid, self.tid)
        where[key] = max(where.get(key, NEVER), verdict)

    def use(self, line, value, mask):
        """A branch or an address that depends on some bits of the value."""
        used = conjunction(value, mask)
        decided = used.bits & ~used.unknown()
        certain = used.shadow and not (used.bits & ~used.shadow)
        self.note(
            self.kernel.uses,
            line,
            NEVER if not used.unknown() else CERTAIN if certain else PERHAPS if not decided else NEVER,
        )

    def index(self, line, value, mask):
        used = conjunction(value, mask)
        self.note(self.kernel.uses, line, CERTAIN if used.shadow else PERHAPS if used.perhaps else NEVER)


class Kernel(Duet):
    """One or two kernels, with what the host writes before each."""

    def __init__(self, seed, number):
        super().__init__("uses", seed, number)
        threads = self.pick((1, 1), (7, 1), (32, 1), (33, 1), (48, 1), (64, 1), (8, 4), (16, 2))
        self.shape = Shape(self.pick((1, 1), (1, 1), (2, 1), (3, 1)), threads)
        self.all = self.shape.threads * self.shape.blocks
        self.arrays, self.memories, self.uses, self.loads, self.local_uses = {}, {}, {}, {}, {}
        self.careful = self.pick(0.3, 0.8, 0.97)  # how likely the host or a kernel writes what is read later
        self.phases, self.host_writes = [], []
        for _ in range(self.rng.randint(1, 2)):
            self.array("buffer")
        for phase in range(self.pick(1, 2, 2)):
            self.host_writes.append(
                [
                    self.host_write(a)
                    for a in self.arrays.values()
                    if a.memory == "buffer" and self.chance(0.6 * self.careful if phase == 0 else 0.2)
                ]
            )
            self.phase(phase)
        self.simulate()

    def memory_of(self, array, key):
        if key not in self.memories:
            self.memories[key] = Memory(array.count * array.bytes, array.memory == "buffer")
        return self.memories[key]

    # ---- text ----

    def array(self, memory):
        array = Array("%s%d" % (memory[0], len(self.arrays)), memory, self.pick("unsigned", "unsigned", *TYPES))
        array.count = {
            "buffer": self.all + self.pick(0, 1, 9),
            "shared": self.shape.threads + self.pick(0, 1, 5),
            "local": 4,
        }[memory]
        self.arrays[array.name] = array
        return array

    def host_write(self, array):
        """(array, what, first byte, bytes, value)."""
        size = array.count * array.bytes
        first = 0 if self.chance(0.7) else self.rng.randrange(size)
        end = size if self.chance(self.careful) else self.rng.randint(first, size)
        array.stored = True
        return (array, self.pick("memset", "memcpy", "copy"), first, end - first, self.rng.randrange(256))

    def phase(self, number):
        self.text, self.number_of_phase, self.scalars, self.slots = Text(), number, [], 0
        for a in list(self.arrays.values()):
            if a.memory != "buffer":
                del self.arrays[a.name]
            a.written = a.read = a.home = False
        mine = [a for a in self.arrays.values()]
        for _ in range(self.pick(0, 1, 1, 2)):
            mine.append(self.array(self.pick("shared", "shared", "local")))
        self.mine = mine
        for _ in range(self.rng.randint(4, 9)):
            self.statement()
        if not self.scalars:
            self.load()
        self.use()
        self.phases.append((self.text, mine))

    def statement(self):
        if self.chance(self.careful * 0.5):
            unwritten = [a for a in self.mine if not a.stored]
            if unwritten:
                return self.store(self.rng.choice(unwritten))
        self.rng.choice([self.store, self.store, self.load, self.load, self.use, self.compute, self.add])()

    def sync(self, array):
        """Before a thread accesses an element of shared memory that another one has accessed."""
        if array.memory == "shared" and (array.written or array.read):
            self.text.line("__syncthreads();", "yield")
            for a in self.mine:
                if a.memory == "shared":
                    a.written = a.read = False

    def home(self, array):
        if array.memory == "local":
            return self.pick("tid & 3", "%d" % self.rng.randrange(4))
        if not array.home:
            last = "%d" % ((self.all if array.memory == "buffer" else self.shape.threads) - 1)
            own = "gid" if array.memory == "buffer" else "tid"
            array.home = self.pick(own, own, "%s - %s" % (last, own))
        return array.home

    def guard(self):
        if self.chance(self.careful):
            return ""
        return self.pick(
            "tid < %d" % self.rng.randint(1, self.shape.threads),
            "tid % 2 == 0",
            "bid == 0",
            "tid != %d" % self.rng.randrange(self.shape.threads),
            "n < 5",
        )

    def store(self, array=None):
        array = array or self.rng.choice(self.mine)
        if array.memory == "buffer" and array.read:
            return self.load()
        index, value, guard = self.home(array), self.value(), self.guard()
        if array.memory == "local" and self.careful > 0.5 and not array.stored:
            for i in range(4):
                self.text.line(
                    "%s[%d] = tid + %d;" % (array.name, i, i), "t.store(%r, %d, Value(tid + %d))" % (array.name, i, i)
                )
        self.sync(array)
        prefix = ("if (%s) " % guard, "if %s: " % python_of(guard)) if guard else ("", "")
        self.text.line(
            "%s%s[%s] = (%s)(%s);" % (prefix[0], array.name, index, array.type, value[0]),
            "%st.store(%r, %s, %s)" % (prefix[1], array.name, python_of(index), value[1]),
        )
        array.written = array.stored = True

    def load(self):
        array = self.rng.choice(self.mine)
        own, softly = array.memory == "local" or (array.memory == "buffer" and array.written), False
        if array.memory == "buffer" and array.written:
            softly = (
                array.bytes < 4
            )  # what other threads write next to it meanwhile decides whether too few bytes are left
        self.sync(array)
        end = self.all if array.memory == "buffer" else self.shape.threads
        index = (
            self.home(array)
            if own
            else self.pick(
                self.home(array),
                "(%s + %d) %% %d" % ("gid" if array.memory == "buffer" else "tid", self.rng.randrange(9), end),
                "%d" % self.rng.randrange(array.count),
                "tid / 2",
            )
        )
        array.read |= not own
        name, line = self.fresh("x"), self.text.next_line()
        self.text.line(
            "unsigned long long %s = %s[%s];" % (name, array.name, index),
            "%s = t.load(%d, %r, %s, %s)" % (name, line, array.name, python_of(index), softly),
        )
        self.scalars.append(name)

    def value(self):
        """(CUDA, Python) of an expression."""
        if not self.scalars or self.chance(0.4 + 0.5 * self.careful):
            text = self.pick("%d" % self.rng.randrange(1 << 16), "gid * 77 + %d" % self.rng.randrange(1 << 12))
            return text, "Value(%s)" % text
        x, c = self.rng.choice(self.scalars), self.rng.randrange(1 << 16)
        return self.pick(
            (x, x),
            ("(%s & %d)" % (x, c), "conjunction(%s, %d)" % (x, c)),
            ("(%s | %d)" % (x, c), "disjunction(%s, %d)" % (x, c)),
            ("(%s >> %d)" % (x, c % 13), "shifted(%s, %d)" % (x, c % 13)),
            ("(%s + %d)" % (x, c), "plus(%s, Value(%d))" % (x, c)),
            ("(%s ^ %d)" % (x, c), "xor(%s, Value(%d))" % (x, c)),
        )

    def compute(self):
        if not self.scalars:
            return self.load()
        name, (cuda, python) = self.fresh("x"), self.value()
        if len(self.scalars) > 1 and self.chance(0.4):
            other = self.rng.choice(self.scalars)
            guard = self.guard() or "n < 9"
            cuda, python = self.pick(
                ("%s + %s" % (cuda, other), "plus(%s, %s)" % (python, other)),
                ("%s ^ %s" % (cuda, other), "xor(%s, %s)" % (python, other)),
                ("(%s) ? %s : %s" % (guard, cuda, other), "%s if %s else %s" % (python, python_of(guard), other)),
            )
        self.text.line("unsigned long long %s = %s;" % (name, cuda), "%s = %s" % (name, python))
        self.scalars.append(name)

    def add(self):
        arrays = [
            a for a in self.mine if a.memory != "local" and a.bytes >= 4 and not (a.memory == "buffer" and a.read)
        ]
        if not arrays:
            return self.load()
        array, name, line = self.rng.choice(arrays), self.fresh("x"), 0
        self.sync(array)
        line, c = self.text.next_line(), self.rng.randrange(99)
        self.text.line(
            "unsigned long long %s = atomicAdd(&%s[%s], (%s)%d);"
            % (name, array.name, self.home(array), array.type, c),
            "%s = t.add(%d, %r, %s, %d)" % (name, line, array.name, python_of(self.home(array)), c),
        )
        array.written = array.stored = True
        self.scalars.append(name)

    def use(self):
        if not self.scalars:
            return self.load()
        x, line = self.pick(self.scalars[-1], self.rng.choice(self.scalars)), self.text.next_line()
        mask = self.pick(1, 255, 0xFF00, 0xFFFF, 7, 0x80, 0xFFFFFFFF)
        slot = "out[gid * 16 + %d]" % self.slots
        kind = self.pick("branch", "branch", "address", "divisor")
        self.slots += 1
        if kind == "branch":  # a store that LLVM cannot carry out in any case
            self.text.line(
                "if (%s & %dull) %s = %d;" % (x, mask, slot, self.slots), "t.use(%d, %s, %d)" % (line, x, mask)
            )
        elif kind == "address":
            self.text.line("%s = table[%s & 7];" % (slot, x), "t.index(%d, %s, 7)" % (line, x))
        else:
            self.text.line("%s = 12345u / ((unsigned)%s | 1u);" % (slot, x), "t.index(%d, %s, 0xfffffffe)" % (line, x))

    # ---- the oracle ----

    def simulate(self):
        for number, (text, mine) in enumerate(self.phases):
            for array, what, first, size, value in self.host_writes[number]:
                memory = self.memory_of(array, (array.name,))
                memory.bytes[first : first + size] = [(value, 0, 0, False)] * size
            self.arrays, self.text = {a.name: a for a in mine}, text
            text.python.append("  yield")
            start = self.run_threads(["t", "tx", "ty", "tid", "bid", "gid", "n"])
            start.__globals__.update(
                Value=Value, conjunction=conjunction, disjunction=disjunction, shifted=shifted, plus=plus, xor=xor
            )
            threads = [
                start(
                    Thread(self, number, bid, tid),
                    tid % self.shape.block[0],
                    tid // self.shape.block[0],
                    tid,
                    bid,
                    bid * self.shape.threads + tid,
                    3,
                )
                for bid in range(self.shape.blocks)
                for tid in range(self.shape.threads)
            ]
            while threads:
                threads = [t for t in threads if next(t, self) is not self]

    def judge(self, findings, level, flip, exact):
        wrong, reported = [], set()
        real = {
            self.shape.real(bid, tid, flip): (bid, tid)
            for bid in range(self.shape.blocks)
            for tid in range(self.shape.threads)
        }
        verdicts = dict(self.uses)
        for key, verdict in self.loads.items() if level == "load" else ():
            verdicts[key] = max(verdict, verdicts.get(key, NEVER))
        # At -O0 all. Otherwise a load whose value is not used is removed, and perhaps the second use of a value.
        must = {key[:2] for key, verdict in (verdicts if exact else self.uses).items() if verdict == CERTAIN}
        for f in findings:
            phase = int(f["kernel"].partition("_")[2].partition("<")[0])
            line, at = f["line"] - self.first - self.starts[phase], real.get((f["block"], f["thread"]), (-1, -1))
            is_true = any(
                v and key[0] == phase and key[2:] == at and (key[1] == line or not exact)
                for key, v in verdicts.items()
            )
            if f["kind"] != "uninitialised-use" or not is_true:
                wrong.append("%s at line %d, block and thread %s: initialised" % (f["kind"], f["line"], at))
            reported.add((phase, line))
        missed = must - reported
        if missed and (exact or not reported & must) and not (self.has_locals and not exact):
            wrong.append(
                "not reported: lines %s" % sorted(line + self.first + self.starts[phase] for phase, line in missed)
            )
        return wrong, "errors" if must else "silence"

    def ending(self, flip, ended):
        return "" if "kernel %d %d: no error" % (self.number, flip) in ended else "it did not end"

    # ---- source ----

    def source(self):
        lines, self.starts, self.before = [], {}, 0
        self.has_locals = False
        for number, (text, mine) in enumerate(self.phases):
            params = ["%s *%s" % (a.type, a.name) for a in mine if a.memory == "buffer"]
            lines += [
                "template <int FLIP> __global__ void k%d_%d(%s) {"
                % (self.number, number, ", ".join(params + ["unsigned *out", "const unsigned *table", "int n"]))
            ]
            lines += ["  " + line for line in self.shape.head()]
            for a in mine:
                if a.memory != "buffer":
                    lines.append(
                        "  %s%s %s[%d];" % ("__shared__ " if a.memory == "shared" else "", a.type, a.name, a.count)
                    )
                    self.has_locals |= a.memory == "local" or not any(
                        a.name + "[" in line.partition("=")[0] or "atomicAdd(&" + a.name in line for line in text.cuda
                    )
            self.starts[number] = len(lines)
            lines += text.cuda + ["}"]
        return lines

    def host(self):
        lines, buffers = [], {a.name: a for _, mine in self.phases for a in mine if a.memory == "buffer"}
        lines.append("unsigned *out = (unsigned *)allocate(%d), *table = (unsigned *)numbers();" % (64 * self.all))
        for flip in (0, 1):
            lines.append("{")
            for a in buffers.values():
                lines.append("%s *%s = (%s *)allocate(%d);" % (a.type, a.name, a.type, a.count * a.bytes))
            for number, (_, mine) in enumerate(self.phases):
                for a, what, first, size, value in self.host_writes[number]:
                    lines.append("fill_by_%s((char *)%s + %d, %d, %d);" % (what, a.name, first, value, size))
                arguments = [a.name for a in mine if a.memory == "buffer"] + ["out", "table", "3"]
                lines.append(
                    "k%d_%d<%d><<<%s>>>(%s);" % (self.number, number, flip, self.shape.launch(), ", ".join(arguments))
                )
            lines.append("finished(%d, %d);" % (self.number, flip))
            lines.append("}")
        return lines
