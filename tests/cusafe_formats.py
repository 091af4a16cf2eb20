"""The two lit formats of our own: whole programs, and pairs of a bad and a good program.

A test is a source and an optimisation level, named source/level. What is expected stands in the source as comments:

  // PRINTS: text        these lines are on standard output, in this order
  // STDERR: regex       standard error matches; without it, standard error must be empty
  // EXPECT: kind access bad programs: the report's kind (report/kinds.inc) and, for an access, "write of 4 bytes"
  // EXPECT-TEXT: regex  bad programs: the first report matches

In a regex {line:MARK} is the line of the source with the comment "// MARK". A bad program marks the line of the
error with BUG, which the innermost frame in the program's own file must name, and, where the report must name them, ALLOCATED and FREED (host) and CALLED (the inlining chain)."""

import os
import re
import shutil
import sys

import lit.formats
import lit.Test

sys.path.insert(0, os.path.dirname(__file__))
import runner

LEVELS = ("O0", "O2", "O3")
TIMEOUT = 600  # seconds for one command; the engine takes a scan of cub's two minutes on a quiet core


class Failure(Exception):
    pass


def run(command, config, cwd):
    """As runner.run, in the environment of lit's configuration and not in that of the shell."""
    outcome = runner.run(command, timeout=TIMEOUT, cwd=cwd, replace=config.environment)
    want(outcome.code is not None, f"no end after {TIMEOUT} seconds", outcome)
    return outcome


def want(condition, problem, *outcomes):
    if not condition:
        raise Failure("\n".join([problem, *map(str, outcomes)]))


class Source:
    """A program (a .cu file, or a folder of them) and what its comments expect."""

    def __init__(self, path):
        folder = os.path.isdir(path)
        names = sorted(n for n in os.listdir(path) if n.endswith(".cu")) if folder else []
        self.files = [os.path.join(path, n) for n in names] or [path]
        self.main = os.path.join(path, "main.cu") if folder else path
        with open(self.main, encoding="utf-8") as f:
            self.lines = f.read().splitlines()

    def directives(self, name):
        found = (re.match(rf"// {name}: (.*)", line) for line in self.lines)
        return [m.group(1) for m in found if m]

    def marked(self, mark):
        return [i for i, line in enumerate(self.lines, 1) if re.search(rf"// {mark}$", line)]

    def regex(self, text):
        return re.sub(r"\{line:(\w+)\}", lambda m: str(self.marked(m.group(1))[0]), text)


class Cusafe(lit.formats.base.FileBasedTest):
    """Finds the tests; what one of them does is in check()."""

    def getTestsInDirectory(self, testSuite, path_in_suite, litConfig, localConfig):
        folder = testSuite.getSourcePath(path_in_suite)
        if os.path.exists(os.path.join(folder, "main.cu")):
            return  # the folder is a program, found from above
        level = litConfig.params.get("level")
        for name in sorted(os.listdir(folder)):
            program = os.path.isdir(os.path.join(folder, name)) or name.endswith(".cu")
            for each in (level,) if level else LEVELS:
                if program and not name.startswith("."):
                    yield lit.Test.Test(testSuite, (*path_in_suite, name, each), localConfig)

    def execute(self, test, litConfig):
        *folder, name, level = test.path_in_suite
        work = test.getExecPath() + ".tmp"
        self.with_bare = "without-bare" not in litConfig.params
        shutil.rmtree(work, ignore_errors=True)
        os.makedirs(work)
        try:
            self.check(Source(test.suite.getSourcePath((*folder, name))), level, test.config, work)
        except Failure as problem:
            return lit.Test.FAIL, str(problem)
        shutil.rmtree(work)
        return lit.Test.PASS, ""

    def compile(self, source, level, config, work, *flags):
        program = os.path.join(work, "bare" if "--bare" in flags else "checked")
        command = [config.cusafe, "cc", "--device=cpu", f"-{level}", *flags, *source.files, "-o", program]
        built = run(command, config, work)
        want(built.code == 0 and os.path.exists(program), "it does not compile", built)
        want(not built.err, "the compiler prints something", built)
        return program

    def start(self, program, config, work):
        """Bare programs run as they are: no library of ours but the CUDA device itself."""
        bare = os.path.basename(program) == "bare"
        return run([program] if bare else [config.cusafe, "run", program], config, work)

    def check_good(self, source, level, config, work):
        """Right by its own computation, silent, and the same bits with checks and without."""
        checked = self.start(self.compile(source, level, config, work), config, work)
        self.check_output(source, "checked", checked)
        if self.with_bare:
            bare = self.start(self.compile(source, level, config, work, "--bare"), config, work)
            self.check_output(source, "bare", bare)
            want(bare.out == checked.out, "bare and checked results differ", bare, checked)

    def check_output(self, source, kind, outcome):
        want(outcome.code == 0 and outcome.out.endswith("PASS\n"), f"the {kind} program fails", outcome)
        patterns = source.directives("STDERR")
        want(patterns or not outcome.err, f"the {kind} program is not silent", outcome)
        for pattern in map(source.regex, patterns):
            want(re.search(pattern, outcome.err), f"standard error of the {kind} program lacks {pattern}", outcome)
        rest = iter(outcome.out.splitlines())
        for line in source.directives("PRINTS"):
            want(line in rest, f"the {kind} program does not print, or not in this order: {line}", outcome)


class Programs(Cusafe):
    check = Cusafe.check_good


class Pairs(Cusafe):
    def check(self, source, level, config, work):
        if os.path.basename(source.main).startswith("good_"):
            return self.check_good(source, level, config, work)
        return self.check_bad(source, level, config, work)

    def check_bad(self, source, level, config, work):
        outcome = self.start(self.compile(source, level, config, work), config, work)
        want("PASS" not in outcome.out, "the program went on to its end", outcome)
        want(source.marked("BUG"), "no line of this test is marked as the BUG")
        self.check_report(source, outcome, config)

    def check_report(self, source, outcome, config):
        want(outcome.code == runner.error_status(), f"the exit code is not {runner.error_status()}", outcome)
        reports = outcome.err.split("ERROR: CuSafe: ")
        want(len(reports) > 1, "there is no report", outcome)
        kind, _, access = source.directives("EXPECT")[0].partition(" ")
        title = re.escape(runner.kinds()[kind]) + (rf" \({access}\)" if access else "")
        want(re.match(title, reports[1]), f"the report is not about: {title}", outcome)
        for pattern in map(source.regex, source.directives("EXPECT-TEXT")):
            want(re.search(pattern, reports[1]), f"the report lacks {pattern}", outcome)
        self.check_lines(source, reports[1], outcome)

    def check_lines(self, source, text, outcome):
        name = os.path.basename(source.main)
        found = runner.location_of(text, name)
        want(found in [f"{name}:{line}" for line in source.marked("BUG")], f"the report locates the bug at {found}", outcome)
        stack = r"(?:    +.*\n)*?    +.*"
        stacks = {"CALLED": rf"\A.*\n{stack}", "ALLOCATED": rf"allocated by .*\n{stack}", "FREED": rf"freed .*\n{stack}"}
        for mark, pattern in stacks.items():
            for line in source.marked(mark):
                found = re.search(rf"{pattern}\b{re.escape(name)}:{line}\b", text)
                want(found, f"the report lacks line {line} ({mark})", outcome)
