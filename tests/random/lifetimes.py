"""lifetimes.py: random programs of driver calls in which contexts, modules, libraries, streams, graphs, pools and memory come and go, with the outcome
of each call, the result of each kernel and each finding, as the model of this file knows them. lifetimes.cpp executes them.

The driver gives out handles again: a context that ends with everything alive, then a module with another kernel of the same name, is the usual case here.

Rules that make the model's answer unique:
- A kernel stores one value at each index, and nothing is read that another launch may still write: work in another stream is waited for.
- Objects belong to one thread, and to a context that is alive. Only the first thread uses the primary context.
- Memory of a context that has ended is not used any more: it may be freed or not, which depends on the other contexts of the device.
"""
import random
from collections import Counter

VARIANTS = 6
NAMES = ["k", "j", "g"]


def kernel(name, variant):
    """PTX: one store, at p[i] or p[i + q]."""
    shifted = name == "k" and variant % 2
    lines = [".visible .entry %s(.param .u64 p, .param .u32 n, .param .u32 q) {" % name,
             ".reg .pred %p1;", ".reg .b32 %r<9>;", ".reg .b64 %d<9>;",
             "ld.param.u64 %d1, [p];", "ld.param.u32 %r1, [n];", "ld.param.u32 %r2, [q];", "cvta.to.global.u64 %d1, %d1;",
             "mov.u32 %r3, %ctaid.x;", "mov.u32 %r4, %ntid.x;", "mov.u32 %r5, %tid.x;", "mad.lo.s32 %r6, %r3, %r4, %r5;",
             "setp.ge.s32 %p1, %r6, %r1;", "@%p1 bra END;"]
    if name == "g":
        lines += ["add.s32 %r7, %r6, %r2;", "and.b32 %r7, %r7, 7;", "mul.wide.u32 %d2, %r7, 4;", "mov.u64 %d3, state;",
                  "cvta.global.u64 %d3, %d3;", "add.s64 %d3, %d3, %d2;", "ld.u32 %r8, [%d3];"]
    elif name != "k":
        lines += ["add.s32 %%r7, %%r6, %d;" % (1000 * variant), "add.s32 %r8, %r7, %r2;"]
    else:
        lines += ["mov.u32 %%r8, %d;" % value("k", variant, 0, 0)]
    lines += ["add.s32 %r6, %r6, %r2;"] if shifted else []
    lines += ["mul.wide.s32 %d4, %r6, 4;", "add.s64 %d5, %d1, %d4;", "st.global.u32 [%d5], %r8;", "END:", "ret;", "}"]
    return lines


def value(name, variant, i, q):
    return {"k": 100 * variant + 7, "j": 1000 * variant + i + q, "g": 11 * variant + ((i + q) & 7)}[name]


def index(name, variant, i, q):
    return i + q if name == "k" and variant % 2 else i


def module(variant):
    """(PTX, the line of each kernel, which reports name). Kernels that are not launched make modules of different sizes."""
    text, lines = [".version 8.0", ".target sm_80", ".address_size 64"], {}
    text.append(".global .align 4 .b32 state[8] = {%s};" % ", ".join(str(11 * variant + i) for i in range(8)))
    for name in ["before%d" % i for i in range(variant % 3)] + NAMES[variant % 3:] + NAMES[:variant % 3]:
        lines[name] = len(text) + 1
        text += kernel(name, variant)
    return "\n".join(text) + "\n", lines


LINES = [module(v)[1] for v in range(VARIANTS)]


def checksum(values):
    sum = 2166136261
    for v in values:
        sum = ((sum ^ (v & 0xffffffff)) * 16777619) & 0xffffffff
    return sum


class Buffer:
    def __init__(self, number, count, is_async):
        self.number, self.count, self.is_async = number, count, is_async
        self.values, self.freed, self.stream = [0] * count, False, None  # stream: whose work on it is not waited for


class Instance:
    """A module in a context: what CuSafe counts errors for."""

    def __init__(self, variant):
        self.variant, self.errors = variant, set()  # errors: kernels and kinds


class Context:
    def __init__(self, number, is_primary):
        self.number, self.is_primary = number, is_primary
        self.modules, self.functions, self.streams, self.pools = {}, {}, [], []
        self.buffers, self.graphs, self.executables, self.libraries = {}, {}, {}, {}


