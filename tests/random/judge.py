"""judge.py: the results of the oracle and of a checked run for each kernel, and whether they agree."""
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import runner

RESULT = re.compile(r"^result (\d+) (\w+)$", re.M)


class Verdicts:
    """errors: for each kernel's number, the count of each (line, kind); results: a checksum for each kernel."""

    def __init__(self):
        self.errors, self.results = defaultdict(Counter), {}

    @classmethod
    def of_oracle(cls, text):
        v = cls()
        for number, line, kind, count in re.findall(r"^error (\d+) (\d+) (\S+) (\d+)$", text, re.M):
            v.errors[int(number)][int(line), kind] += int(count)
        v.results = {int(n): s for n, s in RESULT.findall(text)}
        return v

    @classmethod
    def of_run(cls, out, err, source, kernels):
        v = cls()
        v.results = {int(n): s for n, s in RESULT.findall(out)}
        heads = heads_of(source)
        for finding, body in runner.findings(err, source.name):
            kind = finding.kind or finding.title
            line = line_of(body.split("\n\n", 1)[0], source.name)
            number = next((k.number for k in kernels if k.first <= line <= k.last), number_of(body))
            if kind == "wild-pointer":  # so far out of bounds that CuSafe cannot name the buffer: docs/decisions/0003
                kind = "out-of-bounds"
            if line in heads:  # the compiler gives merged accesses this line
                line = 0
            count = runner.COUNT.search(body)
            v.errors[number][line, kind] += int(count.group(1)) if count else 1
        return v


def heads_of(source):
    """The first lines of functions, and of branches whose condition accesses no memory."""
    head = re.compile(r"(?:template <.*> )?(?:static|__global__) .*\) \{|\s+if \([^\[]*\) \{$")
    return {n for n, line in enumerate(source.read_text().splitlines(), 1) if head.match(line)}


def number_of(body):
    """The kernel's number in a report without a line."""
    name = re.search(r"in kernel (?:void )?k(\d+)[(<]", body)
    return int(name.group(1)) if name else -1


def line_of(access, source):
    for _, file, line in runner.FRAME.findall(access):
        if file.rsplit("/", 1)[-1] == source:
            return int(line)
    return 0


def comments(source, kernel, oracle, seen):
    """The comments on the lines where the oracle and the run differ."""
    a, b = oracle.errors[kernel.number], seen.errors[kernel.number]
    lines = source.read_text().splitlines()
    found = {lines[line - 1].partition(" // ")[2] for line, kind in a.keys() | b.keys() if line and a[line, kind] != b[line, kind]}
    return "".join(" [%s]" % text for text in sorted(found) if text)


def show(errors):
    return ", ".join("line %d %s %dx" % (*key, count) for key, count in sorted(errors.items())) or "nothing"


def is_subset(expected, got, parts):
    """Whether got is a subset of expected. Code that the compiler has moved may have lost its line."""
    if any(got[line, kind] > expected[line, kind] * parts for line, kind in got if line):
        return False
    return all(total(got)[kind] <= total(expected)[kind] * parts for _, kind in got)


def total(errors):
    """The counts by kind."""
    sums = Counter()
    for (_, kind), count in errors.items():
        sums[kind] += count
    return sums


def plain(errors):
    """Counts a field overflow as out of bounds: if the compiler removes a dead store, clang's check of its index stays."""
    joined = Counter()
    for (line, kind), count in errors.items():
        joined[line, "out-of-bounds" if kind == "field-overflow" else kind] += count
    return joined


def merged(expected, got):
    """Drops field overflows at sites where the access leaves the object: CuSafe reports only the latter."""
    other = {line for line, kind in expected if kind != "field-overflow"}
    less = lambda errors: Counter({k: n for k, n in errors.items() if k[1] != "field-overflow" or k[0] not in other})
    return less(expected), less(got)


def compare(kernel, oracle, seen, exact, lines, first):
    """A list of differences. lines: whether the reported lines count. first: the results of the same program built with other
    eliminations. If accesses are not volatile, the compiler may remove some, but never adds others, and the eliminations change nothing."""
    n = kernel.number
    expected, got = merged(oracle.errors[n], seen.errors[n])
    if not lines:
        expected, got = (Counter({(0, kind): count for kind, count in total(errors).items()}) for errors in (expected, got))
    wrong = []
    if exact and (total(expected) != total(got) or not is_subset(expected, got, 1)):
        wrong.append("expected %s; got %s" % (show(oracle.errors[n]), show(seen.errors[n])))
    elif bool(expected) != bool(got) or not is_subset(plain(expected), plain(got), kernel.parts):
        wrong.append("expected at most %s; got %s" % (show(oracle.errors[n]), show(seen.errors[n])))
    elif first and first.errors[n] != seen.errors[n]:
        wrong.append("without eliminations %s; got %s" % (show(first.errors[n]), show(seen.errors[n])))
    if (exact and not kernel.copies or not expected) and oracle.results[n] != seen.results.get(n):
        wrong.append("the result is %s, expected %s" % (seen.results.get(n), oracle.results[n]))
    return wrong
