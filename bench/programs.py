"""Compiles the programs of the bench, and controls processes that launch their kernel on request."""
import math
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))
import runner

SOURCES = sorted(HERE.glob("*.cu"))
BARE = "--bare"


def fail(text):
    sys.exit("bench: " + text)


def run(command, **more):
    done = runner.run(command, **more)
    if done.code != 0:
        fail("%s" % done)
    return done.out


class Builder(runner.Builder):
    """Programs of the bench, by one cusafe in one folder."""

    def __init__(self, cusafe, work):
        if not Path(cusafe).is_file():
            fail("there is no %s: build CuSafe first, or name the command with --cusafe" % cusafe)
        super().__init__(cusafe, work, list(HERE.glob("*.h")))

    def host_program(self, name):
        """A program of the build tree that contains the command."""
        path = self.cusafe.parents[1] / "bench" / name
        if not path.is_file():
            fail("%s not found: --cusafe must name the command of a build tree" % path)
        return path

    def make(self, name, source, flags, env=None):
        made, done = self.build(name, source, flags, env)
        return made or fail("%s" % done)

    def program(self, source, way, flags, env=None):
        return self.make(f"{source.stem}.{way}", source, ["--device=cpu", "-O2", *shlex.split(flags)], env)

    def programs(self, ways, sources):
        """{source: {way: program}}, two at a time."""
        with ThreadPoolExecutor(2) as pool:
            jobs = {s: {w: pool.submit(self.program, s, w, f) for w, f in ways.items()} for s in sources}
            return {s: {w: job.result() for w, job in each.items()} for s, each in jobs.items()}


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def number(text):
    base, _, shift = text.partition("<<")
    return int(base) << int(shift or 0)


def kernels_of(source):
    """{name: (quick size, full size)} of the kernels that a source registers, without compiling it."""
    found = re.findall(r'^static Register<\w+> \w+\("(\w+)", ([\d <]+), ([\d <]+)\)', source.read_text(), re.M)
    return {name: (number(quick), number(full)) for name, quick, full in found}


def chosen(only):
    """(source, kernel) of every selected kernel."""
    found = [(s, k) for s in SOURCES for k in kernels_of(s)]
    unknown = set(only) - {k for _, k in found} - {s.stem for s in SOURCES}
    if unknown:
        fail("there is no kernel %s; see bench/run --list" % ", ".join(sorted(unknown)))
    return [(s, k) for s, k in found if not only or s.stem in only or k in only]


def source_of(kernel):
    return next(s for s in SOURCES if kernel in kernels_of(s))


class Held:
    """A process with its data ready that launches its kernel on request. Checked programs are linked with libcusafe; `cusafe run`
    is not used, because it would give the bare program the tagged heap as well."""

    def __init__(self, command, env=None):
        self.name = shlex.join(map(str, command))
        self.process = subprocess.Popen([*map(str, command), "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env={**os.environ, **(env or {})})
        _, first, items = self.answer().split()
        self.first, self.items = float(first), int(items)

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            fail("`%s` ended with status %d" % (self.name, self.process.wait()))
        return line.strip()

    def ask(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()
        return self.answer()

    def launch(self):
        return float(self.ask("launch"))

    def verify(self):
        if self.ask("verify") != "right":
            fail("`%s` computes wrong results" % self.name)

    def close(self):
        self.process.stdin.close()
        if self.process.wait():
            fail("`%s` ended with status %d" % (self.name, self.process.returncode))


def engine_environment():
    """Where plain OpenCL programs find the engine; CUDA programs locate it on their own."""
    vendors = os.environ.get("OCL_ICD_VENDORS") or run([HERE.parent / "packaging/install-deps", "--where"]).strip() + "/icd"
    return {"OCL_ICD_VENDORS": vendors, "BENCH_TWINS_CL": str(HERE / "twins.cl")}


def fastest(held, request, min_rounds, max_rounds, quiet_rounds=4):
    """Milliseconds of each program's fastest answer to the request. The programs answer alternately, so that other load affects all of
    them, until no minimum has improved by 1 % for some rounds."""
    best = {way: float("inf") for way in held}
    improved = 0
    for round_number in range(max_rounds):
        for way, program in held.items():
            ms = float(program.ask(request))
            if ms < best[way] * 0.99:
                improved = round_number
            best[way] = min(best[way], ms)
        if round_number + 1 >= min_rounds and round_number - improved >= quiet_rounds:
            break
    return best


def close(held):
    for program in held.values():
        program.verify()
        program.close()


def race(commands, min_rounds, max_rounds, quiet_rounds=4, env=None):
    """Milliseconds of each command's fastest launch, and the items it produces."""
    held = {way: Held(command, env) for way, command in commands.items()}
    best = fastest(held, "launch", min_rounds, max_rounds, quiet_rounds)
    close(held)
    return best, next(iter(held.values())).items
