"""mutate.py: PTX texts with a few changes to instructions, operands, declarations or control flow, most of them valid."""
import re

REGISTER = re.compile(r"%[a-z]+\d+\b")
NUMBER = re.compile(r"(?<![\w%.$])-?\d+\b(?!\.)")
LABEL = re.compile(r"^\s*([$\w]+):", re.M)
SIMILAR = (("add", "sub", "min", "max"), ("and", "or", "xor"), ("shl", "shr"), ("lt", "le", "gt", "ge", "eq", "ne"), ("ld.global", "ld"), ("st.global", "st"),
           ("b32", "u32", "s32", "f32"), ("b64", "u64", "s64", "f64"), ("b16", "u16", "s16"), ("mul.lo", "mul.hi"), ("ld.shared", "ld.volatile.shared"),
           ("selp.b32", "selp.s32"), ("bra", "bra.uni"), (".visible .global", ".global"), ("cvta.to.global", "cvta.global"), ("ret", "exit", "trap"))
NUMBERS = ("0", "1", "-1", "2", "3", "4", "7", "8", "16", "31", "32", "63", "64", "255", "4096", "65535", "2147483647", "-2147483648")


def instructions(lines):
    """The numbers of the lines that hold an instruction of a body."""
    return [i for i, l in enumerate(lines) if re.match(r"\s*(@!?%\w+\s+)?[a-z][\w.:]*\s*[^:]*;\s*$", l)]


def exchanged(rng, line, pattern, choices):
    found = list(pattern.finditer(line))
    if not found or not choices:
        return line
    m = rng.choice(found)
    return line[:m.start()] + rng.choice(choices) + line[m.end():]


def register(rng, lines, i):
    """Another register of the same kind."""
    found = REGISTER.findall(lines[i])
    if found:
        old = rng.choice(found)
        kind = old.rstrip("0123456789")
        all_of_kind = sorted({r for l in lines for r in REGISTER.findall(l) if r.rstrip("0123456789") == kind})
        lines[i] = re.sub(re.escape(old) + r"\b", rng.choice(all_of_kind), lines[i], count=1)


def number(rng, lines, i):
    lines[i] = exchanged(rng, lines[i], NUMBER, NUMBERS)


def word(rng, lines, i):
    choices = [(old, new) for group in SIMILAR for old in group for new in group if old != new and re.search(r"(?<![\w])%s\b" % re.escape(old), lines[i])]
    if choices:
        old, new = rng.choice(choices)
        lines[i] = re.sub(r"(?<![\w])%s\b" % re.escape(old), new, lines[i], count=1)


def omit(rng, lines, i):
    lines[i] = ""


def repeat(rng, lines, i):
    lines.insert(rng.choice(instructions(lines)), lines[i])


def swap(rng, lines, i):
    k = rng.choice(instructions(lines))
    lines[i], lines[k] = lines[k], lines[i]


def predicate(rng, lines, i):
    registers = sorted({r for l in lines for r in REGISTER.findall(l) if r.startswith("%p") and not r.startswith("%pd")})
    if registers and "@" not in lines[i]:
        lines[i] = "@%s%s %s" % (rng.choice(("", "!")), rng.choice(registers), lines[i].strip())


def branch(rng, lines, i):
    labels = LABEL.findall("\n".join(lines))
    lines.insert(i, "bra %s;" % rng.choice(labels) if labels else "ret;")


def leave(rng, lines, i):
    lines.insert(i, rng.choice(("ret;", "exit;", "trap;", "bar.sync 0;", "{", "}", "{ }")))


def declare(rng, lines, i):
    lines.insert(i, rng.choice((".reg .b64 %%fresh<%d>;" % rng.choice((1, 9, 99999)), ".local .align 8 .b8 fresh_local[64];", ".shared .align 4 .b8 fresh_shared[128];",
                                "{ .reg .b32 %r<9>; mov.u32 %r1, 1; }", "{ FRESH: bra.uni FRESH; }", "FRESH_LABEL:", ".pragma \"nounroll\";")))


def variable(rng, lines, i):
    """A variable of the module, after the head."""
    at = next((k + 1 for k, l in enumerate(lines) if l.strip().startswith(".address_size")), 0)
    lines.insert(at, rng.choice((".global .align 8 .u64 fresh[2] = {generic(fresh_a), 5};\n.global .align 4 .b8 fresh_a[16];", ".const .align 4 .b8 fresh_c[16] = {1, 2, 3};",
                                 ".extern .shared .align 16 .b8 fresh_d[];", ".visible .global .align 4 .f32 fresh_f = 0f3F800000;", ".weak .global .b8 fresh_w[3][5];",
                                 ".func (.param .b64 r) fresh_function(.param .b64 a) { .reg .b64 %d<2>; ld.param.b64 %d1, [a]; st.param.b64 [r], %d1; ret; }")))


CHANGES = (register, register, register, number, number, word, word, omit, repeat, swap, predicate, branch, leave, declare, variable)


def mutant(rng, text):
    lines = text.splitlines()
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        found = instructions(lines)
        if found:
            rng.choice(CHANGES)(rng, lines, rng.choice(found))
    return "\n".join(lines) + "\n"
