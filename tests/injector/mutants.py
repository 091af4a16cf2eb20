"""mutants.py: the mutants that a trace of the correct program allows, and what a checked run of one must report."""
import random
import re
from collections import defaultdict

import plan

LOG = re.compile(r"^(\d+) (\w+) (\S+) (\d+) ([\w-]+) (.*)$", re.M)
FAR = 100000  # elements
KINDS = {plan.OUT: ("out-of-bounds",), plan.STALE: ("use-after-free",), plan.FIELD: ("field-overflow", "out-of-bounds"),
         plan.IS_NULL: ("null-pointer",), plan.SPLIT: ("misaligned",)}


class Mutant:
    """fields: its plan. expected: (kind, file, line), if they are known without asking the oracle. flags: of a compilation of its own."""

    def __init__(self, name, expected=(), flags=(), **fields):
        self.name, self.expected, self.flags, self.fields = name, set(expected), list(flags), fields

    def __str__(self):
        return " ".join([self.name, *self.flags, *("%s=%d" % item for item in self.fields.items())])


def of_sites(sites, reach):
    for site in sites:
        r = reach[site.number]
        if not site.movable or not r.seen:
            continue
        over, under = r.after + 1, -(r.before + 1)
        pointer = site.wrapper == "INJECT_POINTER"
        yield Mutant("pointer + n" if pointer else "index + n, everywhere", site=site.number, every=plan.ALWAYS, delta=over)
        yield Mutant("pointer - n" if pointer else "index - n, everywhere", site=site.number, every=plan.ALWAYS, delta=under)
        if pointer:
            yield Mutant("null pointer", site=site.number, every=plan.NULL)
            yield Mutant("pointer kept after free", site=site.number, every=plan.KEPT)
            if site.sure and r.size > 1 and r.after > 0:  # nowhere past the end, too
                yield Mutant("pointer one byte off", site=site.number, every=plan.MISALIGNED)
            continue
        yield Mutant("index one past the end", site=site.number, at=r.last, delta=over)
        yield Mutant("index one before the start", site=site.number, at=r.first, delta=under)
        yield Mutant("index far out", site=site.number, at=r.last, delta=over + FAR)


def compiled(sites, arrays, reach, choose, count):
    """Mutants that are compiled: an index with a constant added, and arrays that are one element shorter."""
    movable = [s for s in sites if s.movable and reach[s.number].seen]
    for site in choose.sample(movable, min(count, len(movable))):
        delta = choose.choice((reach[site.number].after + 1, -(reach[site.number].before + 1)))
        yield Mutant("index or pointer + constant, compiled", flags=["-DINJECT_SITE=%d" % site.number, "-DINJECT_DELTA=(%d)" % delta],
                     site=site.number, every=plan.ALWAYS, delta=delta)
    for array in choose.sample(arrays, min(count, len(arrays))):
        last = [s for s in sites if s.arrays & array.arrays and reach[s.number].seen and reach[s.number].after == 0]
        yield Mutant("array one element shorter, compiled", {(k, s.file, line) for s in last for k in KINDS[plan.FIELD] for line in s.lines},
                     flags=["-DINJECT_SHORT=%d" % array.number])


def of_calls(log, choose):
    """Mutants of the allocations, copies, fills and frees of a run."""
    allocated, freed, calls = {}, {}, 0
    for call, name, file, line, what, rest in LOG.findall(log):
        call, line, numbers = int(call), int(line), rest.split()
        calls = max(calls, call)
        if what == "buffer":  # not one that the host accesses, too: no oracle watches that
            number, size = map(int, numbers)
            allocated[number] = call
            if size > 1:
                yield Mutant("allocation one byte short", buffer=number, size=size - 1)
            if size >= 8:
                yield Mutant("allocation halved", buffer=number, size=size // 2)
                yield Mutant("allocation in elements, not bytes", buffer=number, size=size // 4)
        elif what == "launch":
            launch, size = map(int, numbers)
            if size > 1:
                yield Mutant("dynamic shared memory one byte short", launch=launch, less=1)
                yield Mutant("dynamic shared memory halved", launch=launch, less=size // 2)
        elif what == "free":
            freed[int(numbers[0])] = call
            yield Mutant("freed twice", [("double-free", file, line)], call=call, action=plan.TWICE)
            yield Mutant("freed in the middle", [("invalid-free", file, line)], call=call, action=plan.INSIDE, argument=1)
        elif what in ("to", "from"):
            _, before, after = map(int, numbers)
            earlier = plan.EARLIER_TO if what == "to" else plan.EARLIER_FROM
            yield Mutant("copy or fill too long", call=call, action=plan.LONGER, argument=after + 1)
            yield Mutant("copy or fill before the start", call=call, action=earlier, argument=before + 1)
    for number, call in allocated.items():
        life = range(call + 1, freed.get(number, calls + 1))
        for at in choose.sample(life, min(len(life), 4)):
            yield Mutant("freed too early", buffer=number, call=at, action=plan.FREE)
            yield Mutant("freed too early, and its memory reused", buffer=number, call=at, action=plan.REUSE)


def choose_some(all_mutants, count, choose):
    """At most count, as many of each name as possible."""
    by_name = defaultdict(list)
    for mutant in {str(m): m for m in all_mutants}.values():  # a loop makes the same launch again
        by_name[mutant.name].append(mutant)
    for group in by_name.values():
        choose.shuffle(group)
    groups, chosen = sorted(by_name.values(), key=len), []
    for n, group in enumerate(groups):
        share = (count - len(chosen)) // (len(groups) - n)
        chosen += group[:share]
    return chosen


def errors_of(sites, reach, log):
    """What the oracle saw: errors as (kind, file, line), and whether it is sure of all."""
    errors, sure = set(), True
    for site in sites:
        bad = reach[site.number].bad
        sure = sure and not bad & plan.UNSURE
        for bit, kinds in KINDS.items():
            if bad & bit:
                errors |= {(kind, site.file, line) for kind in kinds for line in site.lines}
    for _, _, file, line, what, rest in LOG.findall(log):
        if what == "bad":
            errors.add((rest, file, int(line)))
    return errors, sure


def seeded(*words):
    return random.Random(" ".join(map(str, words)))
