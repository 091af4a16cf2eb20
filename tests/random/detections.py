"""detections.py: runs random kernels with a detector of --detect, and compares its findings with the oracle's."""

import json
import re
import shutil
from collections import Counter, defaultdict
from pathlib import Path

import runner

NAME = re.compile(r"\bk(\d+)(?:_\d+)?<([01])>")  # the number of a kernel, and its order
HEADER = """#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
extern __shared__ __align__(16) unsigned char dynamic[];
static void *allocate(size_t size) {
  void *memory = nullptr;
  cudaMalloc(&memory, size);
  return memory;
}
template <typename T> static void clear(T &variable, size_t size, int value) {
  void *memory = nullptr;
  cudaGetSymbolAddress(&memory, variable);
  cudaMemset(memory, value, size);
}
// What the oracle of barriers calls mixed(), for each index.
static int *numbers() {
  static int *there, values[4096];
  for (unsigned long long i = 0; i < 4096 && !there; i++)
    values[i] = (int)((i * 2654435761 >> 7) % 97);
  if (!there) {
    there = (int *)allocate(sizeof values);
    cudaMemcpy(there, values, sizeof values, cudaMemcpyHostToDevice);
  }
  return there;
}
// Writes by the host: a fill, a copy from its memory, and one from another buffer.
static void fill_by_memset(char *at, int value, size_t size) {
  cudaMemset(at, value, size);
}
static void fill_by_memcpy(char *at, int value, size_t size) {
  static char values[1 << 16];
  memset(values, value, size);
  cudaMemcpy(at, values, size, cudaMemcpyHostToDevice);
}
static void fill_by_copy(char *at, int value, size_t size) {
  void *from = allocate(size + 1);
  cudaMemset(from, value, size);
  cudaMemcpy(at, from, size, cudaMemcpyDeviceToDevice);
}
static void finished(int kernel, int flip) {
  cudaError_t launched = cudaGetLastError(), error = launched ? launched : cudaDeviceSynchronize();
  printf("kernel %d %d: %s\\n", kernel, flip, cudaGetErrorString(error));
  fflush(stdout);
}
"""


def frame(stack, source):
    """The line of the innermost frame in the program's own file; 0: none."""
    return next((f["line"] for f in stack if f.get("file", "").rsplit("/", 1)[-1] == source), 0)


def short(finding, source):
    """What a kernel's judge needs of a finding."""
    other, name = finding.get("other", {}), finding.get("kernel", "")
    return {
        "kind": finding["kind"],
        "line": frame(finding.get("stack", []), source),
        "access": finding.get("access", ""),
        "block": tuple(finding.get("block", ())),
        "thread": tuple(finding.get("thread", ())),
        "kernel": name,
        "other_line": frame(other.get("stack", []), source),
        "other_access": other.get("access", ""),
        "other_block": tuple(other.get("block", ())),
        "other_thread": tuple(other.get("thread", ())),
        "text": finding.get("message", ""),
    }


class Batch:
    """Some kernels in one program. Each is launched in both orders of threads and blocks."""

    def __init__(self, family, given, folder, numbers):
        self.given, self.family, self.name = given, family, "%s%d" % (given.kernels, numbers[0])
        self.folder = Path(folder) / self.name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.source, self.numbers = self.folder / (self.name + ".cu"), numbers

    def write(self):
        lines, host = HEADER.splitlines(), []
        self.kernels = [self.family.Kernel(self.given.seed, n) for n in self.numbers]
        for k in self.kernels:
            source = k.source()
            k.first = len(lines) + k.before
            k.range = (len(lines) + 1, len(lines) + len(source))
            lines += source
            host += ["{"] + ["  " + line for line in k.host()] + ["}"]
        self.source.write_text("\n".join(lines + ["int main() {"] + ["  " + line for line in host] + ["}", ""]))

    def build(self, opt):
        binary = self.folder / ("program-" + opt)
        done = runner.run(
            [self.given.cusafe, "cc", "-" + opt, "--detect=" + self.family.DETECT, self.source, "-o", binary]
        )
        return (None, "does not build: " + done.err[-3000:]) if done.code else (binary, "")

    def option(self, level):
        return ":%s=%s" % (self.family.OPTION, level) if level else ""

    def run(self, binary, level):
        """The findings of each kernel in each order, and what else went wrong."""
        report, wrong = self.folder / "findings.json", []
        report.unlink(missing_ok=True)
        options = "color=never:on_error=contain:symbolize=0:print_limit=1:json=%s%s" % (report, self.option(level))
        environment = {"CUSAFE_OPTIONS": options, "CUDA_CACHE_PATH": str(self.folder / "cache")}
        if not self.given.optimize:
            environment["CUSAFE_CPU_OPTIMIZE"] = "0"
        done = runner.run([self.given.cusafe, "run", binary], timeout=1800, env=environment)
        if done.code not in (0, runner.error_status()):
            wrong.append("the program %s: %s" % (done.ending(), done.err[-800:]))
        found = defaultdict(list)
        for line in report.read_text().splitlines() if report.exists() else []:
            f = json.loads(line)
            if f.get("type") == "finding":
                f = short(f, self.source.name)
                found[NAME.search(f["kernel"]).groups()].append(f)
        ended = set(done.out.splitlines())
        return found, wrong, ended

    def try_all(self):
        """Failures, as text; and how many verdicts were right."""
        failures, right = [], Counter()
        self.write()
        for opt in self.given.opt:
            binary, why = self.build(opt)
            if not binary:
                failures.append("%s -%s: %s" % (self.name, opt, why))
                continue
            for level in self.family.LEVELS:
                found, wrong, ended = self.run(binary, level)
                failures += ["%s -%s: %s" % (self.name, opt, w) for w in wrong]
                for k in self.kernels:
                    for flip in (0, 1):
                        wrong, verdict = k.judge(found.pop((str(k.number), str(flip)), []), level, flip, opt == "O0")
                        wrong += [e for e in [k.ending(flip, ended)] if e]
                        right[verdict] += not wrong
                        failures += [
                            "kernel %d, seed %s, -%s%s, %s: %s (%s:%d)"
                            % (
                                k.number,
                                self.given.seed,
                                opt,
                                self.option(level),
                                ("forward", "reversed")[flip],
                                w,
                                self.source,
                                k.range[0],
                            )
                            for w in wrong
                        ]
                failures += ["%s -%s: findings of %s: %s" % (self.name, opt, name, fs) for name, fs in found.items()]
            shutil.rmtree(self.folder / "cache", ignore_errors=True)
            if not self.given.work:
                binary.unlink()
        return failures, right
