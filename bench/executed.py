"""Counts the instructions that a GPU would execute: how often warps execute each basic block, times the block's length in GPU code.

The executions are counted on the CPU device, in a build that differs from the GPU's only by the counters (bench/executed.h,
pass/blocks.c). The back end repeats the numbers of the blocks in comments of the PTX. To find a block's SASS, every block of the PTX
gets a source line of its own; instructions that ptxas moves keep theirs. Loops are not unrolled by ptxas, which would add the
copies of a block to its length. What ptxas moves or copies out of a loop is executed when the loop is entered."""
import json
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import flow
import ptx
import sass
from programs import BARE, Builder, Held, fail, geomean, run

COUNTING = "-DBENCH_EXECUTED"
WAYS = {"bare": BARE, "checked": ""}
UNSAMPLED = "unsampled"  # the checked program again, of whose launches none is sampled
# One thread of the engine: where threads of a kernel race, as in bfs, the order of blocks decides what is executed.
ENVIRONMENT = {"CL_CONFIG_CPU_TBB_NUM_WORKERS": "1"}
NUMBERED = re.compile(r"cs\.(\d+)\.([0-9a-f]{8})")


class Counter:
    """Executions of one block, by warps and by threads; None: not known yet."""

    def __init__(self, warps=None, threads=None):
        self.warps, self.threads = warps, threads


def counters_of(line):
    """{function: (fingerprint, {number: Counter})} from the answer of a counting program."""
    found = {}
    for entry in filter(None, line.split(";")):
        name, first, fingerprint, *pairs = entry.split()
        values = (map(int, p.split("/")) for p in pairs)
        found[name] = (fingerprint, {int(first) + i: Counter(*v) for i, v in enumerate(values)})
    return found


class Flow:
    """The executions of a function's blocks by threads. As many threads leave a block as enter it: this yields most blocks that the
    back end has added, and shows a contradiction if the PTX is not the code that was counted."""

    def __init__(self, function, known):
        self.function, self.blocks = function, dict(known)  # {block: threads}
        self.edges = {}
        self.out = {b: [(b, n, i) for i, n in enumerate(b.next)] for b in function.blocks}
        self.into = {b: [] for b in function.blocks}
        for edges in self.out.values():
            for edge in edges:
                if edge[1] is not None:
                    self.into[edge[1]].append(edge)
        self.into[function.blocks[0]].append((None, function.blocks[0], 0))

    def balance(self, block, edges):
        """Derives the only unknown of a block and its edges on one side. Returns whether there was one."""
        unknown = [e for e in edges if e not in self.edges]
        sum_known = sum(self.edges[e] for e in edges if e in self.edges)
        if block not in self.blocks:
            if unknown:
                return False
            self.blocks[block] = sum_known
            return True
        rest = self.blocks[block] - sum_known
        if rest < 0 or (rest and not unknown):
            fail("%s: block %s of the PTX was executed %d times, but its neighbours %d times"
                 % (self.function.name, block.name or block.label, self.blocks[block], sum_known))
        if len(unknown) == 1 or (unknown and rest == 0):
            self.edges.update({e: rest for e in unknown})
            return True
        return False

    def solve(self):
        progress = True
        while progress:
            progress = False
            for block in self.function.blocks:
                for edges in (self.into[block], self.out[block]):
                    progress |= self.balance(block, edges)
        return self.blocks


def executions(function, fingerprint, counters):
    """{block: Counter}; threads is None where the flow does not yield them."""
    names = [NUMBERED.fullmatch(b.name or "") for b in function.blocks]
    numbers = [int(m.group(1)) if m else None for m in names]
    if any(m and m.group(2) != fingerprint for m in names):
        fail("%s: the CPU device runs other code than a GPU" % function.name)
    known = {b: counters[n] for b, n in zip(function.blocks, numbers) if n is not None and numbers.count(n) == 1}
    threads = Flow(function, {b: c.threads for b, c in known.items()}).solve()
    warps = {b: c.warps for b, c in known.items()}
    for block in function.blocks:  # added by the back end on an edge: no warp passes it more often than one of its ends
        if block not in warps:
            before = sum(known[b].warps for b in function.blocks if block in b.next and b in known)
            after = sum(known[n].warps for n in block.next if n in known)
            warps[block] = min(before, after, threads.get(block, before))
    return {block: Counter(warps[block], threads.get(block)) for block in function.blocks}


