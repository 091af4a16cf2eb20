"""Compiles the programs of the bench, and holds one of them while it launches its kernel on request."""
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = sorted(HERE.glob("*.cu"))
BARE = "--bare"


def fail(text):
    sys.exit("bench: " + text)


def newest(paths):
    return max((p.stat().st_mtime for p in paths if p.is_file()), default=0)


def run(command, **more):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)
    if done.returncode:
        fail("`%s` ended with status %d:\n%s%s"
             % (shlex.join(map(str, command)), done.returncode, done.stdout, done.stderr))
    return done.stdout


class Builder:
    """Programs of one cusafe, in one folder; compiled again only when cusafe, a source or the flags have changed."""

    def __init__(self, cusafe, work):
        self.cusafe, self.work = Path(cusafe).resolve(), Path(work)
        if not self.cusafe.is_file():
            fail("there is no %s: build CuSafe first, or name the command with --cusafe" % cusafe)
        self.work.mkdir(parents=True, exist_ok=True)
        parts = [self.cusafe, *self.cusafe.parents[1].glob("lib/**/*")]
        self.changed = max(newest(parts), newest(HERE.glob("*.h")))

    def program(self, source, way, flags):
        out, note = self.work / f"{source.stem}.{way}", self.work / f"{source.stem}.{way}.flags"
        built = out.is_file() and note.is_file() and note.read_text() == flags
        if not built or out.stat().st_mtime < max(self.changed, source.stat().st_mtime):
            run([self.cusafe, "cc", "--device=cpu", "-O2", *shlex.split(flags), source, "-o", out])
            note.write_text(flags)
        return out

    def programs(self, ways, sources):
        """{source: {way: program}}, two at a time."""
        with ThreadPoolExecutor(2) as pool:
            jobs = {s: {w: pool.submit(self.program, s, w, f) for w, f in ways.items()} for s in sources}
            return {s: {w: job.result() for w, job in each.items()} for s, each in jobs.items()}


def kernels_of(source):
    """The names under which a source registers its kernels: known before anything is compiled."""
    return re.findall(r'^static Register<\w+> \w+\("(\w+)"', source.read_text(), re.M)


class Held:
    """A program that has its data ready and launches its kernel when told to. CuSafe's libraries are linked in: `cusafe run`
    would give the bare program its heap as well."""

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


def race(commands, least_rounds, most_rounds, quiet_rounds=4):
    """Milliseconds of each command's fastest launch, and how many items it makes. They launch in turn, so that whatever else the machine does meets them
    all, until no minimum has moved by a hundredth for some rounds."""
    held = {way: Held(command) for way, command in commands.items()}
    best = {way: float("inf") for way in held}
    moved = 0
    for round_number in range(most_rounds):
        for way, program in held.items():
            ms = program.launch()
            if ms < best[way] * 0.99:
                moved = round_number
            best[way] = min(best[way], ms)
        if round_number + 1 >= least_rounds and round_number - moved >= quiet_rounds:
            break
    for program in held.values():
        program.verify()
        program.close()
    return best, next(iter(held.values())).items
