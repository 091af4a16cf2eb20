"""The rest of the bill: compile time, first launch, allocation and free, launches a second; checked against bare."""
import json
import os
import resource
import time
from pathlib import Path

from programs import BARE, HERE, SOURCES, Builder, Held, geomean, kernels_of, run

WAYS = {"bare": BARE, "checked": ""}
COSTS = HERE / "bill/costs.cu"
BUFFERS = 100000


def in_turn(rounds, ways, measure):
    """The best of several tuples of measure(way), element by element: the least, or the largest of rates (negative)."""
    best = {}
    for _ in range(rounds):
        for way in ways:
            got = measure(way)
            best[way] = tuple(map(min, best.get(way, got), got))
    return best


def now(options):
    """Seconds, of the clock or of the programs that have been run."""
    if options.clock == "wall":
        return time.monotonic()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def compile_time(options, builder, sources):
    def one(source, device):
        def measure(way):
            out = Path(options.work) / "compiled"
            start = now(options)
            run([builder.cusafe, "cc", *device, "-O2", *WAYS[way].split(), source, "-o", out])
            return (now(options) - start,)
        return {way: best[0] for way, best in in_turn(options.rounds or 3, WAYS, measure).items()}

    devices = {"cpu": ["--device=cpu"], "gpu (sm_90)": ["--device=gpu", "--arch=sm_90", "-c"]}
    rows = {}
    for name, device in devices.items():
        times = [one(s, device) for s in sources]
        rows[name] = {w: sum(t[w] for t in times) for w in WAYS}
        rows[name]["ratio"] = geomean([t["checked"] / t["bare"] for t in times])
        print("compiling %d files for the %s: bare %.1f s, checked %.1f s, mean ratio %.2f"
              % (len(sources), name, rows[name]["bare"], rows[name]["checked"], rows[name]["ratio"]), flush=True)
    return rows


def first_launch(options, programs):
    """Milliseconds of the first launch, which loads the module: compiled by the engine, or found on disk."""
    rows = {}
    for name, env in (("compiled", {"CUDA_CACHE_DISABLE": "1"}), ("cached", {})):
        times = []
        for source, each in programs.items():
            kernel = next(iter(kernels_of(source)))

            def measure(way):
                held = Held([each[way], kernel, "--quick"], env)
                held.close()
                return (held.first,)
            times.append({w: b[0] for w, b in in_turn(options.rounds or 3, WAYS, measure).items()})
        rows[name] = {w: sum(t[w] for t in times) / len(times) for w in WAYS}
        rows[name]["ratio"] = geomean([t["checked"] / t["bare"] for t in times])
        print("first launch, module %s: bare %.0f ms, checked %.0f ms, mean ratio %.2f"
              % (name, rows[name]["bare"], rows[name]["checked"], rows[name]["ratio"]), flush=True)
    return rows


def allocation(options, costs):
    environment = dict(os.environ, CUSAFE_CPU_MEMORY=str(1 << 40))  # the buffers are not touched
    rows = {}
    for size in (256, 4096):
        def measure(way):
            return tuple(map(float, run([costs[way], "allocate", BUFFERS, size], env=environment).split()))
        best = in_turn(options.rounds or 3, WAYS, measure)
        each = {w: sum(t) * 1e3 / BUFFERS for w, t in best.items()}
        rows[size] = {**each, "ratio": each["checked"] / each["bare"]}
        print("allocation and free of %d buffers of %d bytes: bare %.2f us, checked %.2f us each, ratio %.2f"
              % (BUFFERS, size, each["bare"], each["checked"], rows[size]["ratio"]), flush=True)
    return rows


def launches(options, costs):
    def measure(way):
        return tuple(-float(x) for x in run([costs[way], "launch", 2000]).split())
    best = in_turn(options.rounds or 3, WAYS, measure)
    rows = {}
    for i, name in enumerate(("in a row", "each waited for")):
        rows[name] = {w: -b[i] for w, b in best.items()}
        rows[name]["ratio"] = rows[name]["bare"] / rows[name]["checked"]
        print("launches a second, %s: bare %.0f, checked %.0f, ratio %.2f"
              % (name, rows[name]["bare"], rows[name]["checked"], rows[name]["ratio"]), flush=True)
    return rows


def measure(options):
    builder = Builder(options.cusafe, options.work)
    sources = [s for s in SOURCES if not options.only or s.stem in options.only]
    costs = builder.programs(WAYS, [COSTS])[COSTS]
    figures = {"allocation": allocation(options, costs), "launches": launches(options, costs),
               "first launch": first_launch(options, builder.programs(WAYS, sources)),
               "compile": compile_time(options, builder, sources)}
    if options.json:
        Path(options.json).write_text(json.dumps(figures, indent=1) + "\n")
    return 0
