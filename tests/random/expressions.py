"""expressions.py: the expressions of random kernels: parameters, indices, conditions; each as CUDA and as host code."""

TYPES = {"unsigned": 4, "unsigned char": 1, "unsigned short": 2, "unsigned long long": 8}
READ, MAP, SUM, RECORDS, RECORD_MAP, DYNAMIC = "read", "map", "sum", "records", "record map", "dynamic"
RECORD = "struct Record { unsigned a; unsigned arr[4]; unsigned char c[3]; unsigned short h; unsigned long long d; };"
RECORD_BYTES = 40
ARRAYS = [("arr", "unsigned", 4, 4), ("c", "unsigned char", 20, 3)]  # name, type, offset, length
FIELDS = [("a", "unsigned", 0), ("h", "unsigned short", 24), ("d", "unsigned long long", 32)]
ANY = (-2, -1)  # a parameter that may have any value


class Text:
    """CUDA and host code, line by line. In host code @ is the line number of the CUDA code."""

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


class Expressions:
    """A kernel's expressions. The kernel has rng, values (its parameters), vars (the variables for indices) and buffers."""

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
        """A parameter that may have any value; as a loop's bound it needs a second bound."""
        return self.value(*ANY)

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, *items):
        return self.rng.choice(items)

    def volatile(self):
        return "volatile " if self.exact else ""

    def term(self):
        name, is_unsigned = self.rng.choice(self.vars)
        name = "(int)" + name if is_unsigned and not self.chance(0.15) else name
        if self.chance(0.15):
            return "%s * %s" % (name, self.value(1, 12))
        factor = self.pick(1, 1, 1, 1, 2, 3, 4, -1, -2)
        return name if factor == 1 else "%s * %d" % (name, factor)

    def index(self):
        """An expression that does not load from memory."""
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
        """Forms for which compilers have instructions and simplifications."""
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

    def any_index(self):
        """An index that may be loaded from memory."""
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