# The length of blocks.


def with_lines(text, found):
    """The PTX in which each block has a line of its own, and {block: line}. Loops keep their form."""
    starts = {b.line: b for f in found.values() for b in f.blocks}
    lines, out = {}, []
    for number, line in enumerate(text.splitlines()):
        if re.match(r"\s*\.(loc|file|section)\b", line):
            continue
        out.append(line)
        if line.startswith(".address_size"):
            out.append('.file 1 "blocks"')
        if number in starts:
            lines[starts[number]] = len(lines) + 1
            out += ["\t.loc 1 %d 0" % len(lines), '\t.pragma "nounroll";']
    return "\n".join(out) + "\n", lines


class Nesting:
    """The loops around each block of a function, from the outermost to the innermost."""

    def __init__(self, function):
        numbers = {b: n for n, b in enumerate(function.blocks)}
        found = flow.loops([[numbers[n] for n in b.next if n is not None] for b in function.blocks])
        self.blocks = function.blocks
        self.bodies = {h: {self.blocks[n] for n in body} for h, body in found.items()}
        self.around = {b: sorted((h for h, body in self.bodies.items() if b in body), key=lambda h: -len(self.bodies[h]))
                       for b in self.blocks}

    def entries(self, header, executed):
        """How often warps enter a loop."""
        first = self.blocks[header]
        outside = (b for b in self.blocks if first in b.next and b not in self.bodies[header])
        return min(sum(executed[b].warps for b in outside), executed[first].warps)

    def executions(self, block, executed, lengths):
        """The SASS that warps execute of a block, of whose instructions lengths has {loops around them: number}."""
        loops = self.around[block]
        # ptxas may have dissolved a loop: then no instruction of it is in as many.
        depth = min(len(loops), max(d for b in self.bodies[loops[-1]] for d in lengths.get(b) or [0])) if loops else 0
        return sum(number * (executed[block].warps if inside >= depth else self.entries(loops[inside], executed))
                   for inside, number in lengths[block].items())


class Lengths:
    """The length of each block of a module, in PTX and in SASS."""

    def __init__(self, path, arch, tools):
        text = path.read_text()
        self.functions = ptx.functions(text)
        self.sass = {}
        if tools:
            self.measure(path, text, arch, *tools)

    def measure(self, path, text, arch, ptxas, nvdisasm):
        marked, cubin = path.with_suffix(".lines.ptx"), path.with_suffix(".lines.cubin")
        text, lines = with_lines(text, self.functions)
        marked.write_text(text)
        run([ptxas, f"-arch={arch}", "-lineinfo", marked, "-o", cubin])
        counts, copies = sass.by_line(run([nvdisasm, "-c", "-g", cubin]))
        for block, line in lines.items():
            # every kernel has its copy of a function that it calls
            self.sass[block] = {depth: number / copies[line] for depth, number in counts[line].items()}

    def scattering(self, counters):
        """The loops of the executed functions at whose end the threads of a warp do not meet."""
        return sum(len(ptx.scattering_loops(self.functions[n.replace(".", "_$_")])) for n in counters)

    def sum(self, counters):
        """{unit: instructions that warps execute}, and under "active" how many threads of a warp execute one in the mean, in PTX."""
        totals, by_threads, by_warps = {"PTX": 0, **({"SASS": 0} if self.sass else {})}, 0, 0
        for name, (fingerprint, of_function) in counters.items():
            function = self.functions.get(name.replace(".", "_$_"))  # as the back end spells names
            if function is None:
                fail("%s is not in the PTX" % name)
            found, nesting = executions(function, fingerprint, of_function), Nesting(function)
            for block, executed in found.items():
                totals["PTX"] += executed.warps * block.instructions()
                if self.sass:
                    totals["SASS"] += nesting.executions(block, found, self.sass)
                if executed.threads is not None:
                    by_threads += executed.threads * block.instructions()
                    by_warps += executed.warps * block.instructions()
        return {**totals, "active": by_threads / by_warps}


# The bench.


