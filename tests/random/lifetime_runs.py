"""lifetime_runs.py: runs the programs of lifetimes.py, and compares what they print and what CuSafe reports with what the model expects."""
import re
import threading
from collections import Counter
from pathlib import Path

import runner
from lifetimes import VARIANTS, Program, module

HERE = Path(__file__).resolve().parent
LENGTH = 120  # calls of a program, or more
PROGRAM = re.compile(r"^program (\d+)\n", re.M)
TOTAL = re.compile(r"^cusafe: (\d+) invalid access(?:es)? at (\d+) sites? in kernels$", re.M)
SUMMARY = re.compile(r"^SUMMARY: CuSafe: (.*)$", re.M)
building = threading.Lock()


def by_program(text):
    parts = PROGRAM.split(text)
    return {int(n): body for n, body in zip(parts[1::2], parts[2::2])}


class Batch:
    """Some programs in one process, where later ones get the handles of earlier ones."""

    def __init__(self, given, folder, numbers):
        self.given, self.folder, self.name = given, Path(folder), "batch%d" % numbers[0]
        self.programs = [Program(given.seed, n, LENGTH) for n in numbers]
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / self.name).write_text("".join(p.text() for p in self.programs))

    def build(self):
        """All batches have one executable."""
        binary = self.folder / "lifetimes"
        with building:
            if not binary.exists():
                for variant in range(VARIANTS):
                    (self.folder / ("%d.ptx" % variant)).write_text(module(variant)[0])
                done = runner.run([self.given.cusafe, "cc", "-O1", HERE / "lifetimes.cpp", "-o", binary, "-lcuda", "-lpthread"])
                if done.code:
                    raise SystemExit("random: lifetimes.cpp does not build:\n" + done.err[:4000])
        return binary

    def run(self, binary, fast):
        options = "color=never:on_error=contain:symbolize=0:verbosity=1:fast_forms=%d:stream_order=1" % fast  # verbosity: each report in full
        environment = {"CUSAFE_OPTIONS": options, "CUDA_CACHE_PATH": str(self.folder / "cache"), "CUSAFE_CPU_OPTIMIZE": "0"}
        modules = [self.folder / ("%d.ptx" % v) for v in range(VARIANTS)]
        return runner.run([self.given.cusafe, "run", binary, self.folder / self.name] + modules, timeout=900, env=environment)

    def compare(self, program, out, err):
        lines, calls = program.expected()
        got = out.splitlines()
        wrong = next((i for i, line in enumerate(lines) if i >= len(got) or got[i] != line), None)
        found = Counter(SUMMARY.findall(err))
        failures = []
        if wrong is not None:
            failures.append("call %d, \"%s\": expected \"%s\", got \"%s\"" % (
                wrong, calls[wrong], lines[wrong], got[wrong] if wrong < len(got) else "nothing"))
        if found != +program.findings:
            failures.append("findings that are missing: %s; that are wrong: %s" % (dict(program.findings - found), dict(found - program.findings)))
        return failures

    def try_all(self):
        failures, right, binary = [], Counter(), self.build()
        for fast in (1, 0):
            done = self.run(binary, fast)
            out, err = by_program(done.out), by_program(done.err)
            where = "seed %s, %s, fast_forms=%d" % (self.given.seed, self.name, fast)
            for p in self.programs:
                wrong = self.compare(p, out.get(p.number, ""), err.get(p.number, ""))
                right["errors" if p.errors else "silence"] += not wrong
                failures += ["program %d, %s: %s" % (p.number, where, w) for w in wrong]
            expected = sum(p.errors for p in self.programs), sum(p.sites for p in self.programs)
            total = TOTAL.search(done.err)
            if (tuple(map(int, total.groups())) if total else (0, 0)) != expected:
                failures.append("%s: expected %d errors at %d sites, got %s" % (where, *expected, total.group(0) if total else "none"))
            if done.code != (runner.error_status() if expected[0] else 0):
                failures.append("%s: the process %s: %s" % (where, done.ending(), done.err[-800:]))
        return failures, right
