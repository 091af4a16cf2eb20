"""Costs outside kernels: compile time, first launch, allocation and free, launches; checked against bare."""
import json
import resource
import time
from pathlib import Path

from programs import BARE, HERE, SOURCES, Builder, Held, geomean, kernels_of, run

WAYS = {"bare": BARE, "checked": ""}
COSTS = HERE / "bill/costs.cu"
MIN_ROUNDS = 7  # of measurements that take milliseconds


def in_turn(rounds, ways, measure):
    """The element-wise minimum of several tuples of measure(way)."""
    best = {}
    for _ in range(rounds):
        for way in ways:
            got = measure(way)
            best[way] = tuple(map(min, best.get(way, got), got))
    return best


def now(options):
    """Seconds: wall-clock time, or the CPU time of finished children."""
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
    """Milliseconds of the first launch, which loads the module: compiled by the engine, or from its cache."""
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


SIZES = {256: 100000, 4096: 100000, 1 << 16: 10000, 1 << 20: 10000}  # bytes: buffers


def bytes_text(size):
    return "%d MiB" % (size >> 20) if size >= 1 << 20 else "%d KiB" % (size >> 10) if size >= 1 << 16 else "%d bytes" % size


def row(bare, checked):
    return {"bare": bare, "checked": checked, "ratio": checked / bare}


def show(what, unit, values):
    print("%s: bare %.2f %s, checked %.2f %s, ratio %.2f"
          % (what, values["bare"], unit, values["checked"], unit, values["ratio"]), flush=True)


def allocation(options, costs):
    """Microseconds to allocate and free a buffer: all allocated, then all freed; or each freed immediately."""
    environment = {"CUSAFE_CPU_MEMORY": str(1 << 40)}  # the buffers are not touched
    rows = {}
    for size, count in SIZES.items():
        def measure(way):
            return tuple(map(float, run([costs[way], "allocate", count, size], env=environment).split()))
        best = in_turn(max(options.rounds or 0, MIN_ROUNDS), WAYS, measure)
        each = {w: [x * 1e3 / count for x in t] for w, t in best.items()}
        rows[size] = {"together": row(*(each[w][0] + each[w][1] for w in WAYS)), "in turn": row(*(each[w][2] for w in WAYS))}
        for how, values in rows[size].items():
            show("allocation and free of %d buffers of %s, %s" % (count, bytes_text(size), how), "us each", values)
    return rows


def launches(options, costs):
    """Microseconds per launch. The module is loaded before; a later, one-time compilation or load has a separate row."""
    def measure(way):
        return tuple(map(float, run([costs[way], "launch", 2000]).split()))
    best = in_turn(max(options.rounds or 0, MIN_ROUNDS), WAYS, measure)
    names = ("the first 900, in a row", "the next 200 in total, including the load of code for a frequent kernel",
             "then, in a row", "then, synchronising after each")
    rows = {name: row(*(best[w][i] for w in WAYS)) for i, name in enumerate(names)}
    for name, values in rows.items():
        show("launches, %s" % name, "us", values)
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