def prepare(options, builder, source, arch, tools):
    """{way: (program, Lengths)}"""
    made = {}
    for way, flags in WAYS.items():
        print("%s, %s" % (source.stem, way), file=sys.stderr, flush=True)
        sampled = ["--sampled"] if way == "checked" and options.sample is not None else []
        name = f"{source.stem}.{arch}.{way}{''.join(sampled)}.executed"
        common = [f"--arch={arch}", "-O2", *flags.split(), *sampled, *(options.flags.split() if way == "checked" else []), COUNTING]
        gpu = ["--device=gpu", *common, "-DBENCH_GPU", "-fno-discard-value-names", "-ptx"]
        program, code = (builder.make(n, source, f) for n, f in ((name, ["--device=cpu", *common]), (name + ".ptx", gpu)))
        made[way] = program, Lengths(code, arch, tools)
    if options.sample is not None:
        made[UNSAMPLED] = made["checked"]
    return made


def count(program, kernel, way):
    sample = {"CUSAFE_OPTIONS": "sample=0:canaries=off"} if way == UNSAMPLED else {}
    held = Held([program, kernel, "--quick", "--count"], {**ENVIRONMENT, **sample})
    counters = counters_of(held.ask("count"))
    held.verify()
    held.close()
    return counters or fail("%s has executed nothing" % kernel)


def examine(options, made, source, kernel):
    row = {"file": source.stem, "kernel": kernel}
    for way, (program, lengths) in made.items():
        counters = count(program, kernel, way)
        row[way] = lengths.sum(counters)
        row["launched"] = sorted(counters)  # of the last way
        row.setdefault("scattering", {})[way] = lengths.scattering(counters)
    row["ratio"] = {unit: row["checked"][unit] / row["bare"][unit] for unit in row["bare"] if unit != "active"}
    if options.sample is not None:
        row["sampled"] = {unit: options.sample * ratio + (1 - options.sample) * row[UNSAMPLED][unit] / row["bare"][unit]
                          for unit, ratio in row["ratio"].items()}
    return row


def summarise(rows, unit, key="ratio"):
    ratios = [r[key][unit] for r in rows]
    return {"geomean": geomean(ratios), "max": max(ratios), "kernels": len(ratios)}


def cells(row, unit):
    """Of one row of the table."""
    sampled = "%14.0f%8.3f" % (row[UNSAMPLED][unit], row["sampled"][unit]) if "sampled" in row else ""
    return "%14.0f%14.0f%8.3f" % (row["bare"][unit], row["checked"][unit], row["ratio"][unit]) + sampled


def heads(options, unit):
    sampled = "%14s%8s" % ("not sampled", "mean") if options.sample is not None else ""
    return "%14s%14s%8s" % ("bare " + unit, "checked " + unit, "ratio") + sampled


def measure(options, kernels, arch, tools):
    """One launch of each kernel at its small size. Without tools only PTX is counted."""
    builder = Builder(options.cusafe, options.work)
    sources = list(dict.fromkeys(s for s, _ in kernels))
    units = ["PTX", "SASS"] if tools else ["PTX"]
    rows = []
    with ThreadPoolExecutor(2) as pool:
        made = dict(zip(sources, pool.map(lambda s: prepare(options, builder, s, arch, tools), sources)))
        print("instructions that warps would execute on %s" % arch)
        print("%-10s %-16s" % ("file", "kernel")
              + "".join(heads(options, u) for u in units) + "  active threads  executed functions")
        for row in pool.map(lambda k: examine(options, made[k[0]], *k), kernels):
            rows.append(row)
            print("%-10s %-16s" % (row["file"], row["kernel"])
                  + "".join(cells(row, u) for u in units)
                  + "    %5.1f %5.1f   " % (row["bare"]["active"], row["checked"]["active"]) + "  " + " ".join(row["launched"]), flush=True)
    summaries = {unit: summarise(rows, unit, "ratio" if options.sample is None else "sampled") for unit in units}
    if options.json:
        Path(options.json).write_text(json.dumps({"arch": arch, "kernels": rows, "summary": summaries}, indent=1) + "\n")
    digits = 3 if options.sample is None else 5
    for unit, s in summaries.items():
        print("executed%s: geomean %.*f max %.*f over %d kernels" % (" (%s)" % unit if unit != units[-1] else "", digits, s["geomean"],
                                                                     digits, s["max"], s["kernels"]))
    for row in rows:
        if row["scattering"]["checked"] > row["scattering"]["bare"]:
            print("%s: threads of a warp do not meet at the end of %d loops, bare of %d: the counts above assume that they do"
                  % (row["kernel"], row["scattering"]["checked"], row["scattering"]["bare"]))
    return 1 if options.at_most is not None and summaries[units[-1]]["geomean"] > options.at_most else 0
