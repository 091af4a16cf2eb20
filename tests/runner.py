"""runner.py: what all runners of tests share: the command under test, processes, builds, and how a report is read."""
import functools
import os
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

ERROR = re.compile(r"^==\d+==(?:ERROR|ALSO): CuSafe: (.*)$", re.M)
FRAME = re.compile(r"^    #\d+ (?:0x[0-9a-f]+ )?in (.*?)(?: |\n       at )(\S+?):(\d+)(?::\d+)?(?: \(inlined\))?$", re.M)
SUMMARY = re.compile(r"^SUMMARY: CuSafe: \S+ (\S+?):(\d+)(?::\d+)?(?: in .*)?$", re.M)
COUNT = re.compile(r"\b(\d+)\s+errors\s+at\s+this\s+site\s+so\s+far")


# The product's own lists, so that no test drifts from them.


def rows(path, pattern):
    """Matches of pattern in a file of the source tree."""
    return re.findall(pattern, (ROOT / path).read_text(encoding="utf-8"), re.M)


@functools.lru_cache(None)
def kinds():
    """Kinds of findings: machine name to title."""
    return dict(rows("report/kinds.inc", r'^CS_KIND\(\w+,\s*"([^"]+)",\s*"([^"]+)"'))


def eliminations():
    """Names of the eliminations of redundant checks."""
    return rows("pass/module/reasons.inc", r'^CS_PASS_REASON\(\w+, "[^"]*", "([^"]+)"\)')


def error_status():
    """The exit status of a program with findings."""
    return int(rows("options/options.inc", r"^CS_OPTIONS_NUMBER\(exitcode, (\d+),")[0])


# The command line.


def comma(text):
    return text.split(",")


def default_cusafe():
    built = ROOT / "build" / "bin" / "cusafe"
    return os.environ.get("CUSAFE") or shutil.which("cusafe") or (str(built) if built.exists() else None)


def add_options(parser, jobs=1):
    """The options of every runner."""
    parser.add_argument("--cusafe", default=default_cusafe(), metavar="PATH", help="the command (default: %(default)s)")
    parser.add_argument("--work", metavar="DIR", help="keep the programs there, and build only what is out of date")
    parser.add_argument("--jobs", type=int, default=jobs, metavar="N")


def find_cusafe(parser, given):
    if not given.cusafe or not shutil.which(given.cusafe):
        parser.error("the command cusafe is not on PATH: name it with --cusafe=PATH, or in the variable CUSAFE")
    given.cusafe = str(Path(shutil.which(given.cusafe)).resolve())


# Processes.


class Outcome:
    """How a command ended: code is None after a timeout and negative after a signal."""

    def __init__(self, command, code, out, err):
        self.command, self.code, self.out, self.err = command, code, out, err

    def ending(self):
        if self.code is None:
            return "took too long"
        return "ended by signal %d" % -self.code if self.code < 0 else "ended with status %d" % self.code

    def __str__(self):
        return "$ %s\n%s%s%s" % (" ".join(self.command), self.out, self.err, self.ending())


def run(command, timeout=None, env=None, replace=None, **more):
    """env adds to the environment, replace is all of it."""
    command, env = [str(word) for word in command], {**(os.environ if replace is None else replace), **(env or {})}
    text = lambda stream: (stream or b"").decode(errors="replace")
    try:
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=timeout, env=env, **more)
    except subprocess.TimeoutExpired as late:
        return Outcome(command, None, text(late.stdout), text(late.stderr))
    return Outcome(command, done.returncode, text(done.stdout), text(done.stderr))


def first_error(text):
    """The line of a compiler's or a program's output that explains its failure."""
    lines = [line for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if re.search(r"\b(error|cusafe):", line)]
    return (errors or lines or ["no message"])[0].strip()


def show_failure(what, output="", verbose=False):
    print("FAILED " + what, flush=True)
    if verbose:
        print("".join("    | %s\n" % line for line in output.splitlines()), end="", flush=True)


