"""generate.py: random kernels, each written twice: as CUDA, and as host code that reports every access to the oracle.

Rules that make the oracle's answer unique:
- No undefined behaviour but the invalid accesses: arithmetic that may wrap is unsigned, and ints stay small.
- No races that matter. A buffer is only read; or the value stored at an index depends on the index alone; or it is only
  added to, atomically; or each thread has its own element, which it only writes.
- Control flow and indices depend on read-only buffers and parameters only, never on stored values.
"""
import random

from control import Control
from expressions import ANY, DYNAMIC, FIELDS, MAP, READ, RECORD, RECORD_MAP, RECORDS, SUM, TYPES
from expressions import Memory, Pair, Text

EXTREMES = [-1, -1, 2147483647, 2147483646, -2147483647 - 1, 0]
MODES = ["PAST_END", "PAST_END", "BEFORE_START", "TRUNCATED", "TRUNCATED", "FREE", "NULL_POINTER", "MISALIGN", "SHORT", "SHORT"]


class Kernel(Control):
    linkage = "static "  # of the kernel
    types = list(TYPES)  # of buffers
    fields = FIELDS  # of records that a kernel loads
    module_spaces = ["__device__", "__constant__"]
    copy_parts = 4  # accesses that a memcpy of sixteen bytes may become
    keeps_lines = True  # an access that the compiler moves or merges has its own line, or none

    def __init__(self, number, rng, text):
        self.number, self.rng, self.text = number, rng, text
        self.exact = rng.random() < 0.5  # accesses are volatile: the compiler keeps each of them
        self.barriers = rng.random() < 0.3
        self.heap = uses_heap(number)
        self.copies = False  # an invalid memcpy is not executed, or by loads that return 0
        self.parts = 1  # the compiler may split an access into this many
        self.two = rng.random() < 0.3
        self.in_struct = rng.random() < 0.2  # the parameters are members of a structure
        self.names = 0
        self.budget = rng.randint(2, 7)
        self.values = []  # parameters: (name, lowest, highest)
        self.vars = []  # (name, is unsigned)
        self.shared, self.locals, self.grids, self.shared_grids, self.constants = [], [], [], [], []
        self.table = []  # the numbers of the buffers in the table of pointers
        self.functions = []
        self.buffers = []
        self.loop_depth = 0
        self.block = (rng.choice([4, 8, 16]), rng.choice([2, 3, 4])) if self.two else (rng.choice([1, 7, 16, 32, 48]), 1)
        self.grid = (rng.choice([1, 2, 3]), rng.choice([1, 2]) if self.two else 1)

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
        self.functions.append((name, role, type))

    # ---- the kernel ----

    def make_buffers(self):
        roles = [READ, READ, MAP, SUM] + [self.pick(READ, MAP)] * self.pick(0, 1)
        for i, role in enumerate(roles):
            type = "unsigned" if role == SUM or self.chance(0.6) else self.rng.choice(self.types)
            self.buffers.append(Memory("%sb%d" % (self.prefix(), i), type, role))
            self.buffers[-1].operation = self.pick(("atomicAdd", "+"), ("atomicMax", ">"), ("atomicOr", "|"), ("atomicXor", "^"))
        if self.chance(0.35):
            self.buffers.append(Memory(self.prefix() + "rec", "Record", self.pick(RECORDS, RECORDS, RECORD_MAP)))
        if self.barriers and self.chance(0.3):
            device = "((%sunsigned *)dynamic)" % self.volatile() if self.exact else "dynamic"  # all kernels share its declaration
            self.buffers.append(Memory(device, "unsigned", DYNAMIC, "dynamic"))
            self.buffers[-1].count = self.value(1, 24)
        self.buffers.append(Memory(self.prefix() + "own", "unsigned", "own"))

    def make_constants(self):
        for _ in range(self.pick(0, 0, 0, 1)):
            size, name = self.pick(4, 9, 32), "g%d" % self.number
            space = self.pick(*self.module_spaces)
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
        first = self.values[0] if self.values else (None, *ANY)
        self.changes_values = self.pick(0, 0, 1, 2) if self.in_struct and first[1:] != ANY and first[1] != 1 else 0
        self.emit_kernel(body)

    def make_variables(self):
        self.vars = [("tid", False), ("gid", False), ("gid", False), ("bid", False)]
        if self.two:
            self.vars += [("tx", False), ("ty", False), ("row", False), ("column", False)]

    def emit_body(self):
        self.make_variables()
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
        self.numbers()
        for memory in self.locals + self.shared:  # otherwise the compiler removes the stores as dead
            self.use(self.load(memory, Pair("(unsigned)gid %% %du" % memory.size)))
        own = self.buffers[-1]
        self.text.line("%s[gid] = acc;" % own.device, "store(%s, gid, acc, @);" % own.host)

    def numbers(self):
        """Computes with addresses. Other families override it."""

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
            parameters = "%sA%d A" % ("" if self.changes_values else "const ", k)
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
        t.line("%s__global__ void %sk%d(%s) {" % (self.linkage, bounds, k, parameters),
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
        if self.changes_values:
            t.line("  A.%s += %d;" % (self.values[0][0], self.changes_values))
        t.append(body)
        t.line("}")

    def emit_host_parameters(self, t):
        if self.in_struct:
            t.only_host("  A%d A;" % self.number)
        for i, b in enumerate(self.buffers):
            form = "  %s = {&a_.buffers[%d], 0};" if self.in_struct and b.role != DYNAMIC else "  P<" + b.type + "> %s = {&a_.buffers[%d], 0};"
            t.only_host(form % (b.host, i))
        for i, v in enumerate(self.values):
            t.only_host(("  A.%s = a_.values[%d];" if self.in_struct else "  const int %s = a_.values[%d];") % (v[0], i))
        if self.table:
            t.only_host("  const P<unsigned> tab_[] = {%s};" % ", ".join(self.buffers[i].host for i in self.table))
        if self.shared or self.shared_grids:
            t.only_host("  S%d *s_ = (S%d *)a_.shared;" % (self.number, self.number))

    def launch(self):
        """The host code that launches the kernel in the CUDA program."""
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
        """One launch: its parameters, and how the oracle chooses the sizes of the buffers."""
        rng = random.Random("%s/%d/%d" % (self.seed, self.number, index))
        mode = "IN_BOUNDS" if index == 0 else rng.choice(MODES)
        def value(low, high):
            if (low, high) == ANY:
                return rng.choice(EXTREMES) if rng.random() < 0.6 else rng.randint(0, 40)
            return rng.randint(low, high) if rng.random() < 0.9 else low

        values = [value(low, high) for _, low, high in self.values]
        return "{&kernel%d, %s, %du, {%s}}," % (self.number, mode, rng.getrandbits(31), ", ".join(map(str, values)))


def uses_heap(number):
    """Kernels that allocate are in separate programs: in their module the pass cannot assume that memory stays allocated."""
    return number // 10 % 10 == 9


def whole(text, kernels, plans):
    """(CUDA program, oracle, the kernels), from the kernels' text."""
    device = text.device + [k.launch() for k in kernels]
    device += ["const Entry entries[] = {"] + [k.entry() for k in kernels] + ["};", "const int entry_count = %d;" % len(kernels)]
    host = text.host_lines() + [k.host_entry() for k in kernels] + ["int main(int, char **argv) {", "  const Plan plans[] = {"]
    host += ["    " + k.plan(p) for p in range(plans) for k in kernels] + ["  };"]
    host += ["  const int count = %d, plan = atoi(argv[1]);" % len(kernels),
             "  for (int i = 0; i < count; i++)", "    judge(plans[plan * count + i]);", "}"]
    return "\n".join(device) + "\n", "\n".join(host) + "\n", kernels


def batch(seed, numbers, plans, make=Kernel):
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
        kernel = make(number, random.Random("%s/%d" % (seed, number)), text)
        kernel.seed = seed
        kernel.first = len(text.device) + 1
        kernel.generate()
        kernel.last = len(text.device)
        kernels.append(kernel)
    return whole(text, kernels, plans)
