"""control.py: the statements of random kernels that decide what runs, and how often."""
from accesses import Accesses
from expressions import READ, Pair, join


class Control(Accesses):
    """A kernel's loops, conditions and barriers."""

    def decide(self, condition):
        """Adds the condition to the result, so that the compiler cannot remove its loads if the branch is empty."""
        name = self.fresh("is")
        self.text.line("const bool %s = %s;" % (name, condition[0]), "const bool %s = %s;" % (name, condition[1]))
        self.text.line("acc = acc * 31u + %s;" % name)
        return Pair(name)

    def leave(self):
        condition = self.decide(self.data_condition() if self.chance(0.7) else self.condition())
        word = self.pick("break", "break", "continue") if self.loop_depth else "return"
        if word == "return":  # the result keeps earlier loads from being removed
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
            if self.constants and self.chance(0.5):
                memory = self.constants[0]
                read = self.load(memory, Pair(self.pick("1", self.array_index(memory.size, memory.role))))
            self.text.line("const int %s = (int)(%s %% 19u);" % (up, read[0]), "const int %s = (int)(%s %% 19u);" % (up, read[1]))
            self.use(Pair(up))
        names = [v for v, u in self.vars if not u and v.startswith("i")]
        if names and self.chance(0.25):
            start = self.rng.choice(names)
        if self.chance(0.2):
            up = self.pick("tid + 3", "16", "7", up + " + tid % 4", up + " - 2")
        is_unsigned, tail, out = False, "}", None
        roll = self.rng.randrange(18)
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
        elif roll == 11:
            head, is_unsigned = self.loop_that_wraps(i), True
        elif roll == 12:
            head, is_unsigned = "for (unsigned long long %s = %s; %s-- > 0;)" % (i, self.value(0, 24), i), True
        elif roll < 16:
            head, is_unsigned = self.loop_with_two_bounds(i, step)
        else:
            start, step = self.pick("1", "tid % 4", start), self.pick("2", "3", "3", step)
            head, out = "for (int %s = %s;; %s += %s)" % (i, start, i, step), self.fresh("out")
        if self.chance(0.1):
            out = out or self.fresh("out")
        carried = self.fresh("c") if self.chance(0.2) else None
        if carried:
            self.text.line("int %s = %s;" % (carried, self.pick("0", self.index())))

        def body():
            self.vars.append((i, is_unsigned))
            if out:
                self.leave_by_switch(i, out, roll >= 16)
                if roll >= 16:
                    self.use(self.load(self.a_buffer(READ), Pair(i)))
            if carried:
                self.carry(carried)
            self.loop_depth += 1
            if is_unsigned is False and roll != 10 and self.chance(0.5):
                self.vars.append((i, False))  # raises its probability
            self.statements(self.rng.randint(1, 3))
            self.loop_depth -= 1

        if self.chance(0.1):
            self.text.line("#pragma unroll %d" % self.pick(1, 2, 4), "")
        self.block_of(Pair(head), body, tail)
        if out:
            self.text.line("%s:;" % out)

    def leave_by_switch(self, i, out, is_only_end):
        """Leaves the loop where its counter has one of a few values, which it may leap over."""
        cases = self.rng.sample([0, 1, 2, 3, 5, 8, 12, 13, 20, 30, 31], self.rng.randint(2, 5))
        leaving = cases[:self.pick(1, 1, 1, 2)]
        if is_only_end:  # the second end is one that LLVM does not count with
            self.text.line("if (%s)" % self.pick("%s > %d" % (i, self.pick(40, 90)), "%s * %s > %d" % (i, i, self.pick(1700, 4000))))
            self.text.line("  goto %s;" % out)
        self.text.line("switch (%s) {" % self.pick(i, "(int)" + i))
        for case in cases:
            self.text.line("case %d: %s" % (case, "goto %s;" % out if case in leaving else "acc += %du; break;" % self.pick(3, 5, 9)))
        self.text.line("default: break;")
        self.text.line("}")

    def switched(self):
        """Statements of which a switch chooses."""
        name = self.fresh("s")
        self.text.line("const int %s = (int)(%s) & 7;" % (name, self.index()))

        def cases():
            for case in self.rng.sample(range(8), self.rng.randint(2, 4)):
                tail = Pair(self.pick("} break;", "} break;", "}"))
                self.block_of(Pair("case %d:" % case), lambda: self.statements(1), tail)

        self.block_of(Pair("switch (%s)" % name), cases)

    def loop_with_two_bounds(self, i, step):
        """One bound may be any number, and only the other is sure to end the loop: (text, is the counter unsigned)."""
        n, sure = self.any_value(), self.pick("%s < %d" % (i, self.pick(9, 30, 100)), "%s * %s < %d" % (i, i, self.pick(90, 2000)))
        scale = self.pick("*= 2", "*= 3", "+= " + step, "+= " + step, "<<= 1")
        if self.chance(0.5):
            sure = sure + "u"
            less = self.pick("<", "<=", "!=")
            return "for (unsigned %s = %s; %s %s (unsigned)%s && %s; %s %s)" % (
                i, self.pick("1u", "2u", "1u + tid"), i, less, n, sure, i, scale), True
        less = self.pick("<", "<=", "!=")
        return "for (int %s = %s; %s %s %s && %s; %s %s)" % (i, self.pick("1", "2", "1 + tid"), i, less, n, sure, i, scale), False

    def loop_that_wraps(self, i):
        return self.rng.choice([
            "for (unsigned %s = 0u - %du; %s != (unsigned)%s; %s++)" % (i, self.pick(1, 2, 5), i, self.value(0, 24), i),
            "for (unsigned char %s = %d; %s != %d; %s++)" % (i, self.pick(250, 253, 255), i, self.pick(0, 3, 7), i),
            "for (unsigned short %s = (unsigned short)(0 - %s); %s != 9; %s++)" % (i, self.value(0, 5), i, i),
            "for (unsigned %s = %du; (int)%s >= 0; %s--)" % (i, self.pick(3, 12), i, i),
        ])

    def carry(self, name):
        """An index that the loop carries from one iteration to the next."""
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
        """The block's threads fill shared memory between two barriers."""
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
        nested = [self.loop] * 6 + [self.guarded] * 3 + [self.leave] * 2 + [self.switched]
        self.rng.choice(simple + nested if self.budget > 0 else simple)()
