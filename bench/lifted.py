"""Compares checked kernels that nvcc compiled and the lifter translated with those that clang compiled from the same source; measures how long
a module of PTX takes to load."""
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from programs import HERE, Builder, chosen, geomean, race, run

CLANG = HERE.parent / "tests/lift/clang++"
LOAD = HERE / "bill/load.cpp"
SMALL = HERE / "bill/small.ptx"


def programs_of(builder, sources):
    """{source: {"clang": program, "lifted": program}}, two at a time."""
    ways = {"clang": None, "lifted": {**os.environ, "CUSAFE_CLANG": str(CLANG)}}
    with ThreadPoolExecutor(2) as pool:
        jobs = {s: {w: pool.submit(builder.program, s, "checked" if w == "clang" else w, "", e) for w, e in ways.items()} for s in sources}
        return {s: {w: job.result() for w, job in each.items()} for s, each in jobs.items()}


MAX_MS = {"first": 1000, "cached": 30}  # in CPU time


def load(options):
    """Milliseconds from loading the PTX of a small kernel to the end of its first launch: lifted, and from the cache."""
    builder = Builder(options.cusafe, options.work)
    program = builder.make("load", LOAD, ["--device=cpu", "-O2", "-lcuda"])
    cache = Path(options.work) / "load.cache"
    times = {}
    for name, env in (("first", {"CUDA_CACHE_DISABLE": "1"}), ("cached", {"CUDA_CACHE_PATH": str(cache)})):
        environment = {**os.environ, **env}
        runs = [float(run([program, SMALL], env=environment)) for _ in range(1 + (options.rounds or 5))]
        times[name] = min(runs[1:])  # the run before fills the cache
    print("loading the PTX of a small kernel: %.0f ms, from the cache %.1f ms" % (times["first"], times["cached"]))
    if options.json:
        Path(options.json).write_text(json.dumps(times, indent=1) + "\n")
    return 1 if options.clock == "cpu" and any(times[name] > limit for name, limit in MAX_MS.items()) else 0


def compare(options):
    builder = Builder(options.cusafe, options.work)
    kernels = chosen(options.only)
    programs = programs_of(builder, {s: 0 for s, _ in kernels})
    extra = ["--quick"] if options.quick else []
    min_rounds = options.rounds or (3 if options.quick else 5)
    rows = []
    print("%-10s %-14s%11s%11s%8s" % ("file", "kernel", "clang ms", "lifted ms", "ratio"))
    for source, kernel in kernels:
        best, _ = race({w: [p, kernel, *extra] for w, p in programs[source].items()}, min_rounds, 4 * min_rounds)
        rows.append({"file": source.stem, "kernel": kernel, "ms": best, "ratio": best["lifted"] / best["clang"]})
        print("%-10s %-14s%11.2f%11.2f%8.3f" % (source.stem, kernel, best["clang"], best["lifted"], rows[-1]["ratio"]), flush=True)
    mean = geomean([r["ratio"] for r in rows])
    if options.json:
        Path(options.json).write_text(json.dumps({"quick": options.quick, "lifted": rows, "geomean": mean}, indent=1) + "\n")
    print("lifted: geomean %.3f max %.3f over %d kernels" % (mean, max(r["ratio"] for r in rows), len(rows)))
    return 1 if options.at_most is not None and mean > options.at_most else 0
