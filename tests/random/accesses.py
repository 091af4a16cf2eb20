"""accesses.py: the statements of random kernels that access memory."""
from expressions import ARRAYS, DYNAMIC, MAP, READ, RECORD_BYTES, RECORD_MAP, RECORDS, SUM, TYPES
from expressions import Expressions, Memory, Pair


class Accesses(Expressions):
    """A kernel's accesses, appended to self.text; the kernel lists its memory of each kind."""

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

    def leaves(self, role):
        """Whether accesses to memory of this role may be out of bounds."""
        return True

    def array_index(self, size, role):
        """An index for an array of constant size, in bounds most of the time."""
        over = self.pick(0, 0, 0, 0, 0, 0, 0, 1) and self.leaves(role)
        return "(unsigned)(%s) %% %du" % (self.index(), size + over)

    def read(self):
        memory = self.rng.choice(self.readable())
        is_within = memory.size and not (self.chance(0.04) and self.leaves(memory.role))
        index = Pair(self.array_index(memory.size, memory.role)) if is_within else self.any_index()
        self.use(self.load(memory, index))

    def write(self):
        if self.locals and self.chance(0.3):
            memory = self.rng.choice(self.locals)
            is_within = not (self.chance(0.04) and self.leaves(memory.role))
            index = self.array_index(memory.size, memory.role) if is_within else self.index()
            self.text.line("%s[%s] = (%s)acc;" % (memory.device, index, memory.type),
                           "store(%s, %s, (%s)acc, @);" % (memory.host, index, memory.type))
            return
        self.store(self.a_buffer(MAP), self.any_index())

    def store(self, memory, index):
        at = self.fresh("x")
        self.text.line("const long long %s = %s;" % (at, index[0]), "const long long %s = %s;" % (at, index[1]))
        value = "(%s)mixed(%s)" % (memory.type, at)
        self.text.line("%s[%s] = %s;" % (memory.device, at, value), "store(%s, %s, %s, @);" % (memory.host, at, value))

    def add(self):
        memory = self.a_buffer(SUM)
        index = self.any_index()
        value = "(%s)(%s)" % (memory.type, self.index())
        name, sign = memory.operation
        self.text.line("%s(&%s[%s], %s);" % (name, memory.device, index[0], value),
                       "atomic('%s', %s, %s, %s, @);" % (sign, memory.host, index[1], value))

    def record(self):
        """An access to a field of a structure."""
        memory = self.rng.choice([b for b in self.buffers if b.role in (RECORDS, RECORD_MAP)] or [None])
        if memory is None:
            return self.read()
        i = self.fresh("x")
        index = self.any_index()
        self.text.line("const long long %s = %s;" % (i, index[0]), "const long long %s = %s;" % (i, index[1]))
        if memory.role == RECORDS and self.chance(0.5):
            name, type, at = self.rng.choice(self.fields)
            return self.use(Pair("%s[%s].%s" % (memory.device, i, name),
                                 "load_at(%s.as<%s>(), %s * %d + %d, @)" % (memory.host, type, i, RECORD_BYTES, at)))
        name, type, at, length = self.rng.choice(ARRAYS) if memory.role == RECORDS else ARRAYS[0]
        j = self.array_index(length, "member")
        where = "%s.as<%s>(), %s * %d + %d, %s, %d" % (memory.host, type, i, RECORD_BYTES, at, j, length)
        if memory.role == RECORDS:
            return self.use(Pair("%s[%s].%s[%s]" % (memory.device, i, name, j), "load_field(%s, @)" % where))
        value = "mixed(%s * 10 + %s)" % (i, j)
        self.text.line("%s[%s].%s[%s] = %s;" % (memory.device, i, name, j, value), "store_field(%s, %s, @);" % (where, value))

    def cell(self):
        """A load from an array of arrays."""
        if not self.grids:
            return self.read()
        memory = self.rng.choice(self.grids)
        rows, columns = memory.size
        i, j = self.array_index(rows, memory.role), self.array_index(columns, memory.role)
        self.use(Pair("%s[%s][%s]" % (memory.device, i, j),
                      "load_field(%s, (long)(%s) * %d, %s, %d, @)" % (memory.host, i, columns * TYPES[memory.type], j, columns)))

    def through_table(self):
        """An access through a pointer that is loaded from a table."""
        self.table = self.table or [i for i, b in enumerate(self.buffers) if b.role == READ and b.type == "unsigned"]
        if not self.table:
            return self.read()
        which, index = "(unsigned)(%s) %% %du" % (self.index(), len(self.table)), self.any_index()
        self.use(Pair("%stab[%s][%s]" % (self.prefix(), which, index[0]), "load(tab_[%s], %s, @)" % (which, index[1])))

    def dynamic(self):
        """A load from dynamic shared memory, which the block has filled."""
        memory = [b for b in self.buffers if b.role == DYNAMIC]
        if not memory:
            return self.read()
        self.use(self.load(memory[0], Pair("(unsigned)(%s) %% (unsigned)%s" % (self.index(), memory[0].count))))

    def copy(self):
        """Copies sixteen bytes with memcpy."""
        words = [b for b in self.buffers if b.role == READ and b.type == "unsigned"]
        if self.exact or not words:
            return self.read()
        memory, v, index = self.rng.choice(words), self.fresh("v"), self.index()
        self.copies, self.parts = True, max(self.parts, self.copy_parts)
        self.text.line("Bytes16 %s;" % v)
        self.text.line("memcpy(&%s, &%s[%s], 16);" % (v, memory.device, index), "%s = copy16(%s, %s, @);" % (v, memory.host, index))
        self.use(Pair("(%s.words[0] ^ %s.words[3])" % (v, v)))

    def allocate(self):
        """Accesses to memory that the thread allocates and frees."""
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
        """A loop that moves a pointer."""
        memory, p, count = self.rng.choice(self.readable()), self.fresh("p"), self.value(0, 24)
        step = self.pick("1", "1", "2", "-1", self.value(1, 5))
        start = self.array_index(memory.size, memory.role) if memory.size else self.index()
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
        """Accesses through a pointer to one of two buffers."""
        a = self.a_buffer(READ)
        others = [b for b in self.buffers if b.role == READ and b.type == a.type]
        b, p = self.rng.choice(others), self.fresh("q")
        condition = self.decide(self.condition())
        self.text.line("const %s%s *%s = %s ? %s : %s;" % (self.volatile(), a.type, p, condition[0], a.device, b.device),
                       "P<%s> %s = %s ? %s : %s;" % (a.type, p, condition[1], a.host, b.host))
        chosen = Memory(p, a.type, READ)
        self.use(self.load(chosen, self.any_index()))
        if self.chance(0.5):
            self.use(self.load(chosen, self.any_index()))

    def wide(self):
        """Loads four elements with one access."""
        words = [b for b in self.buffers if b.role == READ and b.type == "unsigned"]
        if self.exact or not words:
            return self.read()
        memory, v, index = self.rng.choice(words), self.fresh("v"), self.index()
        self.parts = max(self.parts, 4)
        self.text.line("const uint4 %s = ((const uint4 *)%s)[%s];" % (v, memory.device, index),
                       "const uint4 %s = load(%s.as<uint4>(), %s, @);" % (v, memory.host, index))
        self.use(Pair("(%s.x ^ %s.y * 3u ^ %s.z * 5u ^ %s.w * 7u)" % (v, v, v, v)))

    def call(self):
        if not self.functions:
            return self.read()
        name, role, type = self.rng.choice(self.functions)
        fitting = [m for m in self.readable() if m.type == type] if role == READ else \
                  [m for m in self.buffers if m.type == type and m.role == role]
        if not fitting:
            return self.read()
        memory = self.rng.choice(fitting)
        first = self.array_index(memory.size, memory.role) if memory.size else self.index()
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
