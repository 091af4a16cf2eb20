"""Compares bare programs under libcusafe, none of whose kernels have checks, with each value of the option canaries. A second process with
canaries=off, `again`, shows how far two equal processes differ."""
import json
from pathlib import Path

from programs import BARE, HERE, Builder, Held, chosen, close, fastest, geomean, run

MODES = {"off": "off", "again": "off", "free": "free", "launch": "launch"}
OTHERS = list(MODES)[1:]
REQUESTS = {"launch": "one launch", "whole": "allocation, data, one launch and free"}
COSTS = HERE / "bill/costs.cu"
SIZES, BUFFERS = (1000, 100000, 1000000), 300


def measure(options, builder, program, kernel, rounds):
    """{request: {mode: milliseconds}}"""
    extra = ["--quick"] if options.quick else []
    held = {m: Held([builder.cusafe, "run", "--canaries=" + value, program, kernel, *extra]) for m, value in MODES.items()}
    best = {request: fastest(held, request, rounds, 4 * rounds) for request in REQUESTS}
    close(held)
    return best


def ratios_of(best):
    return {m: best[m] / best["off"] for m in OTHERS}


def buffers(builder, rounds):
    """{bytes: {mode: microseconds}} of a buffer that serves one launch."""
    program = builder.make("costs.bare", COSTS, ["--device=cpu", "-O2", BARE])
    times = {size: {m: float("inf") for m in MODES} for size in SIZES}
    for _ in range(rounds):
        for size, best in times.items():
            for m, value in MODES.items():
                best[m] = min(best[m], float(run([builder.cusafe, "run", "--canaries=" + value, program, "use", BUFFERS, size])))
    print("%-25s" % "buffer, used by one launch" + "".join("%12s" % (m + " us") for m in MODES))
    for size, best in times.items():
        print("%-25s" % ("%d bytes" % size) + "".join("%12.2f" % best[m] for m in MODES), flush=True)
    return times


def compare(options):
    builder = Builder(options.cusafe, options.work)
    kernels = chosen(options.only)
    programs = builder.programs({"bare": BARE}, {s: 0 for s, _ in kernels})
    rounds = options.rounds or (3 if options.quick else 5)
    of_buffers = buffers(builder, rounds)
    rows = []
    print("%-10s %-14s" % ("file", "kernel") + "".join("%11s%8s%8s%8s" % (r + " ms", *OTHERS) for r in REQUESTS))
    for source, kernel in kernels:
        best = measure(options, builder, programs[source]["bare"], kernel, rounds)
        ratios = {r: ratios_of(best[r]) for r in REQUESTS}
        rows.append({"file": source.stem, "kernel": kernel, "ms": best, "ratio": ratios})
        print("%-10s %-14s" % (source.stem, kernel)
              + "".join("%11.2f%8.3f%8.3f%8.3f" % (best[r]["off"], *ratios[r].values()) for r in REQUESTS), flush=True)
    means = {r: {m: geomean([row["ratio"][r][m] for row in rows]) for m in OTHERS} for r in REQUESTS}
    if options.json:
        Path(options.json).write_text(json.dumps({"quick": options.quick, "clock": options.clock, "buffers": of_buffers,
                                                        "kernels": rows, "geomean": means}, indent=1) + "\n")
    for r, title in REQUESTS.items():
        print("canaries, %s: " % title + ", ".join(
            "%s geomean %.3f max %.3f" % (m, means[r][m], max(row["ratio"][r][m] for row in rows)) for m in OTHERS))
    return 1 if options.at_most is not None and max(m["free"] for m in means.values()) > options.at_most else 0