class Thread:
    """Calls of one thread and their outcomes."""

    def __init__(self, rng, is_first, program):
        self.rng, self.is_first, self.program = rng, is_first, program
        self.calls, self.expected = [], []
        self.numbers, self.contexts, self.current = Counter(), [], None
        self.libraries, self.retained = {}, 0
        self.errors, self.sites = 0, 0
        while len(self.calls) < program.length:
            self.step()
        self.finish()

    # ---- calls ----

    def call(self, verb, *numbers, result=0, sum=0):
        self.calls.append(" ".join(map(str, (verb,) + numbers)))
        self.expected.append("%d %d" % (result, sum))

    def new(self, kind):
        self.numbers[kind] += 1
        return self.numbers[kind]

    def step(self):
        if not self.current:
            return self.start()
        verbs = {self.start: 2, self.use: 2, self.end: 3, self.load: 5, self.unload: 3, self.load_library: 2, self.unload_library: 1,
                 self.look_up: 5, self.alloc: 5, self.free: 2, self.launch: 20, self.read: 6, self.stream: 3, self.end_stream: 1,
                 self.alloc_async: 3, self.pool: 1, self.capture: 2, self.run: 3, self.end_graph: 1, self.event: 2}
        self.rng.choices(list(verbs), list(verbs.values()))[0]()

    # ---- contexts ----

    def start(self):
        if len(self.contexts) >= 3:
            return
        is_primary = self.is_first and not self.retained and self.rng.random() < 0.3
        c = Context(self.new("context"), is_primary)
        self.call("retain" if is_primary else "context", c.number)
        self.retained += is_primary
        self.contexts.append(c)
        self.current = c
        if is_primary:
            self.call("use", c.number)

    def use(self):
        self.current = self.rng.choice(self.contexts)
        if self.current.is_primary and self.retained < 3 and self.rng.random() < 0.3:
            self.call("retain", self.current.number)
            self.retained += 1
        self.call("use", self.current.number)

    def end(self, c=None):
        """Most contexts end with all that is in them alive."""
        c = c or self.rng.choice(self.contexts)
        if c.is_primary and self.retained > 1:  # it stays
            self.retained -= 1
            return self.call("release")
        if self.rng.random() < 0.2:
            self.empty(c)
        self.contexts.remove(c)
        if c.is_primary:
            self.retained = 0
            self.call(self.rng.choice(["release", "release", "reset"]))
            if self.calls[-1] == "reset":
                self.call("release")
        else:
            self.call("destroy", c.number)
        if self.current is c:
            self.current = self.rng.choice(self.contexts) if self.contexts else None
        self.call("use", self.current.number if self.current else -1)

    def empty(self, c):
        self.current = c
        self.call("use", c.number)
        self.call("sync")
        for b in list(c.buffers.values()):
            if not b.freed:
                self.call("free", b.number)
        for m in c.modules:
            self.call("unload", m)
        for s in c.streams:
            self.call("destroy_stream", s)
        c.buffers, c.modules, c.functions, c.streams, c.graphs, c.executables = {}, {}, {}, [], {}, {}

    # ---- code ----

    def load(self):
        if len(self.current.modules) < 4:
            number, variant = self.new("module"), self.rng.randrange(VARIANTS)
            self.call("module", number, variant)
            self.current.modules[number] = Instance(variant)
            self.look_up(number)

    def unload(self):
        c = self.current
        if c.modules:
            number = self.rng.choice(list(c.modules))
            gone = c.modules.pop(number)
            self.settle(c)
            self.call("unload", number)
            c.functions = {f: k for f, k in c.functions.items() if k[0] is not gone}
            c.graphs = {g: k for g, k in c.graphs.items() if k[0] is not gone}
            c.executables = {x: k for x, k in c.executables.items() if k[0] is not gone}
            if self.rng.random() < 0.6:  # at the same address, mostly
                self.load()

    def load_library(self):
        if len(self.libraries) < 3:
            number = self.new("library")
            self.libraries[number] = [self.rng.randrange(VARIANTS), {}]  # variant, kernels
            self.call("library", number, self.libraries[number][0])

    def unload_library(self):
        if self.libraries:
            number = self.rng.choice(list(self.libraries))
            here = self.current
            for c in self.contexts:
                gone = c.libraries.pop(number, None)
                if gone and any(b.stream is not None for b in c.buffers.values()):
                    self.call("use", c.number)
                    self.settle(c)
                for table in ("functions", "graphs", "executables"):
                    setattr(c, table, {n: k for n, k in getattr(c, table).items() if k[0] is not gone})
            self.call("use", here.number)
            del self.libraries[number]
            self.call("unload_library", number)

    def instance_of(self, library):
        c = self.current
        if library not in c.libraries:
            c.libraries[library] = Instance(self.libraries[library][0])
        return c.libraries[library]

    def look_up(self, module=None):
        c, name = self.current, self.rng.choice(NAMES)
        if module is None and self.libraries and self.rng.random() < 0.5:
            library = self.rng.choice(list(self.libraries))
            kernels = self.libraries[library][1]
            number = self.new("function")
            if name not in kernels:
                kernels[name] = number
                self.call("kernel", number, library, name)
            if self.rng.random() < 0.5:
                function = self.new("function")
                self.call("function_of", function, kernels[name])
                c.functions[function] = (self.instance_of(library), name)
            else:
                c.functions[kernels[name]] = (self.instance_of(library), name)
        elif c.modules:
            module = module or self.rng.choice(list(c.modules))
            number = self.new("function")
            self.call("function", number, module, name)
            c.functions[number] = (c.modules[module], name)

    # ---- memory ----

    def alloc(self):
        if len(self.current.buffers) < 6:
            b = Buffer(self.new("buffer"), self.rng.choice([1, 31, 32, 33, 64, 100]), False)
            self.call("alloc", b.number, b.count)
            self.current.buffers[b.number] = b

    def live(self):
        return [b for b in self.current.buffers.values() if not b.freed]

    def free(self):
        if self.live():
            b = self.rng.choice(self.live())
            self.settle(self.current)
            b.freed = True
            if b.is_async and self.rng.random() < 0.5 and self.current.streams:
                self.call("free_async", b.number, self.rng.choice(self.current.streams))
                self.call("sync")
            else:
                self.call("free", b.number)
            if self.rng.random() < 0.7:
                del self.current.buffers[b.number]

    def alloc_async(self):
        c = self.current
        if len(c.buffers) < 6 and c.streams:
            b = Buffer(self.new("buffer"), self.rng.choice([1, 32, 50, 100]), True)
            stream = self.rng.choice(c.streams)
            pool = self.rng.choice(c.pools) if c.pools and self.rng.random() < 0.6 else -1
            self.call("alloc_async", b.number, b.count, stream, pool)
            b.stream = stream
            c.buffers[b.number] = b

    def pool(self):
        if len(self.current.pools) < 2:
            self.current.pools.append(self.new("pool"))
            self.call("pool", self.current.pools[-1])
        elif not any(b.is_async for b in self.current.buffers.values()):
            self.call("destroy_pool", self.current.pools.pop(0))

    def settle(self, c):
        """Waits for work of streams."""
        if any(b.stream is not None for b in c.buffers.values()):
            self.call("sync")
            for b in c.buffers.values():
                b.stream = None

    def read(self):
        if self.live():
            b = self.rng.choice(self.live())
            if b.is_async and b.stream is not None:
                self.settle(self.current)
            for other in self.current.buffers.values():
                other.stream = None  # it waits for the context
            self.call("read", b.number, sum=checksum(b.values))

    # ---- work ----

    def order(self, b, stream):
        if b.stream is not None and b.stream != stream:
            self.settle(self.current)

    def arguments(self, instance, name):
        """(buffer, threads, n, q): mostly in bounds."""
        c = self.current
        if not c.buffers:
            self.alloc()
        may_fail = not self.program.is_valid
        candidates = list(c.buffers.values()) if may_fail and self.rng.random() < 0.1 else self.live()
        if not candidates:
            return None
        b = self.rng.choice(candidates)
        q = self.rng.choice([0, 0, 0, 1, 3])
        room = b.count - (q if name == "k" and instance.variant % 2 else 0)
        n = max(0, room) + (self.rng.choice([1, 5, 9]) if may_fail and self.rng.random() < 0.3 else 0)
        return b, max(1, n), n, q

    def effect(self, instance, name, b, n, q):
        errors = 0
        for i in range(n):
            at = index(name, instance.variant, i, q)
            if b.freed or not 0 <= at < b.count:
                errors += 1
            else:
                b.values[at] = value(name, instance.variant, i, q)
        if errors:
            kind = "use-after-free" if b.freed else "out-of-bounds"
            self.program.findings["%s module.ptx:%d in %s" % (kind, LINES[instance.variant][name], name)] += (name, kind) not in instance.errors
            self.sites += not any(site == name for site, _ in instance.errors)
            self.errors += errors
            instance.errors.add((name, kind))

    def launch(self):
        c = self.current
        if not c.functions:
            return self.look_up()
        function = self.rng.choice(list(c.functions))
        instance, name = c.functions[function]
        chosen = self.arguments(instance, name)
        if not chosen:
            return
        b, threads, n, q = chosen
        stream = self.rng.choice(c.streams) if c.streams and self.rng.random() < 0.5 else -1
        self.order(b, stream)
        self.call("launch", function, b.number, threads, n, q, stream)
        self.effect(instance, name, b, n, q)
        b.stream = stream
        if self.rng.random() < 0.3:
            self.read()

    def stream(self):
        if len(self.current.streams) < 3:
            number = self.new("stream")
            self.call("stream", number, self.rng.randrange(2))
            if self.program.count == 1 and self.rng.random() < 0.1:
                self.call("off", number)  # its checks: nothing is launched in it, but its handle is used again
            else:
                self.current.streams.append(number)

    def end_stream(self):
        c = self.current
        if c.streams:
            number = self.rng.choice(c.streams)
            self.settle(c)
            c.streams.remove(number)
            self.call("destroy_stream", number)

    def event(self):
        """A stream waits for another's work."""
        c = self.current
        if len(c.streams) < 2:
            return self.stream()
        first, second = self.rng.sample(c.streams, 2)
        number = self.new("event")
        self.call("event", number)
        self.call("record", number, first)
        self.call("wait", second, number)
        for b in c.buffers.values():
            if b.stream == first:
                b.stream = second
        if self.rng.random() < 0.5:
            self.call("destroy_event", number)

    # ---- graphs ----

    def capture(self):
        c = self.current
        if not c.functions or not c.streams or len(c.graphs) >= 3:
            return
        function = self.rng.choice(list(c.functions))
        instance, name = c.functions[function]
        chosen = self.arguments(instance, name)
        if not chosen or chosen[0].freed or chosen[0].is_async:
            return
        b, threads, n, q = chosen
        graph, stream, executable = self.new("graph"), self.rng.choice(c.streams), self.new("executable")
        self.settle(c)
        self.call("capture", graph, stream, function, b.number, threads, n, q, stream)
        self.call("instantiate", executable, graph)
        c.graphs[graph] = (instance,)
        c.executables[executable] = (instance, name, b, n, q)
        self.run()

    def run(self):
        c = self.current
        if c.executables:
            executable = self.rng.choice(list(c.executables))
            instance, name, b, n, q = c.executables[executable]
            if b.freed and self.program.is_valid:
                return
            stream = self.rng.choice(c.streams) if c.streams else -1
            self.order(b, stream)
            self.call("run", executable, stream)
            self.effect(instance, name, b, n, q)
            b.stream = stream

    def end_graph(self):
        c = self.current
        if c.executables and self.rng.random() < 0.5:
            number = self.rng.choice(list(c.executables))
            self.settle(c)
            del c.executables[number]
            self.call("destroy_executable", number)
        elif c.graphs:
            number = self.rng.choice(list(c.graphs))
            del c.graphs[number]
            self.call("destroy_graph", number)

    # ---- the end ----

    def finish(self):
        """Libraries outlast contexts, so they end here; a context may stay for ever."""
        while self.contexts:
            self.end(self.contexts[0])
        for library in self.libraries:
            self.call("unload_library", library)


class Program:
    """Calls of one or several threads."""

    def __init__(self, seed, number, length):
        rng = random.Random("%s/lifetimes/%d" % (seed, number))
        self.number, self.findings, self.is_valid = number, Counter(), rng.random() < 0.25
        self.count = rng.choice([1, 1, 2, 3])  # threads
        self.length = max(20, length // self.count)
        self.threads = [Thread(rng, i == 0, self) for i in range(self.count)]
        self.errors = sum(t.errors for t in self.threads)
        self.sites = sum(t.sites for t in self.threads)

    def text(self):
        return "program %d\n" % self.number + "".join("thread\n" + "".join(c + "\n" for c in t.calls) for t in self.threads)

    def expected(self):
        """Lines that the program prints, and the calls that they belong to."""
        lines, calls = [], []
        for t in self.threads:
            lines += ["thread"] + t.expected
            calls += ["thread"] + t.calls
        return lines, calls
