"""generate.py: random kernels, each written twice: as CUDA, and as host code that tells the oracle of every access.

Rules that make the answer one answer:
- No undefined behaviour but the bad accesses: what may wrap is unsigned, and ints stay small.
- No races that matter. A buffer is only read; or all that is ever stored at an index depends on the index alone; or it is only
  added to, atomically; or each thread has an element of its own, which it only writes.
- Whether code runs, and which index it uses, depends on read-only buffers and parameters, and never on what was stored.
"""
import random

TYPES = {"unsigned": 4, "unsigned char": 1, "unsigned short": 2, "unsigned long long": 8}
READ, MAP, SUM, RECORDS, RECORD_MAP, DYNAMIC = "read", "map", "sum", "records", "record map", "dynamic"
RECORD = "struct Record { unsigned a; unsigned arr[4]; unsigned char c[3]; unsigned short h; unsigned long long d; };"
RECORD_BYTES = 40
ARRAYS = [("arr", "unsigned", 4, 4), ("c", "unsigned char", 20, 3)]  # name, type, where, length
FIELDS = [("a", "unsigned", 0), ("h", "unsigned short", 24), ("d", "unsigned long long", 32)]
ANY = (-2, -1)  # stands for a parameter that may be anything
EXTREMES = [-1, -1, 2147483647, 2147483646, -2147483647 - 1, 0]
MODES = ["PAST_END", "PAST_END", "BEFORE_START", "CUT", "CUT", "FREE", "NULL_POINTER", "MISALIGN", "SHORT", "SHORT"]


class Text:
    """CUDA and host code side by side. In host code @ stands for the line of the CUDA code."""

    def __init__(self):
        self.device, self.host, self.depth = [], [], 0

    def line(self, device, host=None):
        host = device if host is None else host
        self.device.append("  " * self.depth + device)
        if host:
            self.host.append(("  " * self.depth + host, len(self.device)))

    def only_host(self, host):
        self.host.append(("  " * self.depth + host, 0))

    def append(self, other):
        first = len(self.device)
        self.device += other.device
        self.host += [(host, line + first) for host, line in other.host]

    def host_lines(self):
        return [host.replace("@", str(line)) for host, line in self.host]


class Memory:
    """A buffer, or an array of a thread or block. device and host name its start."""

    def __init__(self, device, type, role, host=None, size=None):
        self.device, self.host, self.type, self.role, self.size = device, host or device, type, role, size


class Pair(tuple):
    """An expression: (CUDA, host)."""

    def __new__(cls, device, host=None):
        return tuple.__new__(cls, (device, device if host is None else host))


def join(form, *parts):
    return Pair(form % tuple(p[0] for p in parts), form % tuple(p[1] for p in parts))


