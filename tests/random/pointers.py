"""pointers.py: random kernels that carry pointers from arrays to accesses, each written twice: as CUDA, and as host code for the oracle.

An array's bounds must follow a pointer wherever it goes. These kernels select pointers, swap them, and keep them in tables,
structures, unions and initialisers; shapes.py generates these, memories.py the arrays. A kernel has fixed sizes,
and indices that are parameters: in the first plan every access is in bounds; in each other plan one parameter differs
and leads out of bounds, by one element or by a thousand.
"""
import random
import re

from expressions import Pair, Text
from generate import uses_heap, whole
from integers import HASH, address_forms, word
from memories import ANY, ITEM, READ, SIZES, TURN, WRITE, Group, Memories
from shapes import Shapes

POINTER = re.compile(r"\b(unsigned char|unsigned long long|unsigned|Item) \*")
DEVICE_WORDS = re.compile(r"\b(const|volatile|__device__|__constant__|__noinline__|__forceinline__) ")
KINDS = ["global", "shared", "dynamic", "local", "device", "constant"]
STORED = 1234567  # the only value that threads store in arrays they share


def to_host(code):
    return POINTER.sub(r"P<\1> ", DEVICE_WORDS.sub("", code))


class Kernel(Memories, Shapes):
    parts, copies, keeps_lines = 1, False, True  # for the judge: no access may be split, and none is a memcpy

    def __init__(self, number, seed):
        self.number, self.seed = number, seed
        self.rng = rng = random.Random("%s/pointers/%d" % (seed, number))
        self.exact = rng.random() < 0.3  # accesses are volatile: the compiler keeps each of them
        self.heap = uses_heap(number)
        self.threads = 1 if rng.random() < 0.4 else rng.choice([8, 16, 32])
        self.shifts = rng.random() < 0.35  # the host passes pointers that do not point to the start
        self.past = False
        self.in_struct = rng.random() < 0.2  # the parameters are members of a structure
        self.min_indices = 3  # the minimum number of valid indices of a pointer
        self.names = 0
        self.values = []  # parameters: (name, valid values, invalid values)
        self.literal = rng.random() < 0.15  # one of them is a template parameter
        self.template = None  # the number of that parameter
        self.buffers, self.shared, self.shared_tables, self.tables = [], [], [], []
        self.freed, self.kept = [], []
        self.known = set()
        self.groups = []
        self.outer, self.text = Text(), Text()
        self.text.depth = 1
        self.generate()

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, *choices):
        return self.rng.choice(choices)

    def fresh(self, stem):
        self.names += 1
        return "%s%d" % (stem, self.names)

    def prefix(self):
        return "A." if self.in_struct else ""

    # ---- code ----

    def emit(self, form, *parts):
        self.emit_to(self.text, form, parts)

    def outer_emit(self, form, *parts, host=None):
        self.emit_to(self.outer, form, parts, host)

    def emit_to(self, text, form, parts, host=None):
        device = form % tuple(p[0] if isinstance(p, Pair) else p for p in parts)
        host = to_host(form % tuple(p[1] if isinstance(p, Pair) else p for p in parts)) if host is None else host
        if device.strip():
            text.line(device, host)
        else:
            text.only_host(host)

    def barrier(self):
        if self.threads > 1:
            self.emit("%s", Pair("__syncthreads();", "t.barrier();"))

    def parameter(self, valid, invalid=()):
        name = "n%d" % len(self.values)
        self.values.append((name, valid, list(invalid)))
        return self.prefix() + name

    # ---- accesses ----

    def load(self, group, p, i):
        field = self.pick(0, 1)
        if group.type == "Item":
            return Pair("%s[%s].%s" % (p[0], i, ("key", "value")[field]),
                        "load(%s.as<unsigned>(), (long)(%s) * 2 + %d, @)" % (p[1], i, field))
        return Pair(self.pick("%s[%s]", "%s[%s]", "*(%s + %s)") % (p[0], i), "load(%s, %s, @)" % (p[1], i))

    def store(self, group, p, i, value):
        """The statement that stores value."""
        if group.type == "Item":
            return Pair("%s[%s].value = %s;" % (p[0], i, value),
                        "store(%s.as<unsigned>(), (long)(%s) * 2 + 1, (unsigned)(%s), @);" % (p[1], i, value))
        cast = "(%s)(%s)" % (group.type, value)
        device = "%s[%s] = %s;"
        if group.role == WRITE and not self.exact and group.type in ("unsigned", "unsigned long long") and self.chance(0.2):
            device = "atomicExch(&%s[%s], %s);"
        return Pair(device % (p[0], i, cast), "store(%s, %s, %s, @);" % (p[1], i, cast))

    def is_read(self, group):
        return group.role == READ or (group.role == ANY and self.chance(0.5))

    def touch(self, group, p, i, pointer):
        """One access; a comment in the CUDA code names its memory and shapes, for reports of failures."""
        about = " // %s: %s" % (" ".join(pointer.kinds), ", ".join(pointer.shapes))
        p = p if isinstance(p, Pair) else Pair(p)
        p = Pair(*(t if re.fullmatch(r"[\w.]+", t) else "(%s)" % t for t in p))
        if self.is_read(group):
            value = self.load(group, p, i)
            return Pair("acc = acc * 31u + (unsigned)%s;%s" % (value[0], about), "acc = acc * 31u + (unsigned)%s;" % value[1])
        statement = self.store(group, p, i, str(STORED) if group.role != ANY else "acc")
        return Pair(statement[0] + about, statement[1])

    def index_parameter(self, pointer, span=1):
        """A parameter x such that x to x + span - 1 are valid indices."""
        low, high = pointer.low, pointer.high
        valid = [low, high - span] + [self.rng.randint(low, high - span)] * 2
        near = [high - span + 1, high, high + 1, high + 3, low - 1, low - 2]
        far = [pointer.top, high + 100, high + 1000, low - 100, low - 1000] if not pointer.is_shifted else []
        literals = self.literal and self.template is None and (self.exact or not pointer.is_private)
        if literals:
            self.template = len(self.values)
            valid, near, far = valid[-1:], [self.rng.choice(near + far)], []
        x = self.parameter(valid, near * 2 + far)
        return x if not literals else x.replace("A.", "")

    def index(self, pointer):
        """An index expression for the pointer."""
        span = pointer.high - pointer.low
        if self.threads > 1 and span >= self.threads and self.chance(0.5):
            return "tid + " + self.index_parameter(pointer, self.threads)
        if self.threads > 1 and self.chance(0.4):
            m = self.rng.randint(1, span)
            return "gid %% %d + %s" % (m, self.index_parameter(pointer, m))
        x = self.index_parameter(pointer)
        return self.pick("%s", "%s", "(long long)%s", "%s + tid / 64") % x

    def access(self, group, pointer):
        self.rng.choice([self.direct, self.direct, self.loop, self.function, self.function_with_view, self.function_by_reference])(
            group, pointer)

    def direct(self, group, pointer):
        self.emit("%s", self.touch(group, pointer.text, self.index(pointer), pointer))

    def loop(self, group, pointer):
        i, span = self.fresh("i"), pointer.high - pointer.low
        n = self.parameter([span, span, self.rng.randint(0, span)], [span + 1, span + 1, span + 3, span + (3 if pointer.is_shifted else 100)])
        at = "%s + %d" % (i, pointer.low) if pointer.low else i
        head = self.pick("for (int %s = 0; %s < %s; %s++)", "for (int %s = 0; %s != %s; %s++)") % (i, i, n, i)
        if self.chance(0.3):
            head = "for (int %s = %s; %s-- > 0;)" % (i, n, i)
        self.emit("%s", head)
        self.emit("  %s", self.touch(group, pointer.text, at.replace("+ -", "- "), pointer))

    def function(self, group, pointer):
        """The access is in a function that takes the pointer."""
        f = "f%d_%s" % (self.number, self.fresh(""))
        self.outer_emit("static __device__ %svoid %s(%sp, int x, unsigned &acc) {", self.manner(), f, group.to)
        self.outer_emit("  %s", self.touch(group, "p", "x", pointer))
        self.outer_emit("}")
        self.emit("%s(%s, %s, acc);", f, pointer.text, self.index(pointer))

    def function_with_view(self, group, pointer):
        f, view = "f%d_%s" % (self.number, self.fresh("")), self.view(group)
        form = self.pick("%s v", "%s &v", "const %s &v")
        self.outer_emit("static __device__ %svoid %s(%s, int x, unsigned &acc) {", self.manner(), f, form % view)
        self.outer_emit("  %s", self.touch(group, "v.p", "x", pointer))
        self.outer_emit("}")
        if "&" in form:
            v = self.fresh("v")
            self.emit("%s %s = {%s, 1};", view, v, pointer.text)
            self.emit("%s(%s, %s, acc);", f, v, self.index(pointer))
        else:
            view = Pair(*("%s{%s, 1}" % (view, t) for t in pointer.text))
            self.emit("%s(%s, %s, acc);", f, view, self.index(pointer))

    def function_by_reference(self, group, pointer):
        """The function moves the caller's pointer, which the caller uses afterwards."""
        f, p = "f%d_%s" % (self.number, self.fresh("")), self.declare(group, pointer)
        self.outer_emit("static __device__ %svoid %s(%s&p, int x, unsigned &acc) {", self.manner(), f, group.to)
        self.outer_emit("  p += 2;")
        self.outer_emit("  %s", self.touch(group, "p", "x - 2", pointer))
        self.outer_emit("}")
        self.emit("%s(%s, %s, acc);", f, p, self.index(pointer))
        if self.chance(0.5):
            self.direct(group, pointer.derived(p, "moved by reference", 2))

    # ---- integers of addresses ----

    def numbers(self, group, pointer):
        """Computes with the pointer's address: differences, comparisons, alignment, hashes, and words in which it is packed with a counter. Each
        result is known, whatever bits the pointer carries."""
        p, w, q = pointer.text[0], self.fresh("w"), self.fresh("q")
        forms = address_forms(p, SIZES[group.type], self.rng.randint(pointer.low, pointer.high), w)
        forms += [("%s - %s" % (q, p), 0), ("%s == %s" % (q, p), 1), ("%s == %s" % (word(q), w), 1),
                  ("%s * %s >> 40 == %s * %s >> 40" % (word(q), HASH, word(p), HASH), 1)]
        self.emit("%s", Pair("volatile unsigned long long %s = %s;" % (w, word(p)), ""))
        self.emit("%s", Pair("%svolatile %s = %s;" % (group.to, q, p), ""))
        for form, value in self.rng.sample(forms, self.pick(1, 2, 3, 4)):
            self.emit("acc = acc * 31u + (unsigned)(%s);", Pair(form, "%dll" % value))

    # ---- accesses while pointers change ----

    def changing(self, group):
        """A loop whose pointers swap, or are selected again, and are used in each iteration."""
        inputs, i = self.some(group, 1, 2), self.fresh("i")
        self.emit("%s", "// pointers that change in a loop")
        if self.chance(0.6):
            names = [self.declare(group, p) for p in inputs]
            self.emit("for (int %s = 0; %s < %s; %s++) {", i, i, self.parameter([1, 2, 3, 5]), i)
            both = self.one_of(group, names[0], inputs, "ping-pong")
            self.turn(group, both, names, i)
            self.rotate(group, names)
        else:
            t = self.fresh("t")
            self.emit("%s%s[2] = {%s};", group.to, t, self.listed(inputs))
            self.emit("for (int %s = 0; %s < %s; %s++) {", i, i, self.parameter([1, 2, 3, 5]), i)
            both = self.one_of(group, t, inputs, "ping-pong in a table")
            self.turn(group, both, ["%s[%s & 1]" % (t, i), "%s[1 - (%s & 1)]" % (t, i)], i)
        self.emit("}")

    def turn(self, group, both, names, i):
        """One iteration: copies from the first array to the second if the group's role allows it, otherwise one access."""
        if group.role in (READ, WRITE):
            return self.emit("  %s", self.touch(group, names[0], self.index(both), both))
        v, about = self.fresh("v"), " // %s: %s" % (" ".join(both.kinds), ", ".join(both.shapes))
        at = [self.index(both) if group.role == ANY else "tid + " + self.index_parameter(both, self.threads) for _ in range(2)]
        value = self.load(group, Pair(names[0]), at[0])
        self.emit("  const unsigned %s = (unsigned)%s;%s", v, value, Pair(about, ""))
        self.emit("  %s%s", self.store(group, Pair(names[1]), at[1], "%s + %s" % (v, i)), Pair(about, ""))
        if group.role == TURN:
            self.emit("  %s", Pair("__syncthreads();", "t.barrier();"))

    # ---- the kernel ----

    def make_group(self, index):
        type = self.pick("unsigned", "unsigned", "unsigned", "unsigned char", "unsigned long long", "Item")
        role = ANY if self.threads == 1 else self.pick(READ, READ, WRITE, TURN, "private")
        kinds = KINDS + (["heap"] * 3 if self.heap else [])
        if role == "private":
            role, kinds = ANY, ["local", "local"] + (["heap"] if self.heap else [])
        if self.threads == 1 and self.chance(0.2):
            role = READ
        if role != READ:
            kinds = [k for k in kinds if k != "constant"]
        constant = "const " if role == READ and self.chance(0.5) else ""
        volatile = "volatile " if self.exact else ""
        group = Group(index, type, role, "%s%s%s *" % (constant, volatile, type))
        count = self.pick(2, 3)
        if self.shifts and "global" in kinds and index == 0:
            chosen = ["global"] + [self.pick("global", *kinds) for _ in range(count - 1)]
        elif self.chance(0.5):
            chosen = [self.rng.choice(kinds)] * count
        else:
            chosen = [self.rng.choice(kinds) for _ in range(count)]
        for kind in chosen:
            self.add(group, kind)
        self.groups.append(group)

    def generate(self):
        for index in range(self.pick(1, 1, 2)):
            self.make_group(index)
        self.barrier()
        for _ in range(self.pick(1, 2, 2, 3)):
            group = self.rng.choice(self.groups)
            if group.role == TURN or self.chance(0.2):
                self.changing(group)
            else:
                pointer = self.pointer(group, self.pick(1, 1, 2, 2, 3))
                if self.chance(0.4):
                    self.numbers(group, pointer)
                for _ in range(self.pick(1, 1, 2)):
                    self.access(group, pointer)
        self.barrier()
        for value in self.kept:
            self.emit("acc = acc * 31u + (unsigned)%s;", value)
        for name in self.freed:
            self.emit("%s", Pair("free(%s);" % name, "%s_.object.state = FREED;" % name))
        alone = all(g.role == READ or all(p.is_private for p in g.pointers) for g in self.groups)
        self.grid = self.pick(1, 2, 3) if alone and self.threads > 1 else 1
        self.own = len(self.buffers)

    def parameters(self):
        found = ["%s *b%d" % (g.type, i) for i, (g, _, _, state) in enumerate(self.buffers) if state == "LIVE"] + ["unsigned *own"]
        found += ["int " + name for i, (name, _, _) in enumerate(self.values) if i != self.template]
        return found

    def finish(self, text):
        """Adds the kernel and its functions to the program's text."""
        k, t = self.number, Text()
        t.append(self.outer)
        if self.in_struct:
            t.line("struct A%d {" % k, "")
            for p in self.parameters():
                t.line("  %s;" % p, "")
            t.line("};", "")
        t.only_host("struct S%d {" % k)
        for name, type, _, count in self.shared:
            t.only_host("  Array<%s, %d> %s;" % (type, count, name))
        for name, group, count in self.shared_tables:
            t.only_host("  %s%s[%d];" % (to_host(group.to), name, count))
        t.only_host("};")
        parameters = ["const A%d A" % k] if self.in_struct else self.parameters()
        parameters += ["%sconst *%s" % (group.to, name) for name, group, _ in self.tables]
        template = "template <int n%d> " % self.template if self.template is not None else ""
        t.line("%s__global__ void k%d(%s) {" % (template, k, ", ".join(parameters)),
               "static void k%d(Thread &t, const Arguments &a_) {" % k)
        for name, type, declarator, _ in self.shared:
            t.line("  __shared__ %s %s%s;" % (type, name, declarator), "")
        for name, group, count in self.shared_tables:
            t.line("  __shared__ %s%s[%d];" % (group.to, name, count), "")
        self.host_parameters(t)
        t.line("  const int threads = blockDim.x, tid = threadIdx.x, gid = blockIdx.x * blockDim.x + tid;",
               "  const int threads = t.ntx, tid = t.tx, gid = t.bx * t.ntx + tid;")
        t.line("  unsigned acc = gid;")
        t.append(self.text)
        t.line("  %sown[gid] = acc;" % self.prefix(), "  store(own, gid, acc, @);")
        t.line("}")
        self.first = len(text.device) + 1
        text.append(t)
        self.last = len(text.device)

    def host_parameters(self, t):
        t.only_host("  S%d &s_ = *(S%d *)a_.shared;" % (self.number, self.number))
        for i, (group, _, _, _) in enumerate(self.buffers):
            t.only_host("  P<%s> b%d = {&a_.buffers[%d], 0};" % (group.type, i, i))
        t.only_host("  P<unsigned> own = {&a_.buffers[%d], 0};" % self.own)
        if self.in_struct:
            t.only_host("  struct { int %s; } A;" % ", ".join(["none"] + [v[0] for v in self.values]))
        for i, (name, _, _) in enumerate(self.values):
            t.only_host("  const int %s = a_.values[%d];" % (name, i))
            if self.in_struct:
                t.only_host("  A.%s = %s;" % (name, name))
        for name, type, _, _ in self.shared:
            t.only_host("  P<%s> %s = s_.%s.p();" % (type, name, name))
        for name, group, count in self.shared_tables:
            t.only_host("  %s*%s = s_.%s;" % (to_host(group.to), name, name))
        for name, group, numbers in self.tables:
            t.only_host("  %s%s[] = {%s};" % (to_host(group.to), name, ", ".join("b%d" % n for n in numbers)))

    # ---- launches ----

    def launch(self):
        """The host code that launches the kernel in the CUDA program."""
        arguments = ["(%s *)l.buffers[%d].p()" % (g.type, i) for i, (g, _, _, state) in enumerate(self.buffers) if state == "LIVE"]
        arguments += ["(unsigned *)l.buffers[%d].p()" % self.own]
        arguments += ["l.values[%d]" % i for i in range(len(self.values)) if i != self.template]
        if self.in_struct:
            arguments = ["A%d{%s}" % (self.number, ", ".join(arguments))]
        arguments += ["l.table<%sconst *>({%s})" % (g.to, ", ".join(map(str, numbers))) for _, g, numbers in self.tables]
        call = lambda name: "%s<<<%d, %d, l.shared()>>>(%s);" % (name, self.grid, self.threads, ", ".join(arguments))
        name = "k%d" % self.number
        body = call(name)
        if self.template is not None:
            _, valid, invalid = self.values[self.template]
            body = "if (l.values[%d] == %d) %s else %s" % (self.template, valid[0], call("%s<%d>" % (name, valid[0])),
                                                          call("%s<%d>" % (name, invalid[0])))
        return "static void run%d(const Launch &l) { %s }" % (self.number, body)

    def entry(self):
        return "{%d, %d, %d, run%d, true}," % (self.number, len(self.buffers) + 1, len(self.values), self.number)

    def host_entry(self):
        k = self.number
        return ("static const Kernel kernel%d = {%d, %d, %d, %d, %d, 1, %d, 1, k%d, sizeof(S%d), [](void *p) { new (p) S%d; }, nullptr};"
                % (k, k, len(self.buffers) + 1, len(self.values), int(self.threads > 1), self.grid, self.threads, k, k, k))

    def plan(self, index):
        rng = random.Random("%s/pointers/%d/%d" % (self.seed, self.number, index))
        values = [rng.choice(valid) for _, valid, _ in self.values]
        fallible = [i for i, (_, _, invalid) in enumerate(self.values) if invalid]
        if index and fallible:
            i = self.template if self.template is not None and index == 1 else rng.choice(fallible)
            values[i] = rng.choice(self.values[i][2])
        sizes = [(count * SIZES[g.type], shift * SIZES[g.type], state) for g, count, shift, state in self.buffers]
        sizes.append((self.threads * self.grid * 4, 0, "LIVE"))
        return "{&kernel%d, FIXED, 0u, {%s}, {%s}}," % (self.number, ", ".join(map(str, values)),
                                                        ", ".join("{%d, %d, %s}" % s for s in sizes))


def batch(seed, numbers, plans):
    """(CUDA program, oracle, the kernels)."""
    text, kernels = Text(), [Kernel(number, seed) for number in numbers]
    text.line("#include \"kernels.h\"", "#include \"oracle.h\"")
    text.only_host("#include <new>")
    text.line(ITEM)
    text.line("extern __shared__ unsigned long long dynamic[];", "")
    text.line("static __device__ unsigned mixed(int x) { return ((unsigned)x ^ 77u) * 2654435761u; }",
              "static unsigned mixed(int x) { return ((unsigned)x ^ 77u) * 2654435761u; }")
    for kernel in kernels:
        kernel.finish(text)
    return whole(text, kernels, plans)
