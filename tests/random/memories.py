"""memories.py: the arrays of pointer kernels, in every kind of memory, and the pointers to them."""
from expressions import TYPES, Pair

READ, WRITE, ANY, TURN = "read", "write", "any", "turn"
SIZES = dict(TYPES, Item=8)
ITEM = "struct Item { unsigned key, value; };"
WINDOW = 256  # bytes of the heap's smallest windows; out-of-bounds arguments keep a distance from other buffers (kernels.h)


class Pointer:
    """A pointer whose indices low to high - 1 are in bounds of every array that it may point to."""

    def __init__(self, text, low, high, inputs=(), shape=None):
        self.text = text if isinstance(text, Pair) else Pair(text)
        self.low, self.high = low, high
        self.top = max([high] + [p.top for p in inputs])
        self.kinds = sorted({k for p in inputs for k in p.kinds})
        self.shapes = [s for p in inputs for s in p.shapes]
        self.shapes = list(dict.fromkeys(self.shapes)) + ([shape] if shape else [])
        self.is_private = any(p.is_private for p in inputs)
        self.is_shifted = any(p.is_shifted for p in inputs)
        self.is_module, self.parameter = False, None

    def moved(self, text, by):
        """The pointer as another expression, moved by `by` elements."""
        p = Pointer(text, self.low - by, self.high - by, [self])
        p.top = self.top - by
        p.is_module = self.is_module
        return p

    def derived(self, name, shape, by=0):
        p = self.moved(name, by)
        p.shapes, p.is_module = p.shapes + [shape], False
        return p


class Group:
    """Arrays of one type with the same role, so that a pointer may point to any of them."""

    def __init__(self, index, type, role, to):
        self.index, self.type, self.role, self.to = index, type, role, to  # to: the pointers' type
        self.pointers = []


