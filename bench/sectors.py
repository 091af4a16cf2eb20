"""Counts, on the CPU device, the 32-byte sectors of data and metadata that warps touch, and the checks that are executed."""
import json
from pathlib import Path

from programs import HERE, Builder, Held, fail

FLAGS = "-DBENCH_COUNT -I%s -I%s" % (HERE.parent, HERE.parent / "include")
FIELDS = ["accesses", "checks", "warp_accesses", "data", "warp_words", "metadata", "cut"]


def mean(values):
    return sum(values) / len(values)


def count(options, kernels):
    """One launch of each kernel at its small size, which has the access pattern of the large one."""
    programs = Builder(options.cusafe, options.work).programs({"count": FLAGS}, {s: 0 for s, _ in kernels})
    print("%-10s %-14s%12s%10s%9s%14s%14s%14s" % ("file", "kernel", "accesses", "checks", "part", "warp accesses",
                                                   "data sectors", "meta sectors") + "  data/access  meta/access")
    rows = []
    for source, kernel in kernels:
        program = Held([programs[source]["count"], kernel, "--quick", "--count"])
        row = {"file": source.stem, "kernel": kernel, **dict(zip(FIELDS, map(int, program.ask("count").split())))}
        program.close()
        if not row["accesses"] or not row["warp_accesses"]:
            fail("%s has no accesses to count" % kernel)
        row["part"] = row["checks"] / row["accesses"]
        row["per_access"] = row["metadata"] / row["warp_accesses"]
        rows.append(row)
        print("%-10s %-14s%12d%10d%8.1f%%%14d%14d%14d%13.2f%13.3f%s" % (
            source.stem, kernel, row["accesses"], row["checks"], 100 * row["part"], row["warp_accesses"], row["data"],
            row["metadata"], row["data"] / row["warp_accesses"], row["per_access"], "  (first part)" if row["cut"] else ""),
            flush=True)
    summary = {"part": mean([r["part"] for r in rows]), "per_access": mean([r["per_access"] for r in rows]),
               "kernels": len(rows)}
    if options.json:
        Path(options.json).write_text(json.dumps({"kernels": rows, "summary": summary}, indent=1) + "\n")
    print("sectors: %.3f metadata sectors per warp access, %.1f %% of accesses checked, means over %d kernels"
          % (summary["per_access"], 100 * summary["part"], summary["kernels"]))
    return 1 if options.at_most is not None and summary["per_access"] > options.at_most else 0
