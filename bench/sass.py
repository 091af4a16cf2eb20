"""Parses nvdisasm's listing of a cubin: the control flow of kernels, their innermost loops, and the instructions in them.

Blocks that call CuSafe's cold path do not count as part of a loop: correct programs never execute them. NVIDIA's checker is called
at every access, so each call adds the shortest path through the callee, a lower bound of what is executed."""
import collections
import heapq
import re

import flow

COLD = re.compile(r"\$__cs_")
CHECKER = re.compile(r"__cuda_sanitizer_\w+")
ACCESS = re.compile(r"(LDG|STG|LDS|STS|LD|ST|ATOM|ATOMG|ATOMS|RED|REDG)(\.|$)")
LINE = re.compile(r"\s*/\*([0-9a-f]{4,})\*/\s+(@!?U?P\w+\s+)?([A-Z][\w.]*)\s*(.*?);")
SOURCE = re.compile(r'\s*//## File ".*", line (\d+)')


class Instruction:
    def __init__(self, match, line=None):
        self.predicate, self.opcode, self.operands = match.group(2), match.group(3), match.group(4)
        self.line = line  # of the source; None without -g

    @property
    def name(self):
        return self.opcode.split(".")[0]

    def target(self):
        found = re.search(r"`\(([^)]+)\)", self.operands)
        return found.group(1) if found else None

    def conditional(self):
        """The condition of a branch is its predicate, or an operand."""
        return bool(self.predicate) or bool(re.match(r"!?U?P\d", self.operands)) or ".DIV" in self.opcode

    def is_metadata_load(self):
        return self.name == "LDG" and ".64" in self.opcode

    def is_access(self):
        return bool(ACCESS.match(self.opcode))


class Block:
    def __init__(self):
        self.instructions, self.next = [], []

    def calls(self, pattern):
        return any(i.name == "CALL" and pattern.search(i.target() or "") for i in self.instructions)


class Function:
    """One function of a section: blocks in the order of the listing, the first is the entry."""

    def __init__(self, name):
        self.name, self.blocks, self.labels = name, [Block()], {}

    def label(self, name):
        if self.blocks[-1].instructions:
            self.blocks.append(Block())
        self.labels[name] = len(self.blocks) - 1

    def add(self, instruction):
        self.blocks[-1].instructions.append(instruction)
        if instruction.name in ("BRA", "EXIT", "RET", "BRX", "JMP", "BREAK"):
            self.blocks.append(Block())

    def connect(self):
        for number, block in enumerate(self.blocks):
            last = block.instructions[-1] if block.instructions else None
            ends = last is not None and last.name in ("BRA", "EXIT", "RET", "BRX", "JMP") and not last.conditional()
            if not ends and number + 1 < len(self.blocks):
                block.next.append(number + 1)
            if last is not None and last.name in ("BRA", "JMP") and last.target() in self.labels:
                block.next.append(self.labels[last.target()])

    def count(self):
        """Without the padding at the end of the section."""
        return sum(i.name != "NOP" and not self.spins(b) for b in self.blocks for i in b.instructions)

    def spins(self, block):
        return len(block.instructions) == 1 and [self.blocks[n] for n in block.next] == [block]

    def loops(self):
        return flow.loops([b.next for b in self.blocks])

    def innermost(self):
        loops = self.loops()
        return [sorted(body) for header, body in loops.items() if not any(h in body for h in loops if h != header)]

    def shortest(self):
        """The fewest instructions from the entry to a return."""
        queue, best = [(len(self.blocks[0].instructions), 0)], {}
        while queue:
            cost, n = heapq.heappop(queue)
            if n in best:
                continue
            best[n] = cost
            if any(i.name == "RET" for i in self.blocks[n].instructions):
                return cost
            for m in self.blocks[n].next:
                heapq.heappush(queue, (cost + len(self.blocks[m].instructions), m))
        return 0


class Kernel:
    def __init__(self, name, functions):
        self.name, self.functions, self.body = name, functions, functions[0]
        self.others = {f.name: f for f in functions[1:]}
        self.all = sum(f.count() for f in functions)

    def cost(self, block):
        """Instructions that one execution of the block executes."""
        cost = len(block.instructions)
        for i in block.instructions:
            callee = self.others.get(i.target()) if i.name == "CALL" and CHECKER.search(i.target() or "") else None
            cost += callee.shortest() if callee else 0
        return cost

    def innermost(self):
        """(instructions, accesses, metadata loads) in all innermost loops."""
        sums = [0, 0, 0]
        for loop in self.body.innermost():
            hot = [b for b in (self.body.blocks[n] for n in loop) if not b.calls(COLD)]
            sums[0] += sum(map(self.cost, hot))
            sums[1] += sum(i.is_access() for b in hot for i in b.instructions)
            sums[2] += sum(i.is_metadata_load() for b in hot for i in b.instructions)
        return tuple(sums)


def by_line(listing):
    """({line: {loops around them: instructions}}, {line: kernels that contain them}) of a listing by `nvdisasm -c -g`, without the
    padding at the end."""
    counts, holders = collections.defaultdict(collections.Counter), collections.defaultdict(set)
    for kernel in kernels(listing).values():
        for function in kernel.functions:
            depths = collections.Counter(n for body in function.loops().values() for n in body)
            for number, block in enumerate(function.blocks):
                for i in block.instructions:
                    if i.name != "NOP" and not function.spins(block):
                        counts[i.line][depths[number]] += 1
                        holders[i.line].add(kernel.name)
    return counts, {line: len(names) for line, names in holders.items()}


def kernels(listing):
    """{name: Kernel} of a listing by `nvdisasm -c`."""
    found, name, functions, source_line = {}, None, [], None

    def finish():
        for f in functions:
            f.connect()
        if functions:
            found[name] = Kernel(name, functions)

    for line in listing.splitlines():
        section = re.match(r"\s*\.section\s+\.text\.([^,\s]+)", line)
        label = re.match(r"(\S+):\s*$", line)
        instruction = LINE.match(line)
        source = SOURCE.match(line)
        if section:
            finish()
            name, functions, source_line = section.group(1), [], None
        elif source:
            source_line = int(source.group(1))
        elif label and label.group(1).startswith(".L"):
            if functions:
                functions[-1].label(label.group(1))
        elif label and not label.group(1).startswith(".") and name:
            functions.append(Function(label.group(1)))
        elif instruction and functions:
            functions[-1].add(Instruction(instruction, source_line))
    finish()
    return found
