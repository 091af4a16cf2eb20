"""Parses PTX of the NVPTX back end: functions, their basic blocks with the names that comments give them, and the control flow."""
import re

FUNCTION = re.compile(r"^(?:\.visible |\.weak |\.extern )*\.(entry|func)\b", re.M)
BLOCK = re.compile(r"^(?:(\$L__BB\d+_\d+):|// %bb\.\d+:)[ \t]*(?:// %([^\s]+))?")
JUMP = re.compile(r"(@!?%p\d+\s+)?(bra(?:\.uni)?|brx\.idx(?:\.uni)?|ret|exit|trap)\b\s*([^;]*)")
CALL = re.compile(r"call(?:\.uni)?\s+(?:\([^)]*\),\s*)?(\w+)")


class Block:
    def __init__(self, label, name, line):
        self.label, self.name, self.line = label, name, line
        self.statements, self.targets, self.next = [], [], []

    def instructions(self):
        return len(self.statements)

    def calls(self):
        """Names of the functions that are called directly."""
        found = (CALL.match(s) for s in self.statements)
        return [m.group(1) for m in found if m]


class Function:
    def __init__(self, name, blocks):
        self.name, self.blocks = name, blocks
        labels = {b.label: b for b in blocks if b.label}
        for block, after in zip(blocks, [*blocks[1:], None]):
            falls = True
            for jump in filter(None, map(JUMP.match, block.statements)):
                condition, kind, operand = jump.groups()
                if kind.startswith("brx"):
                    block.next += [labels[label] for label in block.targets]
                elif kind.startswith("bra"):
                    block.next.append(labels[operand.strip()])
                else:
                    block.next.append(None)  # the function's end
                falls &= bool(condition)
            if falls:
                block.next.append(after)


END = None  # of a function, in the lists of successors


def always_after(function):
    """{block: the blocks, END included, that every thread reaches which is in the block}: the post-dominators."""
    everything = {*function.blocks, END}
    found, changed = {**{b: everything for b in function.blocks}, END: {END}}, True
    while changed:
        changed = False
        for block in reversed(function.blocks):
            now = {block} | (set.intersection(*(found[n] for n in block.next)) if block.next else set())
            changed |= now != found[block]
            found[block] = now
    return found


def reached(start, without=None):
    seen, todo = set(), [start]
    while todo:
        for n in todo.pop().next:
            if n is not END and n not in seen and n is not without:
                seen.add(n)
                todo.append(n)
    return seen


def loops(function):
    """The sets of blocks that reach each other."""
    after, found = {b: reached(b) for b in function.blocks}, []
    for block in function.blocks:
        loop = frozenset(b for b in after[block] if block in after[b])
        if loop and loop not in found:
            found.append(loop)
    return found


def scattering_loops(function):
    """The loops that do not end at one block, before the function's end, through which all their threads go: a warp's threads that leave such
    a loop at different times run what follows one after the other."""
    after, found = always_after(function), []
    for loop in loops(function):
        common = set.intersection(*(after[b] for b in loop)) - loop
        exits = {n for b in loop for n in b.next} - loop
        if len(exits - {END}) > 0 and not exits & common:
            found.append(loop)
    return found


def statements_of(lines):
    """Instructions of some lines of PTX: without comments, labels, directives and the braces of call sequences."""
    text = "\n".join(line.split("//")[0] for line in lines)
    text = re.sub(r"^\s*\$?\w+:(?!:)", "", text, flags=re.M)
    text = re.sub(r"^\s*\.loc\b.*$", "", text, flags=re.M)
    parts = (re.sub(r"\s+", " ", s.replace("{", " ", 1) if s.lstrip().startswith("{") else s).strip(" {}\n")
             for s in text.split(";"))
    return [p for p in parts if p and not p.startswith(".")]


def functions(text):
    """{name: Function} of those that have a body."""
    lines, found, at = text.splitlines(), {}, 0
    while at < len(lines):
        if not FUNCTION.match(lines[at]):
            at += 1
            continue
        head = []
        while at < len(lines) and lines[at].strip() != "{" and not lines[at].rstrip().endswith(";"):
            head.append(lines[at].split("//")[0])
            at += 1
        if at == len(lines) or lines[at].strip() != "{":
            at += 1
            continue  # a declaration
        name = re.search(r"\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([\w$]+)", " ".join(head)).group(1)
        blocks, body = [], None
        while lines[at] != "}":
            match = BLOCK.match(lines[at])
            if match:
                body = []
                blocks.append((Block(match.group(1), match.group(2), at), body))
            elif body is not None:
                body.append(lines[at])
            at += 1
        for block, body in blocks:
            block.statements = statements_of(body)
            block.targets = re.findall(r"\$L__BB\w+", "".join(re.findall(r"\.branchtargets([^;]*);", "\n".join(body))))
        found[name] = Function(name, [b for b, _ in blocks])
    return found