class Builder:
    """`cusafe cc` into one folder. A program is compiled again only when CuSafe, a shared header, its source or its flags have changed."""

    def __init__(self, cusafe, folder, headers=()):
        self.cusafe, self.folder = Path(cusafe).resolve(), Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        prefix = self.cusafe.parents[1]
        tool = [self.cusafe, *prefix.glob("lib*/libcusafe.so*"), *prefix.glob("lib*/**/cusafe/**/*")]
        self.changed = max(p.stat().st_mtime for p in [*tool, *headers] if p.is_file())

    def build(self, name, source, flags, env=None):
        """The program, and the outcome of its compilation, which is None when the program is up to date."""
        binary, note = self.folder / name, self.folder / (name + ".flags")
        text = " ".join(map(str, flags))
        fresh = binary.exists() and note.exists() and note.read_text() == text
        if fresh and binary.stat().st_mtime > max(self.changed, Path(source).stat().st_mtime):
            return binary, None
        done = run([self.cusafe, "cc", *flags, source, "-o", binary], env=env)
        if done.code == 0:
            note.write_text(text)
            return binary, done
        binary.unlink(missing_ok=True)
        return None, done


# Programs that nvcc builds with the shared runtime: `cusafe run --device=cpu` runs them.

NVCC_FLAGS = {"O0": ["-G"], "O1": ["-lineinfo", "-Xcicc", "-O1"], "O3": ["-lineinfo"]}


def nvcc_command(nvcc, level, sources, program):
    """One program, bare and checked: `cusafe run` decides. Only PTX, since assembling takes longer than the test."""
    linked = ["-rdc=true"] if len(sources) > 1 else []
    return [nvcc, "-w", "-g", "-cudart", "shared", "-std=c++17", "--extended-lambda", "--expt-relaxed-constexpr", "-arch=compute_90", *linked,
            *NVCC_FLAGS[level], *sources, "-o", program]


def nvcc_start(cusafe, program, bare):
    """A bare program runs with no library of CuSafe but the CPU device."""
    libraries = Path(cusafe).resolve().parents[1] / "lib" / "cusafe" / "cpu"
    return ["env", "LD_LIBRARY_PATH=%s:%s/libraries" % (libraries, libraries), program] if bare else [cusafe, "run", "--device=cpu", program]


# Reports.


class Finding:
    """kind is the machine name, None if the title is unknown; location is "file:line" without folders, or ""."""

    def __init__(self, title, kind, location):
        self.title, self.kind, self.location = title, kind, location

    def __str__(self):
        return "%s at %s" % (self.kind or self.title, self.location or "no known line")


def kind_of(title):
    """The machine name; None if the title is unknown. One title may begin with another."""
    titles = [*kinds().items(), ("use-after-poison", "access to pool memory")]
    known = [(len(t), name) for name, t in titles if title.startswith(t)]
    return max(known)[1] if known else None


def findings(text, source):
    """Every finding of a report, each with its text. Its location is that of location_of."""
    parts = ERROR.split(text)
    for title, body in zip(parts[1::2], parts[2::2]):
        yield Finding(title, kind_of(title), location_of(body, source)), body


def first_finding(text, source):
    """The first finding of a report, or None."""
    return next((finding for finding, _ in findings(text, source)), None)


def location_of(body, source):
    """The innermost frame in source, the program's own file: an atomic is in a header, a host call in a library, and a launch
    in a stub that the compiler emits. Without such a frame it is the location in the summary."""
    access = body.split("\n\n", 1)[0]
    for function, file, line in FRAME.findall(access):
        file = file.rsplit("/", 1)[-1]
        if file == source and "__device_stub__" not in function:
            return "%s:%s" % (file, line)
    match = SUMMARY.search(body)
    return "%s:%s" % (match.group(1).rsplit("/", 1)[-1], match.group(2)) if match else ""