class Kernel:
    def __init__(self, number, rng, text):
        self.number, self.rng, self.text = number, rng, text
        self.exact = rng.random() < 0.5  # accesses are volatile: the compiler keeps each of them
        self.barriers = rng.random() < 0.3
        self.heap = uses_heap(number)
        self.copies = False  # a bad memcpy is not carried out, or by loads that give 0
        self.parts = 1  # the compiler may split an access into so many
        self.two = rng.random() < 0.3
        self.in_struct = rng.random() < 0.2  # the parameters
        self.loops = 0
        self.names = 0
        self.budget = rng.randint(2, 7)
        self.values = []  # parameters: (name, lowest, highest)
        self.vars = []  # (name, is unsigned)
        self.shared, self.locals, self.grids, self.shared_grids, self.constants = [], [], [], [], []
        self.table = []  # numbers of the buffers in it
        self.functions = []
        self.buffers = []
        self.loop_depth = 0
        self.block = (rng.choice([4, 8, 16]), rng.choice([2, 3, 4])) if self.two else (rng.choice([1, 7, 16, 32, 48]), 1)
        self.grid = (rng.choice([1, 2, 3]), rng.choice([1, 2]) if self.two else 1)

    # ---- names and parameters ----

    def fresh(self, stem):
        self.names += 1
        return "%s%d" % (stem, self.names)

    def prefix(self):
        return "A." if self.in_struct else ""

    def value(self, low, high):
        same = [v for v in self.values if v[1:] == (low, high)]
        if same and self.rng.random() < 0.6:
            return self.prefix() + self.rng.choice(same)[0]
        name = "n%d" % len(self.values)
        self.values.append((name, low, high))
        return self.prefix() + name

    def any_value(self):
        """A parameter that may be anything; as a loop's bound it needs another beside it."""
        return self.value(*ANY)

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, *items):
        return self.rng.choice(items)

    def volatile(self):
        return "volatile " if self.exact else ""

    # ---- expressions ----

    def term(self):
        name, is_unsigned = self.rng.choice(self.vars)
        name = "(int)" + name if is_unsigned and not self.chance(0.15) else name
        if self.chance(0.15):
            return "%s * %s" % (name, self.value(1, 12))
        factor = self.pick(1, 1, 1, 1, 2, 3, 4, -1, -2)
        return name if factor == 1 else "%s * %d" % (name, factor)

    def index(self):
        """An expression without memory."""
        text = " + ".join(self.term() for _ in range(self.pick(1, 1, 2, 2, 3)))
        offset = self.pick(0, 0, 0, 1, 2, -1, -3, 7)
        if self.chance(0.15):
            text += " + " + self.value(0, 5)
        if offset:
            text += " %s %d" % ("-" if offset < 0 else "+", abs(offset))
        if self.chance(0.1):
            text = "(unsigned)(%s) %% %s" % (text, self.pick("13u", "32u", "(unsigned)" + self.value(1, 24)))
        elif self.chance(0.05):
            text = "(long long)(%s)" % text
        elif self.chance(0.05):
            text = "(unsigned)(%s) %s" % (text, self.pick("& 15u", ">> 2", "/ 3u"))
        elif self.chance(0.04):
            text = "(unsigned)(%s) - %s" % (text, self.pick("1u", "4u"))
        elif self.chance(0.02):
            text = "(unsigned)%s + (unsigned)(%s)" % (self.any_value(), text)
        elif self.chance(0.2):
            text = self.shaped(text)
        return text

    def shaped(self, text):
        """Forms that compilers have instructions and rules for."""
        n = self.value(0, 24)
        return self.rng.choice([
            "min((int)(%s), %s)" % (text, n),
            "max((int)(%s), %s)" % (text, n),
            "min(max((int)(%s), 0), %s)" % (text, n),
            "((int)(%s) > %s ? %s : (int)(%s))" % (text, n, n, text),
            "(int)(%s) / %d" % (text, self.pick(2, 3, 8)),
            "(int)(%s) %% %d" % (text, self.pick(5, 8, 16)),
            "(int)(%s) >> %d" % (text, self.pick(1, 3)),
            "((int)(%s) & ~3)" % text,
            "((int)(%s) | 1)" % text,
            "((int)(%s) ^ %d)" % (text, self.pick(1, 3, 7)),
            "(unsigned char)(%s)" % text,
            "(short)(%s)" % text,
            "(%s - (int)(%s))" % (n, text),
            "((unsigned)(%s) * 0x%xu >> %d)" % (text, self.pick(0x20000001, 0xaaaaaaab, 0x10001), self.pick(24, 27, 28)),
            "(int)((unsigned)(%s) + 0xfffffff0u + (unsigned)%s)" % (text, self.value(16, 20)),
            "((unsigned)(%s) + 0xfffffff0u + (unsigned)%s)" % (text, self.value(16, 20)),
            "(long long)(int)(%s) * %s - %s" % (text, self.value(1, 5), n),
        ])

    def place(self):
        """An index, perhaps from memory."""
        if self.chance(0.12):
            read = self.load(self.a_buffer(READ), Pair(self.index()))
            return join("(int)(%%s %%%% %s)" % self.pick("17u", "40u", "(unsigned)" + self.value(1, 24)), read)
        return Pair(self.index())

    def a_buffer(self, role):
        fitting = [b for b in self.buffers if b.role == role]
        return self.rng.choice(fitting)

    def load(self, memory, index):
        return Pair("%s[%s]" % (memory.device, index[0]), "load(%s, %s, @)" % (memory.host, index[1]))

    def condition(self):
        if self.chance(0.2):
            return join("(%%s) %s (%%s)" % self.pick("&&", "&&", "||"), self.condition(), self.condition())
        roll = self.rng.random()
        if roll < 0.3:
            return self.data_condition()
        if roll < 0.36:
            less = self.pick("<", ">=", "<=", "!=")
            return Pair("%s(%s) %s %s" % (self.pick("(unsigned)", ""), self.index(), less, self.any_value()))
        if roll < 0.6:
            return Pair("(unsigned)(%s) < (unsigned)%s" % (self.index(), self.value(0, 24)))
        if roll < 0.85:
            return Pair("(%s) %s %s" % (self.index(), self.pick("<", ">", "<=", "!=", "=="), self.value(0, 24)))
        return Pair("(%s & 1) == 0" % self.rng.choice(self.vars)[0])

    def data_condition(self):
        read = self.load(self.a_buffer(READ), Pair(self.index()))
        return join("%%s %%%% %s == 1u" % self.pick("5u", "3u", "11u"), read)

    # ---- statements ----

    def block_of(self, head, body, tail="}"):
        host_tail = tail
        if isinstance(tail, Pair):
            tail, host_tail = tail
        self.text.line(head[0] + " {", head[1] + " {")
        self.text.depth += 1
        mark = len(self.vars)
        body()
        del self.vars[mark:]
        self.text.depth -= 1
        self.text.line(tail, host_tail)

    def use(self, value):
        self.text.line("acc = acc * 31u + (unsigned)%s;" % value[0], "acc = acc * 31u + (unsigned)%s;" % value[1])

    def readable(self):
        return [b for b in self.buffers if b.role == READ] * 2 + self.shared + self.locals + self.constants

    def array_index(self, size):
        """For an array of constant size. Mostly inside."""
        over = self.pick(0, 0, 0, 0, 0, 0, 0, 1)
        return "(unsigned)(%s) %% %du" % (self.index(), size + over)

    def read(self):
        memory = self.rng.choice(self.readable())
        index = Pair(self.array_index(memory.size)) if memory.size and not self.chance(0.04) else self.place()
        self.use(self.load(memory, index))

    def write(self):
        if self.locals and self.chance(0.3):
            memory = self.rng.choice(self.locals)
            index = self.array_index(memory.size) if not self.chance(0.04) else self.index()
            self.text.line("%s[%s] = (%s)acc;" % (memory.device, index, memory.type),
                           "store(%s, %s, (%s)acc, @);" % (memory.host, index, memory.type))
            return
        self.store(self.a_buffer(MAP), self.place())

    def store(self, memory, index):
        at = self.fresh("x")
        self.text.line("const long long %s = %s;" % (at, index[0]), "const long long %s = %s;" % (at, index[1]))
        value = "(%s)mixed(%s)" % (memory.type, at)
        self.text.line("%s[%s] = %s;" % (memory.device, at, value), "store(%s, %s, %s, @);" % (memory.host, at, value))

    def add(self):
        memory = self.a_buffer(SUM)
        index = self.place()
        value = "(%s)(%s)" % (memory.type, self.index())
        name, sign = memory.operation
        self.text.line("%s(&%s[%s], %s);" % (name, memory.device, index[0], value),
                       "atomic('%s', %s, %s, %s, @);" % (sign, memory.host, index[1], value))

    def record(self):
        """A field of a structure."""
        memory = self.rng.choice([b for b in self.buffers if b.role in (RECORDS, RECORD_MAP)] or [None])
        if memory is None:
            return self.read()
        i = self.fresh("x")
        index = self.place()
        self.text.line("const long long %s = %s;" % (i, index[0]), "const long long %s = %s;" % (i, index[1]))
        if memory.role == RECORDS and self.chance(0.5):
            name, type, at = self.rng.choice(FIELDS)
            return self.use(Pair("%s[%s].%s" % (memory.device, i, name),
                                 "load_at(%s.as<%s>(), %s * %d + %d, @)" % (memory.host, type, i, RECORD_BYTES, at)))
        name, type, at, length = self.rng.choice(ARRAYS) if memory.role == RECORDS else ARRAYS[0]
        j = self.array_index(length)
        where = "%s.as<%s>(), %s * %d + %d, %s, %d" % (memory.host, type, i, RECORD_BYTES, at, j, length)
        if memory.role == RECORDS:
            return self.use(Pair("%s[%s].%s[%s]" % (memory.device, i, name, j), "load_field(%s, @)" % where))
        value = "mixed(%s * 10 + %s)" % (i, j)
        self.text.line("%s[%s].%s[%s] = %s;" % (memory.device, i, name, j, value), "store_field(%s, %s, @);" % (where, value))

    def cell(self):
        """An element of an array of arrays."""
        if not self.grids:
            return self.read()
        memory = self.rng.choice(self.grids)
        rows, columns = memory.size
        i, j = self.array_index(rows), self.array_index(columns)
        self.use(Pair("%s[%s][%s]" % (memory.device, i, j),
                      "load_field(%s, (long)(%s) * %d, %s, %d, @)" % (memory.host, i, columns * TYPES[memory.type], j, columns)))

    def through_table(self):
        """A pointer that is loaded."""
        self.table = self.table or [i for i, b in enumerate(self.buffers) if b.role == READ and b.type == "unsigned"]
        if not self.table:
            return self.read()
        which, index = "(unsigned)(%s) %% %du" % (self.index(), len(self.table)), self.place()
        self.use(Pair("%stab[%s][%s]" % (self.prefix(), which, index[0]), "load(tab_[%s], %s, @)" % (which, index[1])))

    def dynamic(self):
        """Dynamic shared memory, where the block has filled it."""
        memory = [b for b in self.buffers if b.role == DYNAMIC]
        if not memory:
            return self.read()
        self.use(self.load(memory[0], Pair("(unsigned)(%s) %% (unsigned)%s" % (self.index(), memory[0].count))))

    def copy(self):
        """Sixteen bytes by memcpy."""
        words = [b for b in self.buffers if b.role == READ and b.type == "unsigned"]
        if self.exact or not words:
            return self.read()
        memory, v, index = self.rng.choice(words), self.fresh("v"), self.index()
        self.copies, self.parts = True, 4
        self.text.line("Bytes16 %s;" % v)
        self.text.line("memcpy(&%s, &%s[%s], 16);" % (v, memory.device, index), "%s = copy16(%s, %s, @);" % (v, memory.host, index))
        self.use(Pair("(%s.words[0] ^ %s.words[3])" % (v, v)))

    def allocate(self):
        """Memory that the thread allocates and frees."""
        h, i, n = self.fresh("h"), self.fresh("k"), self.fresh("n_")
        self.text.line("const int %s = %s;" % (n, self.pick("tid % 5 + 1", self.value(1, 24))))
        self.text.line("%sunsigned *%s = (unsigned *)malloc(%s * 4);" % (self.volatile(), h, n),
                       "Heap %s_(%s * 4); P<unsigned> %s = {&%s_.object, 0};" % (h, n, h, h))
        end = self.pick(n, n, "%s + %s" % (n, self.value(0, 1)))
        self.text.line("for (int %s = 0; %s < %s; %s++)" % (i, i, end, i))
        self.text.line("  %s[%s] = mixed(%s + tid);" % (h, i, i), "  store(%s, %s, mixed(%s + tid), @);" % (h, i, i))
        inside = "(unsigned)(%s) %% (unsigned)%s" % (self.index(), n)
        self.use(Pair("%s[%s]" % (h, inside), "load(%s, %s, @)" % (h, inside)))
        self.text.line("free((void *)%s);" % h, "%s_.object.state = FREED;" % h)
        if self.chance(0.4):
            self.text.line("if (%s)" % self.value(0, 1))
            self.use(Pair("%s[%s]" % (h, inside), "load(%s, %s, @)" % (h, inside)))

    def walk(self):
        """A pointer that is moved."""
        memory, p, count = self.rng.choice(self.readable()), self.fresh("p"), self.value(0, 24)
        step = self.pick("1", "1", "2", "-1", self.value(1, 5))
        start = self.array_index(memory.size) if memory.size else self.index()
        self.text.line("const %s%s *%s = %s + (%s);" % (self.volatile(), memory.type, p, memory.device, start),
                       "P<%s> %s = %s + (%s);" % (memory.type, p, memory.host, start))
        if memory.size:
            count, step = self.pick("1", "2"), "0"
        i = self.fresh("w")
        self.text.line("for (int %s = 0; %s < %s; %s++) {" % (i, i, count, i))
        self.text.depth += 1
        self.use(Pair("*" + p, "load(%s, 0, @)" % p))
        if self.chance(0.3):
            at = self.pick("1", "-1", i)
            if not memory.size:
                self.use(Pair("%s[%s]" % (p, at), "load(%s, %s, @)" % (p, at)))
        self.text.line("%s += %s;" % (p, step), "%s = %s + (%s);" % (p, p, step))
        self.text.depth -= 1
        self.text.line("}")

    def choose(self):
        """One of two buffers."""
        a = self.a_buffer(READ)
        others = [b for b in self.buffers if b.role == READ and b.type == a.type]
        b, p = self.rng.choice(others), self.fresh("q")
        condition = self.decide(self.condition())
        self.text.line("const %s%s *%s = %s ? %s : %s;" % (self.volatile(), a.type, p, condition[0], a.device, b.device),
                       "P<%s> %s = %s ? %s : %s;" % (a.type, p, condition[1], a.host, b.host))
        chosen = Memory(p, a.type, READ)
        self.use(self.load(chosen, self.place()))
        if self.chance(0.5):
            self.use(self.load(chosen, self.place()))

    def wide(self):
        """Four elements at once."""
        words = [b for b in self.buffers if b.role == READ and b.type == "unsigned"]
        if self.exact or not words:
            return self.read()
        memory, v, index = self.rng.choice(words), self.fresh("v"), self.index()
        self.parts = 4
        self.text.line("const uint4 %s = ((const uint4 *)%s)[%s];" % (v, memory.device, index),
                       "const uint4 %s = load(%s.as<uint4>(), %s, @);" % (v, memory.host, index))
        self.use(Pair("(%s.x ^ %s.y * 3u ^ %s.z * 5u ^ %s.w * 7u)" % (v, v, v, v)))

    def call(self):
        if not self.functions:
            return self.read()
        name, role, type, is_place = self.rng.choice(self.functions)
        fitting = [m for m in self.readable() if m.type == type] if role == READ else \
                  [m for m in self.buffers if m.type == type and m.role == role]
        if not fitting:
            return self.read()
        memory = self.rng.choice(fitting)
        first = self.array_index(memory.size) if memory.size else self.index()
        count = self.value(0, 24) if not memory.size else "1"
        at = self.fresh("x")
        self.text.line("const int %s = (int)(%s);" % (at, first))
        if role == READ:
            if self.chance(0.5):
                self.use(Pair("%s(%s + %s, 0, %s)" % (name, memory.device, at, count),
                              "%s(%s + %s, 0, %s)" % (name, memory.host, at, count)))
            else:
                self.use(Pair("%s(%s, %s, %s)" % (name, memory.device, at, count),
                              "%s(%s, %s, %s)" % (name, memory.host, at, count)))
        else:
            self.text.line("%s(%s, %s, %s);" % (name, memory.device, at, count),
                           "%s(%s, %s, %s);" % (name, memory.host, at, count))

    def decide(self, condition):
        """A variable, used, lest the compiler leave away what only decides about nothing."""
        name = self.fresh("is")
        self.text.line("const bool %s = %s;" % (name, condition[0]), "const bool %s = %s;" % (name, condition[1]))
        self.text.line("acc = acc * 31u + %s;" % name)
        return Pair(name)

    def leave(self):
        condition = self.decide(self.data_condition() if self.chance(0.7) else self.condition())
        word = self.pick("break", "break", "continue") if self.loop_depth else "return"
        if word == "return":  # what was read must not be for nothing
            word = "{ %s[gid] = acc; return; }" % self.buffers[-1].device
        if word[0] == "{" and self.barriers:
            return self.read()
        self.text.line("if (%s)" % condition[0], "if (%s)" % condition[1])
        if word[0] == "{":
            own = self.buffers[-1]
            self.text.line("  " + word, "  { store(%s, gid, acc, @); return; }" % own.host)
        else:
            self.text.line("  %s;" % word)

    def guarded(self):
        condition = self.decide(self.condition())
        self.block_of(join("if (%s)", condition), lambda: self.statements(self.rng.randint(1, 2)))
        if self.chance(0.3):
            self.block_of(Pair("else"), lambda: self.statements(1))

    def loop(self):
        if self.loop_depth >= 3:
            return self.read()
        i = self.fresh("i")
        up, start, step = self.value(0, 24), self.pick("0", "0", self.value(0, 5)), self.pick("1", "1", "2", self.value(1, 5))
        if self.chance(0.15):
            up = self.fresh("m")
            read = self.load(self.a_buffer(READ), Pair(self.index()))
            self.text.line("const int %s = (int)(%s %% 19u);" % (up, read[0]), "const int %s = (int)(%s %% 19u);" % (up, read[1]))
            self.use(Pair(up))
        names = [v for v, u in self.vars if not u and v.startswith("i")]
        if names and self.chance(0.25):
            start = self.rng.choice(names)
        if self.chance(0.2):
            up = self.pick("tid + 3", "16", "7", up + " + tid % 4", up + " - 2")
        is_unsigned, tail = False, "}"
        roll = self.rng.randrange(14)
        if roll < 3:
            head = "for (int %s = %s; %s < %s; %s += %s)" % (i, start, i, up, i, step)
        elif roll == 3:
            head = "for (int %s = %s - 1; %s >= %s; %s -= %s)" % (i, up, i, start, i, step)
        elif roll == 4:
            head = "for (int %s = %s; %s != %s + %s; %s++)" % (i, start, i, start, self.value(0, 24), i)
        elif roll == 5:
            head, is_unsigned = "for (unsigned %s = (unsigned)%s; %s-- > 0u;)" % (i, self.value(0, 24), i), True
        elif roll == 6:
            n = self.value(1, 25)
            head, is_unsigned = "for (unsigned %s = %s - 1u; %s < (unsigned)%s; %s -= %s)" % (i, n, i, n, i, step), True
        elif roll == 7:
            head = "for (int %s = gid; %s < %s; %s += total)" % (i, i, self.value(0, 300), i)
        elif roll == 8:
            self.text.line("int %s = %s;" % (i, start))
            head, tail = "do", "} while ((%s += %s) < %s);" % (i, step, up)
        elif roll == 9:
            head = "for (int %s = 1; %s < %s; %s *= 2)" % (i, i, self.value(0, 100), i)
        elif roll == 10:
            head = "for (long long %s = %s; %s < %s; %s += %s)" % (i, start, i, up, i, step)
        else:
            head, is_unsigned = self.loop_with_two_ends(i, step)
        carried = self.fresh("c") if self.chance(0.2) else None
        if carried:
            self.text.line("int %s = %s;" % (carried, self.pick("0", self.index())))

        def body():
            self.vars.append((i, is_unsigned))
            if carried:
                self.carry(carried)
            self.loop_depth += 1
            if is_unsigned is False and roll != 10 and self.chance(0.5):
                self.vars.append((i, False))  # used more often
            self.statements(self.rng.randint(1, 3))
            self.loop_depth -= 1

        if self.chance(0.1):
            self.text.line("#pragma unroll %d" % self.pick(1, 2, 4), "")
        self.block_of(Pair(head), body, tail)

    def loop_with_two_ends(self, i, step):
        """One end may be any number, and only the other is sure to come: (text, is the counter unsigned)."""
        n, sure = self.any_value(), self.pick("%s < %d" % (i, self.pick(9, 30, 100)), "%s * %s < %d" % (i, i, self.pick(90, 2000)))
        scale = self.pick("*= 2", "*= 3", "+= " + step, "+= " + step, "<<= 1")
        if self.chance(0.5):
            sure = sure + "u"
            less = self.pick("<", "<=", "!=")
            return "for (unsigned %s = %s; %s %s (unsigned)%s && %s; %s %s)" % (
                i, self.pick("1u", "2u", "1u + tid"), i, less, n, sure, i, scale), True
        less = self.pick("<", "<=", "!=")
        return "for (int %s = %s; %s %s %s && %s; %s %s)" % (i, self.pick("1", "2", "1 + tid"), i, less, n, sure, i, scale), False

    def carry(self, name):
        """An index that goes from round to round, in a way of its own."""
        step = self.rng.choice([
            "%s += %s;" % (name, self.value(1, 5)),
            "%s = (%s * 5 + 3) & 31;" % (name, name),
            "%s = %s > %s ? 0 : %s + 2;" % (name, name, self.value(0, 24), name),
            "%s = (%s + 7) %% 23;" % (name, name),
            "%s -= 1;" % name,
        ])
        if self.chance(0.3):
            condition = self.decide(self.condition())
            self.text.line("if (%s)" % condition[0], "if (%s)" % condition[1])
            step = "  " + step
        self.text.line(step)
        self.vars += [(name, False)] * 2

    def share(self, memory):
        """A step of the block: all write, all read."""
        j, end = self.fresh("j"), str(memory.size)
        if self.chance(0.2):
            end = "%s + %s" % (end, self.value(0, 1))
        self.text.line("__syncthreads();", "t.barrier();")
        self.text.line("for (int %s = tid; %s < %s; %s += threads)" % (j, j, end, j))
        value = "(%s)mixed(%s + %d)" % (memory.type, j, self.names)
        self.text.line("  %s[%s] = %s;" % (memory.device, j, value), "  store(%s, %s, %s, @);" % (memory.host, j, value))
        self.text.line("__syncthreads();", "t.barrier();")

    def statements(self, count):
        for _ in range(count):
            self.statement()

    def statement(self):
        self.budget -= 1
        simple = [self.read] * 4 + [self.write] * 3 + [self.call, self.record] * 2
        simple += [self.add, self.walk, self.choose, self.wide, self.cell, self.through_table, self.dynamic, self.copy]
        simple += [self.allocate] * 4 if self.heap else []
        nested = [self.loop] * 6 + [self.guarded] * 3 + [self.leave] * 2
        self.rng.choice(simple + nested if self.budget > 0 else simple)()

    # ---- functions that the kernel calls ----

    def function(self, index):
        role = self.pick(READ, READ, MAP)
        type = self.rng.choice([b.type for b in self.buffers if b.role == role])
        name = "f%d_%d" % (self.number, index)
        manner = self.pick("__noinline__ ", "__noinline__ ", "", "__forceinline__ ")
        constant = "const " if role == READ else ""
        self.text.line("static __device__ %sunsigned %s(%s%s%s *p, int x, int n) {" %
                       (manner, name, constant, self.volatile(), type),
                       "static unsigned %s(P<%s> p, int x, int n) {" % (name, type))
        self.text.depth += 1
        self.text.line("unsigned acc = 1u;")
        form = self.rng.randrange(4)
        head = ["for (int i = 0; i < n; i++)", "for (int i = n - 1; i >= 0; i--)", "for (int i = 0; i < n; i += 2)",
                "if (int i = 1)"][form]
        at = "x + i" if form != 3 else "x"
        self.text.line(head + " {")
        if role == READ:
            self.text.line("  acc = acc * 31u + (unsigned)p[%s];" % at, "  acc = acc * 31u + (unsigned)load(p, %s, @);" % at)
            if form != 3 and self.chance(0.3):
                self.text.line("  if (p[%s] %% 7u == 2u)" % at, "  if (load(p, %s, @) %% 7u == 2u)" % at)
                self.text.line("    break;")
        else:
            self.text.line("  p[%s] = (%s)mixed(%s);" % (at, type, at), "  store(p, %s, (%s)mixed(%s), @);" % (at, type, at))
        self.text.line("}")
        self.text.line("return acc;")
        self.text.depth -= 1
        self.text.line("}")
        self.functions.append((name, role, type, False))

    # ---- the whole ----

    def make_buffers(self):
        roles = [READ, READ, MAP, SUM] + [self.pick(READ, MAP)] * self.pick(0, 1)
        for i, role in enumerate(roles):
            type = "unsigned" if role == SUM or self.chance(0.6) else self.rng.choice(list(TYPES))
            self.buffers.append(Memory("%sb%d" % (self.prefix(), i), type, role))
            self.buffers[-1].operation = self.pick(("atomicAdd", "+"), ("atomicMax", ">"), ("atomicOr", "|"), ("atomicXor", "^"))
        if self.chance(0.35):
            self.buffers.append(Memory(self.prefix() + "rec", "Record", self.pick(RECORDS, RECORDS, RECORD_MAP)))
        if self.barriers and self.chance(0.3):
            self.buffers.append(Memory("dynamic", "unsigned", DYNAMIC))
            self.buffers[-1].count = self.value(1, 24)
        self.buffers.append(Memory(self.prefix() + "own", "unsigned", "own"))

    def make_constants(self):
        for _ in range(self.pick(0, 0, 0, 1)):
            size, name = self.pick(4, 9, 32), "g%d" % self.number
            space = self.pick("__device__", "__constant__")
            values = ", ".join("%du" % (i * 7 % 251) for i in range(size))
            self.text.line("static %s %sunsigned %s[%d] = {%s};" % (space, self.volatile(), name, size, values),
                           "static Array<unsigned, %d> %s_({%s});" % (size, name, values))
            self.constants.append(Memory(name, "unsigned", "constant", name + "_.p()", size))

    def parameter(self, b):
        constant = "const " if b.role in (READ, RECORDS) else ""
        volatile = "" if b.role == SUM else self.volatile()
        restrict = "__restrict__ " if not self.in_struct and self.chance(0.2) else ""
        return "%s%s%s *%s%s" % (constant, volatile, b.type, restrict, b.device.replace("A.", ""))

    def generate(self):
        self.make_buffers()
        self.make_constants()
        for i in range(self.pick(0, 0, 1, 2)):
            self.function(i)
        body = Text()
        body.depth = 1
        outer, self.text = self.text, body
        self.names = 0
        self.emit_body()
        self.text = outer
        self.emit_kernel(body)

    def emit_body(self):
        self.vars = [("tid", False), ("gid", False), ("gid", False), ("bid", False)]
        if self.two:
            self.vars += [("tx", False), ("ty", False), ("row", False), ("column", False)]
        for _ in range(self.pick(0, 0, 1)):
            size, name = self.pick(4, 5, 8, 16, 33), self.fresh("l")
            type = self.pick("unsigned", "unsigned", "unsigned char", "unsigned long long")
            self.text.line("%s%s %s[%d];" % (self.volatile(), type, name, size),
                           "Array<%s, %d> %s_;" % (type, size, name))
            self.text.line("for (int i = 0; i < %d; i++)" % size)
            self.text.line("  %s[i] = (%s)mixed(i + tid);" % (name, type),
                           "  store(%s_.p(), i, (%s)mixed(i + tid), @);" % (name, type))
            self.locals.append(Memory(name, type, "local", name + "_.p()", size))
        steps = self.pick(1, 1, 2) if self.barriers else 1
        if self.barriers:
            for _ in range(self.pick(1, 1, 2)):
                size, name = self.pick(5, 16, 32, 48, 100), self.fresh("s")
                type = self.pick("unsigned", "unsigned", "unsigned char")
                self.shared.append(Memory(name, type, "shared", "s_->%s.p()" % name, size))
        self.make_grid()
        self.fill_dynamic()
        for _ in range(steps):
            for memory in self.shared:
                self.share(memory)
            self.budget += 1
            self.statements(self.pick(1, 2, 3))
        for memory in self.locals + self.shared:  # else what was stored there is for nothing
            self.use(self.load(memory, Pair("(unsigned)gid %% %du" % memory.size)))
        own = self.buffers[-1]
        self.text.line("%s[gid] = acc;" % own.device, "store(%s, gid, acc, @);" % own.host)

    def make_grid(self):
        if not self.chance(0.25):
            return
        rows, columns, name, i = self.pick(2, 3, 8), self.pick(3, 4, 7), self.fresh("t"), self.fresh("j")
        is_shared = self.barriers and self.chance(0.6)
        memory = Memory(name, "unsigned", "grid", ("s_->%s.p()" if is_shared else "%s_.p()") % name, (rows, columns))
        first, step = ("tid", "threads") if is_shared else ("0", "1")
        if is_shared:
            self.shared_grids.append(memory)
        else:
            self.text.line("%sunsigned %s[%d][%d];" % (self.volatile(), name, rows, columns),
                           "Array<unsigned, %d> %s_;" % (rows * columns, name))
        self.text.line("for (int %s = %s; %s < %d; %s += %s)" % (i, first, i, rows * columns, i, step))
        self.text.line("  %s[%s / %d][%s %% %d] = mixed(%s);" % (name, i, columns, i, columns, i),
                       "  store(%s, %s, mixed(%s), @);" % (memory.host, i, i))
        if is_shared:
            self.text.line("__syncthreads();", "t.barrier();")
        self.grids.append(memory)

    def fill_dynamic(self):
        for memory in (b for b in self.buffers if b.role == DYNAMIC):
            i = self.fresh("j")
            self.text.line("for (int %s = tid; %s < %s; %s += threads)" % (i, i, memory.count, i))
            self.text.line("  %s[%s] = mixed(%s);" % (memory.device, i, i), "  store(%s, %s, mixed(%s), @);" % (memory.host, i, i))
            self.text.line("__syncthreads();", "t.barrier();")

    def arguments(self):
        """Buffers that are parameters, with their numbers."""
        return [(i, b) for i, b in enumerate(self.buffers) if b.role != DYNAMIC]

    def table_type(self):
        return "const %sunsigned *const *" % self.volatile()

    def emit_kernel(self, body):
        k, t = self.number, self.text
        if self.in_struct:
            t.line("struct A%d {" % k)
            for _, b in self.arguments():
                t.line("  %s;" % self.parameter(b), "  P<%s> %s;" % (b.type, b.device[2:]))
            if self.table:
                t.line("  %stab;" % self.table_type(), "")
            for v in self.values:
                t.line("  int %s;" % v[0])
            t.line("};")
            parameters = "const A%d A" % k
        else:
            table = [self.table_type() + "tab"] if self.table else []
            parameters = ", ".join([self.parameter(b) for _, b in self.arguments()] + table + ["int " + v[0] for v in self.values])
        t.only_host("struct S%d {" % k)
        for m in self.shared:
            t.only_host("  Array<%s, %d> %s;" % (m.type, m.size, m.device))
        for m in self.shared_grids:
            t.only_host("  Array<unsigned, %d> %s;" % (m.size[0] * m.size[1], m.device))
        t.only_host("};")
        bounds = "__launch_bounds__(%d) " % (self.block[0] * self.block[1]) if self.chance(0.2) else ""
        t.line("static __global__ void %sk%d(%s) {" % (bounds, k, parameters),
               "static void k%d(Thread &t, const Arguments &a_) {" % k)
        self.emit_host_parameters(t)
        for m in self.shared:
            t.line("  __shared__ %s%s %s[%d];" % (self.volatile(), m.type, m.device, m.size), "")
        for m in self.shared_grids:
            t.line("  __shared__ %sunsigned %s[%d][%d];" % (self.volatile(), m.device, *m.size), "")
        t.line("  const int tx = threadIdx.x, ty = threadIdx.y, bx = blockIdx.x, by = blockIdx.y;",
               "  const int tx = t.tx, ty = t.ty, bx = t.bx, by = t.by;")
        t.line("  const int threads = blockDim.x * blockDim.y, tid = ty * blockDim.x + tx, bid = by * gridDim.x + bx;",
               "  const int threads = t.ntx * t.nty, tid = ty * t.ntx + tx, bid = by * t.nbx + bx;")
        t.line("  const int gid = bid * threads + tid, total = threads * gridDim.x * gridDim.y;",
               "  const int gid = bid * threads + tid, total = threads * t.nbx * t.nby;")
        t.line("  const int row = by * blockDim.y + ty, column = bx * blockDim.x + tx;",
               "  const int row = by * t.nty + ty, column = bx * t.ntx + tx;")
        t.line("  unsigned acc = gid;")
        t.append(body)
        t.line("}")

    def emit_host_parameters(self, t):
        if self.in_struct:
            t.only_host("  A%d A;" % self.number)
        for i, b in enumerate(self.buffers):
            form = "  %s = {&a_.buffers[%d], 0};" if self.in_struct and b.role != DYNAMIC else "  P<" + b.type + "> %s = {&a_.buffers[%d], 0};"
            t.only_host(form % (b.device, i))
        for i, v in enumerate(self.values):
            t.only_host(("  A.%s = a_.values[%d];" if self.in_struct else "  const int %s = a_.values[%d];") % (v[0], i))
        if self.table:
            t.only_host("  const P<unsigned> tab_[] = {%s};" % ", ".join(self.buffers[i].host for i in self.table))
        if self.shared or self.shared_grids:
            t.only_host("  S%d *s_ = (S%d *)a_.shared;" % (self.number, self.number))

    def launch(self):
        """Host code in the CUDA program."""
        arguments = ["(%s *)l.buffers[%d].p()" % (b.type, i) for i, b in self.arguments()]
        if self.table:
            arguments.append("l.table<%s>({%s})" % (self.table_type(), ", ".join(map(str, self.table))))
        arguments += ["l.values[%d]" % i for i in range(len(self.values))]
        call = "A%d{%s}" % (self.number, ", ".join(arguments)) if self.in_struct else ", ".join(arguments)
        return "static void run%d(const Launch &l) { k%d<<<dim3(%d, %d), dim3(%d, %d), l.shared()>>>(%s); }" % (
            self.number, self.number, *self.grid, *self.block, call)

    def entry(self):
        return "{%d, %d, %d, run%d}," % (self.number, len(self.buffers), len(self.values), self.number)

    def host_entry(self):
        k = self.number
        size = lambda b: 0 if b.role == DYNAMIC else 4 if b.type == "Record" else TYPES[b.type]
        sizes = ", ".join(str(size(b)) for b in self.buffers)
        return ("static const int elements%d[] = {%s};\n"
                "static const Kernel kernel%d = {%d, %d, %d, %d, %d, %d, %d, %d, k%d, sizeof(S%d), [](void *p) { new (p) S%d; }, "
                "elements%d};") % (k, sizes, k, k, len(self.buffers), len(self.values), int(self.barriers), *self.grid,
                                   *self.block, k, k, k, k)

    def plan(self, index):
        """One way to launch it: how the oracle chooses the sizes of its buffers, and its parameters."""
        rng = random.Random("%s/%d/%d" % (self.seed, self.number, index))
        mode = "GOOD" if index == 0 else rng.choice(MODES)
        def value(low, high):
            if (low, high) == ANY:
                return rng.choice(EXTREMES) if rng.random() < 0.6 else rng.randint(0, 40)
            return rng.randint(low, high) if rng.random() < 0.9 else low

        values = [value(low, high) for _, low, high in self.values]
        return "{&kernel%d, %s, %du, {%s}}," % (self.number, mode, rng.getrandbits(31), ", ".join(map(str, values)))


