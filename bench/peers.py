"""The cost of other checkers on the same kernels: Oclgrind on the OpenCL twins, AddressSanitizer and Valgrind on loops in C."""
import json
import shutil
from pathlib import Path

from programs import Builder, engine_environment, fail, geomean, kernels_of, race, source_of

PEERS = ["gemm", "jacobi2d", "spmv"]
# Oclgrind is an interpreter: at the sizes of the others, a launch takes minutes.
OCLGRIND_SIZES = {"gemm": 96, "jacobi2d": 96, "spmv": 10000}


def commands_of(builder, name):
    """{peer: ({way: command}, environment)}; the first way has no checker."""
    twin, plain, asan = (builder.host_program(p) for p in ("bench-twins", "bench-peers", "bench-peers-asan"))
    source = source_of(name)
    size = [name, "--size", str(kernels_of(source)[name][0])]
    small = [name, "--size", str(OCLGRIND_SIZES[name])]
    for tool in ("oclgrind", "valgrind"):
        if not shutil.which(tool):
            fail("%s not found: packaging/install-deps --bench installs it" % tool)
    cuda = builder.programs({"bare": "--bare", "checked": ""}, [source])[source]
    return {
        "cusafe": ({"bare": [cuda["bare"], *size], "checked": [cuda["checked"], *size]}, None),
        "asan": ({"bare": [plain, *size], "checked": [asan, *size]}, {"ASAN_OPTIONS": "detect_leaks=0"}),
        "valgrind": ({"bare": [plain, *size], "checked": ["valgrind", "-q", "--tool=memcheck", plain, *size]}, None),
        "oclgrind": ({"bare": [twin, *small], "checked": ["oclgrind", twin, *small]}, engine_environment()),
    }


def compare(options):
    builder = Builder(options.cusafe, options.work)
    names = [p for p in PEERS if not options.only or p in options.only]
    if not names:
        fail("only these kernels have peers: %s" % ", ".join(PEERS))
    rows = []
    print("%-10s %-10s%12s%12s%10s" % ("kernel", "checker", "without ms", "with ms", "ratio"))
    for name in names:
        for peer, (commands, env) in commands_of(builder, name).items():
            best, _ = race(commands, options.rounds or 2, options.rounds or 4, env=env)
            rows.append({"kernel": name, "peer": peer, "ms": best, "ratio": best["checked"] / best["bare"]})
            print("%-10s %-10s%12.2f%12.2f%10.2f" % (name, peer, best["bare"], best["checked"], rows[-1]["ratio"]), flush=True)
    means = {p: geomean([r["ratio"] for r in rows if r["peer"] == p]) for p in dict.fromkeys(r["peer"] for r in rows)}
    if options.json:
        Path(options.json).write_text(json.dumps({"peers": rows, "geomean": means}, indent=1) + "\n")
    print("peers: " + ", ".join("%s %.2f" % item for item in means.items()))
    return 0
