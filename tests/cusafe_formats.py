"""Two lit test formats: whole programs, and pairs of a bad and a good program.

A test is a source and an optimisation level, named source/level. Comments in the source specify what is expected:

  // PRINTS: text        standard output contains these lines, in this order
  // STDERR: regex       standard error matches; without it, standard error must be empty
  // EXPECT: kind access bad programs: the report's kind (report/kinds.inc) and, for an access, "write of 4 bytes"
  // EXPECT-TEXT: regex  bad programs: the first report matches
  // NVCC-EXPECT..:      as these, for programs that nvcc builds, where it divides an access in other ways

In a regex {line:MARK} is the line of the source with the comment "// MARK". A bad program marks the line of the error
with BUG, which the innermost frame in the program's own file must name. If the report must name them, it also marks
ALLOCATED and FREED (host) and CALLED (the inlining chain).

With the parameter nvcc=PATH, nvcc builds the programs with the shared runtime, and `cusafe run --device=cpu` runs them."""

import os
import re
import shutil
import sys

import lit.formats
import lit.Test

sys.path.insert(0, os.path.dirname(__file__))
import runner

LEVELS = ("O0", "O2", "O3")
TIMEOUT = 600  # seconds for one command; the engine takes two minutes to compile a cub scan on an idle core


class Failure(Exception):
    pass


def run(command, config, cwd):
    """Like runner.run, but in the environment of lit's configuration instead of the shell's."""
    outcome = runner.run(command, timeout=TIMEOUT, cwd=cwd, replace=config.environment)
    require(outcome.code is not None, f"timeout after {TIMEOUT} seconds", outcome)
    return outcome


def require(condition, problem, *outcomes):
    if not condition:
        raise Failure("\n".join([problem, *map(str, outcomes)]))


class Source:
    """A program (a .cu file, or a folder of them) and the expectations in its comments."""

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
    """Finds the tests; subclasses implement check(), which runs one."""

    def getTestsInDirectory(self, testSuite, path_in_suite, litConfig, localConfig):
        folder = testSuite.getSourcePath(path_in_suite)
        if os.path.exists(os.path.join(folder, "main.cu")):
            return  # this folder is one program, which its parent folder lists
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
        self.nvcc = litConfig.params.get("nvcc")
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
        if self.nvcc:
            built = run(runner.nvcc_command(self.nvcc, level, source.files, program), config, work)
            require(built.code == 0, "nvcc does not compile the program", built)
            return program
        command = [config.cusafe, "cc", "--device=cpu", f"-{level}", *flags, *source.files, "-o", program]
        built = run(command, config, work)
        require(built.code == 0 and os.path.exists(program), "the program does not compile", built)
        require(not built.err, "the compiler prints warnings", built)
        return program

    def start(self, program, config, work):
        """A bare program runs directly, with no library of CuSafe but the CPU device."""
        bare = os.path.basename(program) == "bare"
        if self.nvcc:
            return run(runner.nvcc_start(config.cusafe, program, bare), config, work)
        return run([program] if bare else [config.cusafe, "run", program], config, work)

    def check_good(self, source, level, config, work):
        """The program's own verdict is PASS, it is silent, and checked and bare output are identical."""
        checked = self.start(self.compile(source, level, config, work), config, work)
        self.check_output(source, "checked", checked)
        if self.with_bare:
            bare = self.start(self.compile(source, level, config, work, "--bare"), config, work)
            self.check_output(source, "bare", bare)
            require(bare.out == checked.out, "bare and checked results differ", bare, checked)

    def check_output(self, source, kind, outcome):
        require(outcome.code == 0 and outcome.out.endswith("PASS\n"), f"the {kind} program fails", outcome)
        patterns = source.directives("STDERR")
        require(patterns or not outcome.err, f"the {kind} program is not silent", outcome)
        for pattern in map(source.regex, patterns):
            require(re.search(pattern, outcome.err), f"standard error of the {kind} program lacks {pattern}", outcome)
        rest = iter(outcome.out.splitlines())
        for line in source.directives("PRINTS"):
            require(line in rest, f"the {kind} program does not print, or not in this order: {line}", outcome)


class Programs(Cusafe):
    check = Cusafe.check_good


class Pairs(Cusafe):
    def check(self, source, level, config, work):
        if os.path.basename(source.main).startswith("good_"):
            return self.check_good(source, level, config, work)
        return self.check_bad(source, level, config, work)

    def check_bad(self, source, level, config, work):
        outcome = self.start(self.compile(source, level, config, work), config, work)
        require("PASS" not in outcome.out, "the program ran to completion", outcome)
        require(source.marked("BUG"), "no line of this test is marked BUG")
        self.check_report(source, outcome, config)

    def check_report(self, source, outcome, config):
        require(outcome.code == runner.error_status(), f"the exit code is not {runner.error_status()}", outcome)
        reports = outcome.err.split("ERROR: CuSafe: ")
        require(len(reports) > 1, "there is no report", outcome)
        expected = "NVCC-EXPECT" if self.nvcc and source.directives("NVCC-EXPECT") else "EXPECT"
        kind, _, access = source.directives(expected)[0].partition(" ")
        title = re.escape(runner.kinds()[kind]) + (rf" \({access}\)" if access else "")
        require(re.match(title, reports[1]), f"the report's title does not match: {title}", outcome)
        for pattern in map(source.regex, source.directives(expected + "-TEXT")):
            require(re.search(pattern, reports[1]), f"the report lacks {pattern}", outcome)
        self.check_lines(source, reports[1], outcome)

    def check_lines(self, source, text, outcome):
        name = os.path.basename(source.main)
        found = runner.location_of(text, name)
        require(found in [f"{name}:{line}" for line in source.marked("BUG")], f"the report locates the bug at {found}", outcome)
        stack = r"(?:    +.*\n)*?    +.*"
        stacks = {"CALLED": rf"\A.*\n{stack}", "ALLOCATED": rf"allocated by .*\n{stack}", "FREED": rf"freed .*\n{stack}"}
        for mark, pattern in stacks.items():
            for line in source.marked(mark):
                found = re.search(rf"{pattern}\b{re.escape(name)}:{line}\b", text)
                require(found, f"the report lacks line {line} ({mark})", outcome)