def uses_heap(number):
    """Kernels that allocate are in programs of their own: where there is one, the pass trusts no bounds for long."""
    return number // 10 % 10 == 9


def batch(seed, numbers, plans):
    """(CUDA program, oracle, the kernels)."""
    text, kernels = Text(), []
    text.line("#include \"kernels.h\"", "#include \"oracle.h\"")
    text.only_host("#include <new>")
    text.line(RECORD)
    text.line("struct Bytes16 { unsigned words[4]; };", "")
    text.line("extern __shared__ unsigned dynamic[];", "")
    text.only_host("struct uint4 { unsigned x, y, z, w; };")
    text.only_host("static int min(int a, int b) { return a < b ? a : b; }")
    text.only_host("static int max(int a, int b) { return a > b ? a : b; }")
    text.line("static __host__ __device__ unsigned mixed(long long x) { return ((unsigned)x ^ 77u) * 2654435761u; }",
              "static unsigned mixed(long long x) { return ((unsigned)x ^ 77u) * 2654435761u; }")
    for number in numbers:
        kernel = Kernel(number, random.Random("%s/%d" % (seed, number)), text)
        kernel.seed = seed
        kernel.first = len(text.device) + 1
        kernel.generate()
        kernel.last = len(text.device)
        kernels.append(kernel)
    device = text.device + [k.launch() for k in kernels]
    device += ["const Entry entries[] = {"] + [k.entry() for k in kernels] + ["};", "const int entry_count = %d;" % len(kernels)]
    host = text.host_lines() + [k.host_entry() for k in kernels] + ["int main(int, char **argv) {", "  const Plan plans[] = {"]
    host += ["    " + k.plan(p) for p in range(plans) for k in kernels] + ["  };"]
    host += ["  const int count = %d, plan = atoi(argv[1]);" % len(kernels),
             "  for (int i = 0; i < count; i++)", "    judge(plans[plan * count + i]);", "}"]
    return "\n".join(device) + "\n", "\n".join(host) + "\n", kernels
