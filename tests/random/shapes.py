"""shapes.py: how a pointer gets from its array to an access: selected, swapped, stored in tables, wrapped, passed."""
from expressions import Pair
from memories import TURN, Pointer


class Shapes:
    """A kernel's pointers. Each shape emits code and returns the resulting pointer."""

    def pointer(self, group, depth):
        if depth == 0:
            return self.rng.choice(group.pointers)
        shapes = [self.ternary, self.branches, self.switch, self.table, self.filled_table, self.views, self.tagged, self.swaps,
                  self.pick_function, self.pair, self.nodes, self.nested] + [
                  self.copied, self.excursion, self.braces, self.union, self.passed, self.by_reference, self.by_address,
                  self.view_function, self.walk]
        if sum(p.is_module for p in group.pointers) > 1:
            shapes += [self.module_table, self.module_views] * 3
        if sum(p.parameter is not None for p in group.pointers) > 1:
            shapes += [self.host_table] * 3
        if not any(p.is_private for p in group.pointers):
            shapes += [self.shared_table] * 2
        return self.rng.choice(shapes)(group, depth)

    # ---- inputs and results ----

    def some(self, group, depth, count=None):
        """Pointers to select from; some are results of other shapes."""
        count = count or self.pick(2, 2, 3)
        found = self.rng.sample(group.pointers, min(count, len(group.pointers)))
        while len(found) < count:
            found.append(self.rng.choice(group.pointers))
        if depth > 1:
            found[self.rng.randrange(count)] = self.pointer(group, depth - 1)
        return self.aligned(found, self.threads if group.role == TURN else self.min_indices)

    def aligned(self, pointers, least):
        """Moves the pointers back to the starts of their arrays unless enough indices are valid for all of them."""
        if min(p.high for p in pointers) - max(p.low for p in pointers) >= least and self.chance(0.5):
            return pointers
        return [self.moved_to_start(p) for p in pointers]

    def moved_to_start(self, p):
        """The pointer to index 0, which may depend on a parameter; in launches with an error, the parameter is wrong."""
        if p.low == 0:
            return p
        by = str(p.low)
        if p.is_shifted and self.chance(0.5):
            by = self.parameter([p.low], [p.low - 1, p.low + 1] + ([0, 0] if 0 < p.low <= 5 else []))
        form = "(%s + %s)" if not by.startswith("-") else "(%s - %s)"
        return p.moved(Pair(form % (p.text[0], by.lstrip("-")), form % (p.text[1], by.lstrip("-"))), p.low)

    def one_of(self, group, name, inputs, shape):
        """The variable `name` is one of the inputs."""
        return Pointer(name, max(p.low for p in inputs), min(p.high for p in inputs), inputs, shape)

    def declare(self, group, p):
        name = self.fresh("p")
        self.emit("%s%s = %s;", group.to, name, p.text)
        return name

    def selector(self, count):
        w = self.parameter(list(range(count)))
        if self.threads > 1 and self.chance(0.3):
            return "(tid + %s) %% %d" % (w, count)
        return w

    def manner(self):
        return self.pick("__noinline__ ", "__noinline__ ", "", "__forceinline__ ")

    # ---- one of several ----

    def ternary(self, group, depth):
        inputs, p = self.some(group, depth), self.fresh("p")
        if len(inputs) == 2:
            self.emit("%s%s = %s ? %s : %s;", group.to, p, self.selector(2), inputs[0].text, inputs[1].text)
        else:
            w = self.fresh("w")
            self.emit("const int %s = %s;", w, self.selector(3))
            self.emit("%s%s = %s == 0 ? %s : %s == 1 ? %s : %s;", group.to, p, w, inputs[0].text, w, *[q.text for q in inputs[1:]])
        return self.one_of(group, p, inputs, "ternary")

    def branches(self, group, depth):
        inputs, p = self.some(group, depth, 2), self.fresh("p")
        self.emit("%s%s;", group.to, p)
        self.emit("if (%s == 1)", self.selector(2))
        self.emit("  %s = %s;", p, inputs[0].text)
        self.emit("else")
        self.emit("  %s = %s;", p, inputs[1].text)
        return self.one_of(group, p, inputs, "if")

    def switch(self, group, depth):
        inputs, p = self.some(group, depth, 3), self.fresh("p")
        self.emit("%s%s = %s;", group.to, p, inputs[0].text)
        self.emit("switch (%s) {", self.selector(3))
        for i in (1, 2):
            self.emit("case %s:", str(i))
            self.emit("  %s = %s;", p, inputs[i].text)
            self.emit("  break;")
        self.emit("}")
        return self.one_of(group, p, inputs, "switch")

    def table(self, group, depth):
        """A local array of pointers with a braced initialiser."""
        inputs, t, p = self.some(group, depth), self.fresh("t"), self.fresh("p")
        self.emit("%s%s[%s] = {%s};", group.to, t, str(len(inputs)), self.listed(inputs))
        self.emit("%s%s = %s[%s];", group.to, p, t, self.selector(len(inputs)))
        return self.one_of(group, p, inputs, "table")

    def filled_table(self, group, depth):
        inputs, t, p = self.some(group, depth), self.fresh("t"), self.fresh("p")
        self.emit("%s%s[%s];", group.to, t, str(len(inputs)))
        for i, q in enumerate(inputs):
            self.emit("%s[%s] = %s;", t, str(i), q.text)
        self.emit("%s%s = %s[%s];", group.to, p, t, self.selector(len(inputs)))
        return self.one_of(group, p, inputs, "filled table")

    def views(self, group, depth):
        """A local array of structures."""
        inputs, t, p = self.some(group, depth), self.fresh("t"), self.fresh("p")
        items = Pair(*(", ".join("{%s, %d}" % (q.text[side], i) for i, q in enumerate(inputs)) for side in (0, 1)))
        self.emit("%s %s[%s] = {%s};", self.view(group), t, str(len(inputs)), items)
        self.emit("%s%s = %s[%s].p;", group.to, p, t, self.selector(len(inputs)))
        return self.one_of(group, p, inputs, "structures")

    def nested(self, group, depth):
        """A structure of two structures."""
        a, b = inputs = self.some(group, depth, 2)
        view, t, p, type = self.view(group), self.fresh("t"), self.fresh("p"), "N" + self.view(group)
        if self.once(type):
            self.outer_emit("struct %s {", type)
            self.outer_emit("  %s a, b;", view)
            self.outer_emit("};")
        self.emit("%s %s{{%s, 1}, {%s, 2}};", type, t, a.text, b.text)
        if self.chance(0.4):
            self.emit("%s %s2 = %s;", type, t, t)
            t += "2"
        self.emit("%s%s = %s ? %s.a.p : %s.b.p;", group.to, p, self.selector(2), t, t)
        return self.one_of(group, p, inputs, "nested structure")

    def tagged(self, group, depth):
        """Slots that hold a pointer or an integer."""
        a, b = inputs = self.some(group, depth, 2)
        t, p, i, type = self.fresh("t"), self.fresh("p"), self.fresh("w"), "T%d_%d" % (self.number, group.index)
        if self.once(type):
            self.outer_emit("struct %s {", type)
            self.outer_emit("  int is_pointer;")
            self.outer_emit("  union {")
            self.outer_emit("    %sp;", group.to)
            self.outer_emit("    unsigned long long bits;")
            self.outer_emit("  };")
            self.outer_emit("};")
        self.emit("%s %s[2];", type, t)
        self.emit("%s[0].is_pointer = 1, %s[0].p = %s;", t, t, a.text)
        self.emit("%s[1].is_pointer = 0, %s[1].bits = 0xfffffffffffffffull;", t, t)
        self.emit("const int %s = %s;", i, self.selector(2))
        self.emit("%s%s = %s[%s].is_pointer ? %s[%s].p : %s;", group.to, p, t, i, t, i, b.text)
        return self.one_of(group, p, inputs, "tagged union")

    def swaps(self, group, depth):
        """Two or three variables that swap their values in a loop."""
        inputs, i = self.some(group, depth), self.fresh("i")
        names = [self.declare(group, p) for p in inputs]
        self.emit("for (int %s = 0; %s < %s; %s++) {", i, i, self.parameter(list(range(6))), i)
        self.rotate(group, names)
        self.emit("}")
        return self.one_of(group, names[0], inputs, "swaps")

    def rotate(self, group, names):
        if len(names) == 2 and self.chance(0.3):
            f = "swap%d_%d" % (self.number, group.index)
            if self.once(f):
                self.outer_emit("static __device__ %svoid %s(%s&a, %s&b) {", self.manner(), f, group.to, group.to)
                self.outer_emit("  %st = a;", group.to)
                self.outer_emit("  a = b, b = t;")
                self.outer_emit("}")
            return self.emit("  %s(%s, %s);", f, *names)
        t = self.fresh("p")
        self.emit("  %s%s = %s;", group.to, t, names[0])
        for a, b in zip(names, names[1:] + [t]):
            self.emit("  %s = %s;", a, b)

    def pick_function(self, group, depth):
        a, b = inputs = self.some(group, depth, 2)
        f, p = "pick%d_%d" % (self.number, group.index), self.fresh("p")
        if self.once(f):
            self.outer_emit("static __device__ %s%s%s(%sa, %sb, int w) {", self.manner(), group.to, f, group.to, group.to)
            self.outer_emit("  return w ? a : b;")
            self.outer_emit("}")
        self.emit("%s%s = %s(%s, %s, %s);", group.to, p, f, a.text, b.text, self.selector(2))
        return self.one_of(group, p, inputs, "pick function")

    def pair(self, group, depth):
        """Two pointers in a structure, passed by value."""
        a, b = inputs = self.some(group, depth, 2)
        type, p = "B%d_%d" % (self.number, group.index), self.fresh("p")
        if self.once(type):
            self.outer_emit("struct %s {", type)
            self.outer_emit("  %sfront;", group.to)
            self.outer_emit("  %sback;", group.to)
            self.outer_emit("};")
            self.outer_emit("static __device__ %s%sof%s(%s both, int w) {", self.manner(), group.to, type, type)
            self.outer_emit("  if (w)")
            self.outer_emit("    return both.back;")
            self.outer_emit("  return both.front;")
            self.outer_emit("}")
        both = Pair("%s{%s, %s}" % (type, a.text[0], b.text[0]), "%s{%s, %s}" % (type, a.text[1], b.text[1]))
        if self.chance(0.5):
            v = self.fresh("v")
            self.emit("%s %s = {%s, %s};", type, v, a.text, b.text)
            both = Pair(v)
        self.emit("%s%s = of%s(%s, %s);", group.to, p, type, both, self.selector(2))
        return self.one_of(group, p, inputs, "structure by value")

    def nodes(self, group, depth):
        """A list of structures that point to each other."""
        inputs, type, p = self.some(group, depth), "L%d_%d" % (self.number, group.index), self.fresh("p")
        if self.once(type):
            self.outer_emit("struct %s {", type)
            self.outer_emit("  %sp;", group.to)
            self.outer_emit("  %s *next;", type)
            self.outer_emit("};")
        names = []
        for q in reversed(inputs):
            names.append(self.fresh("o"))
            self.emit("%s %s = {%s, %s};", type, names[-1], q.text, "&" + names[-2] if len(names) > 1 else "nullptr")
        at, i = self.fresh("o"), self.fresh("i")
        self.emit("%s *%s = &%s;", type, at, names[-1])
        self.emit("for (int %s = 0; %s < %s && %s->next; %s++)", i, i, self.parameter(list(range(4))), at, i)
        self.emit("  %s = %s->next;", at, at)
        self.emit("%s%s = %s->p;", group.to, p, at)
        return self.one_of(group, p, inputs, "list")

    # ---- tables in other memory ----

    def module_inputs(self, group):
        found = [p for p in group.pointers if p.is_module]
        chosen = self.rng.sample(found, min(len(found), self.pick(2, 2, 3)))
        if min(p.high for p in chosen) - max(p.low for p in chosen) < self.min_indices:
            chosen = [self.moved_to_start(p) for p in chosen]
        if self.chance(0.4) and min(p.high for p in chosen) > self.min_indices:
            i = self.rng.randrange(len(chosen))
            q = chosen[i]
            chosen[i] = q.moved(Pair(self.pick("%s + 1", "&%s[1]" if "[" not in q.text[0] else "%s + 1") % q.text[0], "%s + 1" % q.text[1]), 1)
        return chosen

    def module_space(self):
        return self.pick("__device__", "__device__", "__constant__")

    def module_table(self, group, depth):
        """A table of variables' addresses, with a constant initialiser."""
        inputs, t, p = self.module_inputs(group), "r%d_%s" % (self.number, self.fresh("")), self.fresh("p")
        self.outer_emit("static %s %s%s%s[%s] = {%s};", self.module_space(), group.to, self.pick("", "", "const "), t, str(len(inputs)),
                        self.listed(inputs))
        at = t
        if self.chance(0.25):
            at = t + "_at"
            self.outer_emit("static __device__ %sconst *%s = %s;", group.to, at, t)
        self.emit("%s%s = %s[%s];", group.to, p, at, self.selector(len(inputs)))
        return self.one_of(group, p, inputs, "module's table")

    def module_views(self, group, depth):
        inputs, t, p = self.module_inputs(group), "r%d_%s" % (self.number, self.fresh("")), self.fresh("p")
        items = Pair(*(", ".join("{%s, %d}" % (q.text[side], i) for i, q in enumerate(inputs)) for side in (0, 1)))
        self.outer_emit("static %s %s%s %s[%s] = {%s};", self.module_space(), self.pick("", "const "), self.view(group), t,
                        str(len(inputs)), items)
        self.emit("%s%s = %s[%s].p;", group.to, p, t, self.selector(len(inputs)))
        return self.one_of(group, p, inputs, "module's structures")

    def host_table(self, group, depth):
        """A table that the host has filled, in global memory."""
        found = [p for p in group.pointers if p.parameter is not None]
        low, high = max(p.low for p in found), min(p.high for p in found)
        if high - low < self.min_indices:
            return self.ternary(group, depth)
        t, p = "tab%d" % len(self.tables), self.fresh("p")
        self.tables.append((t, group, [q.parameter for q in found]))
        self.emit("%s%s = %s[%s];", group.to, p, t, self.selector(len(found)))
        return self.one_of(group, p, found, "host's table")

    def shared_table(self, group, depth):
        """A table in shared memory that one thread fills."""
        inputs, t, p = self.some(group, depth), self.fresh("t"), self.fresh("p")
        self.shared_tables.append((t, group, len(inputs)))
        self.emit("if (tid == 0) {")
        for i, q in enumerate(inputs):
            self.emit("  %s[%s] = %s;", t, str(i), q.text)
        self.emit("}")
        self.barrier()
        self.emit("%s%s = %s[%s];", group.to, p, t, self.selector(len(inputs)))
        return self.one_of(group, p, inputs, "table in shared memory")

    # ---- one pointer, passed on ----

    def same(self, group, depth, shape, form, *more):
        """form has placeholders for the pointer's type, the new variable, the pointer, and more."""
        q, p = self.pointer(group, depth - 1), self.fresh("p")
        self.emit(form, group.to, p, q.text, *more)
        return q.derived(p, shape)

    def copied(self, group, depth):
        n = self.pick(1, 2)
        q = self.pointer(group, depth - 1)
        p = self.fresh("p")
        if q.high - q.low <= self.min_indices + n:
            n = 0
        self.emit("%s%s = %s + %s;", group.to, p, q.text, str(n))
        return q.derived(p, "moved", n)

    def excursion(self, group, depth):
        """A pointer before or past the array; the indices compensate."""
        by = self.pick(-1, -3, -40, 50, 200, -1000)
        q, p = self.pointer(group, depth - 1), self.fresh("p")
        if q.is_shifted:
            by = self.pick(-1, 1, 2)
        if "local" in q.kinds:  # farther away CuSafe accepts any live local: docs/understand/limits.md
            by = max(by, -200)
        n = self.parameter([by])
        self.emit("%s%s = %s + %s;", group.to, p, q.text, n)
        result = q.derived(p, "excursion", by)
        return self.pass_on(group, result) if self.chance(0.5) else result

    def pass_on(self, group, q):
        f, p = "same%d_%d" % (self.number, group.index), self.fresh("p")
        if self.once(f):
            self.outer_emit("static __device__ __noinline__ %s%s(%sp) {", group.to, f, group.to)
            self.outer_emit("  return p;")
            self.outer_emit("}")
        self.emit("%s%s = %s(%s);", group.to, p, f, q.text)
        return q.derived(p, "returned")

    def braces(self, group, depth):
        form = self.pick("%%s%%s = %s{%%s, 3}.p;", None)
        if form:
            return self.same(group, depth, "braces", form % self.view(group))
        q, v = self.pointer(group, depth - 1), self.fresh("v")
        self.emit("%s %s{%s, 3};", self.view(group), v, q.text)
        return q.derived(v + ".p", "braces")

    def union(self, group, depth):
        q, u, type = self.pointer(group, depth - 1), self.fresh("u"), "U%d_%d" % (self.number, group.index)
        if self.once(type):
            self.outer_emit("union %s {", type)
            self.outer_emit("  %sp;", group.to)
            self.outer_emit("  unsigned long long bits;")
            self.outer_emit("};")
        self.emit("%s %s;", type, u)
        self.emit("%s.bits = 5;", u)
        self.emit("%s.p = %s;", u, q.text)
        if self.chance(0.5):
            self.emit("%s %s2 = %s;", type, u, u)
            u += "2"
        return q.derived(u + ".p", "union")

    def passed(self, group, depth):
        return self.pass_on(group, self.pointer(group, depth - 1))

    def by_reference(self, group, depth):
        q, f = self.pointer(group, depth - 1), "move%d_%d" % (self.number, group.index)
        if self.once(f):
            self.outer_emit("static __device__ %svoid %s(%s&p, int n) {", self.manner(), f, group.to)
            self.outer_emit("  p += n;")
            self.outer_emit("}")
        p, n = self.declare(group, q), self.pick(0, 1, 2, -2)
        self.emit("%s(%s, %s);", f, p, self.parameter([n]))
        return q.derived(p, "by reference", n)

    def by_address(self, group, depth):
        q, f, p = self.pointer(group, depth - 1), "set%d_%d" % (self.number, group.index), self.fresh("p")
        if self.once(f):
            self.outer_emit("static __device__ %svoid %s(%s*out, %sp) {", self.manner(), f, group.to, group.to)
            self.outer_emit("  *out = p;")
            self.outer_emit("}")
        self.emit("%s%s;", group.to, p)
        self.emit("%s(&%s, %s);", f, p, q.text)
        return q.derived(p, "by address")

    def view_function(self, group, depth):
        """A structure that a function makes and returns."""
        q, f, v, view = self.pointer(group, depth - 1), "view%d_%d" % (self.number, group.index), self.fresh("v"), self.view(group)
        if self.once(f):
            self.outer_emit("static __device__ %s%s %s(%sp, int n) {", self.manner(), view, f, group.to)
            self.outer_emit("  return {p, n};")
            self.outer_emit("}")
        self.emit("%s %s = %s(%s, 2);", view, v, f, q.text)
        return q.derived(v + ".p", "returned structure")

    def walk(self, group, depth):
        q, n, i = self.pointer(group, depth - 1), self.pick(0, 1, 3, 5), self.fresh("i")
        p, sign = self.declare(group, q), self.pick(1, 1, -1)
        self.emit("for (int %s = 0; %s < %s; %s++)", i, i, self.parameter([n]), i)
        self.emit("  %s %s 1;", p, "+=" if sign > 0 else "-=")
        return q.derived(p, "walk", n * sign)

    # ---- what shapes share ----

    def listed(self, inputs):
        return Pair(*(", ".join(q.text[side] for q in inputs) for side in (0, 1)))

    def view(self, group):
        name = "V%d_%d" % (self.number, group.index)
        if self.once(name):
            self.outer_emit("struct %s {", name)
            self.outer_emit("  %sp;", group.to)
            self.outer_emit("  int n;")
            self.outer_emit("};")
        return name

    def once(self, name):
        """Whether this is the first call with this name."""
        if name in self.known:
            return False
        self.known.add(name)
        return True
