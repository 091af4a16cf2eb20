#!/usr/bin/env python3
"""Follows addresses through PTX, and fails if an access in one address space gets an address of another. The CPU device is flat and
cannot show such an error. An address is known where the PTX shows its space: the result of a failed check is the sink, which is
in global memory, or what isspacep has found it to be; cvta states the others."""
import re
import sys

SPACES = ("shared", "local", "const", "global", "param")
FAILED, FOUND = re.compile(r"__cs_fail(_named|_range)?$"), {"__cs_fail_shared": "shared", "__cs_fail_empty": "shared"}
STATE = re.compile(r"\[__cs_state(\+\d+)?\]")  # pointers that the host has written: all are global
REGISTER = re.compile(r"%[a-zA-Z_]\w*")
FUNCTION = re.compile(r"^(?:\.\w+ )*\.(entry|func)\s+(?:\([^)]*\)\s*)?([\w$.]+)", re.M)


def functions(text):
    """Yields (name, lines of the body)."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"^\s*\.(loc|file)\b[^\n]*$", "", text, flags=re.M)
    for found in FUNCTION.finditer(text):
        start, depth = text.find("{", found.end()), 0
        semicolon = text.find(";", found.end())
        if start < 0 or 0 <= semicolon < start:
            continue  # a declaration
        for end in range(start, len(text)):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            if depth == 0:
                break
        yield found.group(2), text[start + 1:end]


def statements(body):
    """(label or None, predicate or None, opcode, operands) of each statement."""
    out = []
    for part in re.split(r";|(?<=:)\s|[{}]", body):
        part = part.strip()
        label = re.fullmatch(r"([\w$]+):", part)
        if label:
            out.append((label.group(1), None, "", ""))
            continue
        found = re.fullmatch(r"(?:@(!?%\w+)\s+)?([a-z][\w.:]*)\s*(.*)", part, re.S)
        if found:
            out.append((None, found.group(1), found.group(2), " ".join(found.group(3).split())))
    return out


def blocks(body):
    """[(statements, [(number of a successor, guard)])]; a guard is (predicate, whether it holds) or None."""
    code, starts, labels = statements(body), [0], {}
    for at, (label, _, opcode, _) in enumerate(code):
        if label:
            starts.append(at)
        elif opcode.split(".")[0] in ("bra", "ret", "exit", "trap", "brx"):
            starts.append(at + 1)
    starts = sorted({s for s in starts if s < len(code)})
    for number, start in enumerate(starts):
        if code[start][0]:
            labels[code[start][0]] = number
    out = []
    for number, start in enumerate(starts):
        part = code[start:starts[number + 1] if number + 1 < len(starts) else len(code)]
        _, guard, opcode, operands = part[-1]
        kind, following, successors = opcode.split(".")[0], [number + 1] if number + 1 < len(starts) else [], []
        holds = (guard.lstrip("!"), not guard.startswith("!")) if guard else None
        fails = (holds[0], not holds[1]) if holds else None
        if kind == "bra":
            successors = [(labels[operands], holds)] + ([(n, fails) for n in following] if guard else [])
        elif kind == "brx":
            successors = [(n, None) for n in range(len(starts))]
        elif kind not in ("ret", "exit", "trap") or guard:
            successors = [(n, fails) for n in following]
        out.append((part, successors))
    return out


class Follower:
    """The spaces that each register's address may have: (space, register that the address was first in, whether it was converted
    to an address of another space)."""

    def __init__(self, name):
        self.name, self.errors, self.accesses = name, set(), set()
        self.callee, self.argument = None, ""

    def of(self, state, operands):
        return frozenset().union(*(state.get(r, frozenset()) for r in REGISTER.findall(operands)))

    def convert(self, known, space):
        """cvta.to.SPACE"""
        return frozenset((k, first, True) for k, first, _ in known if k != space)

    def access(self, opcode, operands, state):
        parts = [p.split("::")[0] for p in opcode.split(".")[1:]]
        named = [p for p in parts if p in SPACES]
        addresses = re.findall(r"\[([^\]]*)\]", operands)
        for at, address in enumerate(addresses):
            space = named[min(at, len(named) - 1)] if named else None
            if space in (None, "param"):
                continue
            self.accesses.add((opcode, operands, address))
            for known, _, converted in self.of(state, address):
                if converted or known != space or space != "global":
                    self.errors.add("%s: '%s %s' accesses %s memory, and its address is one of %s memory%s" %
                                    (self.name, opcode, operands, space, known, "" if converted else ", or a generic one"))

    def step(self, statement, state, tests):
        _, guard, opcode, operands = statement
        kind, first = opcode.split(".")[0], operands.split(",")[0].strip()
        if kind == "call":
            self.callee = next(iter(re.findall(r"__cs_\w+", operands)), None)
            if self.callee in FOUND:  # it does not return if its argument has another space, and LLVM knows that it returns it
                verified = {first for _, first, _ in self.of(state, self.argument)}
                state.update({r: frozenset(k for k in known if k[1] not in verified) for r, known in state.items()})
            return
        if opcode.startswith("st.param") and "[param0]" in operands:
            self.argument = operands
        if not opcode or kind in ("bra", "ret", "exit", "trap", "st", "red", "bar") and "[" not in operands:
            return
        if "[" in operands and kind not in ("mov", "cvta"):
            self.access(opcode, operands, state)
            if kind in ("st", "red", "cp", "prefetch"):
                return
        targets = REGISTER.findall(first)
        rest = operands[len(first):]
        if kind == "isspacep":
            tests[targets[0]] = (REGISTER.findall(rest)[0], True)
            return
        if opcode == "not.pred" and REGISTER.findall(rest)[0] in tests:
            register, holds = tests[REGISTER.findall(rest)[0]]
            tests[targets[0]] = (register, not holds)
            return
        if kind == "ld":
            known = frozenset()
            if "[retval" in rest and self.callee:
                found = FOUND.get(self.callee) or (FAILED.match(self.callee) and "global")
                known = frozenset([(found, targets[0], False)] if found else [])
            elif STATE.search(rest):
                known = frozenset([("global", targets[0], False)])
        elif opcode.startswith("cvta.to."):
            known = self.convert(self.of(state, rest), opcode.split(".")[2].split("::")[0])
        elif kind == "cvta":
            known = frozenset([(opcode.split(".")[1].split("::")[0], targets[0], False)])
        elif kind in ("mov", "add", "sub", "selp", "and", "or", "cvt", "mad", "shl"):
            known = self.of(state, rest) if "%p" not in first else frozenset()
        else:
            known = frozenset()
        for target in targets:
            state[target] = known | (state.get(target, frozenset()) if guard else frozenset())
            tests.pop(target, None)

    def follow(self, code):
        entry, todo = {0: ({}, {})}, [0]
        while todo:
            number = todo.pop()
            state, tests = ({**s} for s in entry[number])
            for statement in code[number][0]:
                self.step(statement, state, tests)
            for successor, guard in code[number][1]:
                there = {**state}
                if guard and guard[0] in tests and guard[1] == tests[guard[0]][1]:
                    there = {r: frozenset(k for k in known if k[1] != tests[guard[0]][0]) for r, known in there.items()}
                old = entry.get(successor)
                if old is None:
                    entry[successor] = (there, {**tests})
                    todo.append(successor)
                    continue
                joined = {r: old[0].get(r, frozenset()) | there.get(r, frozenset()) for r in {*old[0], *there}}
                kept = {p: t for p, t in old[1].items() if tests.get(p) == t}
                if joined != old[0] or kept != old[1]:
                    entry[successor] = (joined, kept)
                    todo.append(successor)


def main():
    errors, accesses = set(), 0
    for file in sys.argv[1:]:
        with open(file) as ptx:
            text = ptx.read()
        for name, body in functions(text):
            follower = Follower(name)
            follower.follow(blocks(body))
            errors |= {"%s: %s" % (file, e) for e in follower.errors}
            accesses += len(follower.accesses)
    print("\n".join(sorted(errors)))
    print("spaces: %d accesses followed, %d in another space than their address" % (accesses, len(errors)))
    return 1 if errors or not accesses else 0


if __name__ == "__main__":
    sys.exit(main())
