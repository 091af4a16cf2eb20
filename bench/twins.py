"""Compares six bare kernels on the CPU device with hand-written OpenCL C on the same engine: is the baseline fast?"""
import json
from pathlib import Path

from programs import BARE, Builder, engine_environment, fail, geomean, kernels_of, race, source_of

TWINS = ["gemm", "atax", "jacobi2d", "spmv", "gemm_tiled", "reduction"]


def compare(options):
    builder = Builder(options.cusafe, options.work)
    twin = builder.host_program("bench-twins")
    names = [t for t in TWINS if not options.only or t in options.only]
    if not names:
        fail("only these kernels have twins: %s" % ", ".join(TWINS))
    sources = {t: source_of(t) for t in names}
    programs = builder.programs({"bare": BARE}, {s: 0 for s in sources.values()})
    min_rounds = options.rounds or (3 if options.quick else 5)
    rows = []
    print("%-14s%11s%11s%8s" % ("kernel", "OpenCL ms", "bare ms", "ratio"))
    for name, source in sources.items():
        size = str(kernels_of(source)[name][0 if options.quick else 1])
        commands = {"twin": [twin, name, "--size", size], "bare": [programs[source]["bare"], name, "--size", size]}
        best, _ = race(commands, min_rounds, 4 * min_rounds, env=engine_environment())
        rows.append({"kernel": name, "size": int(size), "ms": best, "ratio": best["bare"] / best["twin"]})
        print("%-14s%11.2f%11.2f%8.3f" % (name, best["twin"], best["bare"], rows[-1]["ratio"]), flush=True)
    mean = geomean([r["ratio"] for r in rows])
    if options.json:
        Path(options.json).write_text(json.dumps({"quick": options.quick, "twins": rows, "geomean": mean}, indent=1) + "\n")
    print("twins: geomean %.3f max %.3f over %d kernels" % (mean, max(r["ratio"] for r in rows), len(rows)))
    return 1 if options.at_most is not None and mean > options.at_most else 0
