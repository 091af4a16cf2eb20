"""programs.py: the correct programs that errors are injected into, how they run, and which files they consist of."""
import re
import shlex
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import runner

SIZES = {"radix": 4096}  # of the bench's kernels; 32 of the others
NOT = {
    "errors_memory", "errors_launch", "errors_device", "assert_device",  # their subject is failing calls
    "llm",  # a run takes seconds at any size
    "parallel",  # thrust and cub: the engine compiles their kernels for minutes
    "library",  # headers that it includes late have names that injector.h defines as macros
}


def all_programs():
    """(name, source, arguments) of every program."""
    found = []
    for path in sorted((runner.ROOT / "tests/programs").glob("*.cu")):
        if path.stem not in NOT:
            found.append(("programs/" + path.stem, path, []))
    for path in sorted((runner.ROOT / "bench").glob("*.cu")):
        for name in re.findall(r'^static Register<.*>\s+\w+\("(\w+)"', path.read_text(), re.M):
            if name not in NOT:
                found.append(("bench/" + name, path, [name, "--size", str(SIZES.get(name, 32))]))
    for path in sorted((runner.ROOT / "tests/conformance").glob("*.cu")):
        cases = re.findall(r"^(?:[A-Z0-9]+_)*CASE\((\w+)", path.read_text(), re.M)
        if path.stem not in NOT:
            found.append(("conformance/" + path.stem, path, cases))
    return found


def files_of(path, seen=None):
    """A program and its own headers."""
    seen = seen if seen is not None else []
    path = path.resolve()
    if path not in seen and path.exists():
        seen.append(path)
        for name in re.findall(r'^\s*#\s*include "([^"]+)"', path.read_text(), re.M):
            files_of(path.parent / name, seen)
    return seen


def comments(path, name):
    return re.findall(r"^// %s: (.+)$" % name, path.read_text(), re.M)


def flags(path):
    return [word for line in comments(path, "FLAGS") for word in shlex.split(line)]


def environment(path):
    return dict(pair.split("=", 1) for pair in comments(path, "ENVIRONMENT"))


def statement(file, line):
    """The lines of the host's statement at a line."""
    lines = file.read_text().splitlines()
    ends = lambda text: re.search(r"[;{}:]\s*(//.*)?$", text) or not text.strip()
    first = last = line
    while first > 1 and not ends(lines[first - 2]):
        first -= 1
    while last < len(lines) and not ends(lines[last - 1]):
        last += 1
    return range(first, last + 1)


def other_calls(file):
    """The lines of the calls that access device memory and have no wrapper in injector.h."""
    found = set()
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if re.search(r"cudaMem(cpy|set)(?!Async\b)\w+\(|cudaGraph\w+\(|cudaMemPrefetch|\bcuMem\w+\(|cudaHostRegister|cub::|thrust::|<<<", line):
            found |= set(statement(file, number))
    return found