class Memories:
    """A kernel's arrays. Threads that share one only read it, or all store the same value, or take turns."""

    def add(self, group, kind):
        count = self.pick(4, 5, 8, 9, 16, 33) if group.role != TURN else self.threads + self.pick(0, 1, 4)
        p = getattr(self, "add_" + kind)(group, count)
        p.kinds = p.kinds or [kind]
        group.pointers.append(p)

    def whole(self, name, count, rows, columns):
        """A pointer to the array, or to a row of it."""
        if not rows:
            return Pointer(name, 0, count)
        row = self.rng.randrange(rows)
        return Pointer(Pair("%s[%d]" % (name, row), "(%s + %d)" % (name, row * columns)), -row * columns, count - row * columns)

    def extent(self, group, count):
        """(rows, columns, declarator): some arrays are arrays of arrays."""
        if group.role == TURN or self.chance(0.8):
            return 0, 0, "[%d]" % count
        rows = self.pick(2, 3)
        columns = max(count // rows, self.min_indices)
        return rows, columns, "[%d][%d]" % (rows, columns)

    def element(self, name, columns, j):
        return "%s[%s]" % (name, j) if not columns else "%s[%s / %d][%s %% %d]" % (name, j, columns, j, columns)

    def fill(self, group, name, count, columns, by_block):
        j, salt = self.fresh("j"), self.rng.randrange(100)
        start, step = ("tid", "threads") if by_block else ("0", "1")
        self.emit("for (int %s = %s; %s < %s; %s += %s) {", j, start, j, str(count), j, step)
        element = self.element(name, columns, j)
        if group.type == "Item":
            for f, field in enumerate(("key", "value")):
                value = "mixed(%s + %d)" % (j, salt + f)
                self.emit("  %s", Pair("%s.%s = %s;" % (element, field, value),
                                       "store(%s.as<unsigned>(), %s * 2 + %d, %s, @);" % (name, j, f, value)))
        else:
            value = "(%s)mixed(%s + %d)" % (group.type, j, salt)
            self.emit("  %s", Pair("%s = %s;" % (element, value), "store(%s, %s, %s, @);" % (name, j, value)))
        self.emit("}")

    def read_back(self, group, name, count, columns):
        """Reads an element at the end, so that no store is dead."""
        if group.role == READ:
            return
        at = "gid %% %d" % count
        device, host = self.element(name, columns, "(%s)" % at), "%s, %s" % (name, at)
        if group.type == "Item":
            device, host = device + ".key", "%s.as<unsigned>(), (%s) * 2" % (name, at)
        self.kept.append(Pair(device, "load(%s, @)" % host))

    def add_global(self, group, count):
        count += self.pick(0, 20)
        number, shift = len(self.buffers), 0
        if self.shifts and self.chance(0.7):
            shift = self.host_shift(SIZES[group.type], count)
        self.buffers.append((group, count, shift, "LIVE"))
        name = "b%d" % number
        p = Pointer(Pair(self.prefix() + name, name), -shift, count - shift)
        p.parameter, p.is_shifted = number, shift != 0
        return p

    def host_shift(self, size, count):
        """The offset of the pointer that the host passes, in elements: before the buffer, or past its end. Only one pointer of a kernel
        is past its end, because other buffers may be allocated there."""
        bytes = count * size
        window = WINDOW
        while window <= bytes:
            window *= 2
        choices = [-1, -1, -2, -3, -5, -count, -count - 1, -100]
        if not self.past:
            choices += [count + 1, count + 2, count + 7, count, count + 300]
        fits = lambda n: n >= 0 or -n * size <= 64 or window // 2 + 72 <= (n * size) % window <= window - 72
        shift = self.rng.choice([n for n in choices if fits(n)])
        self.past = self.past or shift > 0
        return shift

    def add_shared(self, group, count):
        name = self.fresh("s")
        rows, columns, declarator = self.extent(group, count)
        count = rows * columns or count
        self.shared.append((name, group.type, declarator, count))
        self.fill(group, name, count, columns, True)
        self.read_back(group, name, count, columns)
        return self.whole(name, count, rows, columns)

    def add_dynamic(self, group, count):
        if any(state == "SHARED" for _, _, _, state in self.buffers):
            p = self.add_shared(group, count)
            p.kinds = ["shared"]  # a kernel has one dynamic array
            return p
        self.buffers.append((group, count, 0, "SHARED"))
        name = "b%d" % (len(self.buffers) - 1)
        self.emit("%s", Pair("%s *%s = (%s *)dynamic;" % (group.type, name, group.type), ""))
        self.fill(group, name, count, 0, True)
        self.read_back(group, name, count, 0)
        return Pointer(name, 0, count)

    def add_local(self, group, count):
        name = self.fresh("l")
        rows, columns, declarator = self.extent(group, count)
        count = rows * columns or count
        self.emit("%s", Pair("%s %s%s;" % (group.type, name, declarator), "Array<%s, %d> %s_;" % (group.type, count, name)))
        self.emit("%s", Pair("", "P<%s> %s = %s_.p();" % (group.type, name, name)))
        self.fill(group, name, count, columns, False)
        self.read_back(group, name, count, columns)
        p = self.whole(name, count, rows, columns)
        p.is_private = True
        return p

    def add_heap(self, group, count):
        name, bytes = self.fresh("h"), count * SIZES[group.type]
        self.emit("%s", Pair("%s *%s = (%s *)malloc(%d);" % (group.type, name, group.type, bytes),
                             "Heap %s_(%d); P<%s> %s = {&%s_.object, 0};" % (name, bytes, group.type, name, name)))
        self.fill(group, name, count, 0, False)
        self.read_back(group, name, count, 0)
        self.freed.append(name)
        p = Pointer(name, 0, count)
        p.is_private = True
        return p

    def add_module(self, group, count, space):
        name = "g%d_%s" % (self.number, self.fresh(""))
        rows, columns, declarator = self.extent(group, count)
        count = rows * columns or count
        item = (lambda i: "Item{%du, %du}" % (i * 7, i * 11 + 3)) if group.type == "Item" else (lambda i: str(i * 7 % 251))
        items = [item(i) for i in range(count)]
        flat = ", ".join(items)
        lines = ["{%s}" % ", ".join(items[r * columns:(r + 1) * columns]) for r in range(rows)]
        self.outer_emit("static %s %s %s%s = {%s};", space, group.type, name, declarator, ", ".join(lines) or flat,
                        host="static Array<%s, %d> %s_({%s});" % (group.type, count, name, flat))
        self.outer.only_host("static P<%s> %s = %s_.p();" % (group.type, name, name))
        self.read_back(group, name, count, columns)
        p = self.whole(name, count, rows, columns)
        p.is_module = True
        return p

    def add_device(self, group, count):
        return self.add_module(group, count, "__device__")

    def add_constant(self, group, count):
        return self.add_module(group, count, "__constant__")
