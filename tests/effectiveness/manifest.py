"""manifest.py: reads manifest.txt and checks that it, the programs and their BUG marks agree."""
import copy
import re
import shlex
import sys
from itertools import groupby
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import runner

SILENT = ("twin", "clean", "miss")
PAPER = ("global", "local", "shared", "uaf", "uas", "if", "df")


class Entry:
    """One line of the manifest; `line` is the marked line of its source for a bad entry, 0 for others."""

    def __init__(self, text):
        self.text = text
        words = shlex.split(text)
        self.id, self.klass, self.memory, self.expect = words[:4]
        more = dict(word.split("=", 1) for word in words[4:])
        self.program, self.case = self.id.split("/")
        self.source = self.program + ".cu"
        self.options = [more["options"]] if "options" in more else []
        self.opt = more.get("opt", "").split(",") if "opt" in more else []
        self.nightly = more.get("nightly", "").split(",") if "nightly" in more else []
        self.metadata = more.get("metadata", "").split(",") if "metadata" in more else []
        self.flags = shlex.split(more.get("flags", ""))
        self.args = shlex.split(more.get("args", ""))
        self.timeout = int(more.get("timeout", 60))
        self.reason = more.get("reason", "")
        self.line = 0
        self.differs = ""  # in what: a verdict of a file of differences
        self.is_missed = False  # a bad entry that must not be reported, because it is known not to be detected in this way

    def is_silent(self):
        return self.expect == "silence"

    def runs_at(self, opt, nightly=True):
        return (not self.opt or opt in self.opt) and (nightly or opt not in self.nightly)

    def with_difference(self, verdict):
        """The entry, expected to behave as the verdict specifies: missed, a kind, the distance of the reported line, or both."""
        changed = copy.copy(self)
        changed.differs = verdict
        if verdict == "missed":
            changed.is_missed = True
            return changed
        kind, distance = re.match(r"(.*?)([+-]\d+)?$", verdict).groups()
        changed.expect = kind or changed.expect
        changed.line += int(distance or 0)
        return changed

    def is_paper(self):
        return self.klass.split("-")[0] in PAPER


def by(entries, key):
    """Groups the entries by key; within a group they keep their order."""
    ordered = sorted(enumerate(entries), key=lambda pair: (str(key(pair[1])), pair[0]))
    return [[e for _, e in group] for _, group in groupby(ordered, key=lambda pair: str(key(pair[1])))]


def cover(entries):
    """One case for every kind of error and one for every memory, each with its twin, from programs that are short together. Of each of these
    programs, every kind of error in every memory. A pointer among "mixed" memories is no memory of its own."""
    programs = {group[0].program: [e for e in group if not e.is_silent()] for group in by(entries, lambda e: e.program)}
    covered = {name: {item for e in bad for item in (e.memory, e.expect)} - {"mixed"} for name, bad in programs.items()}
    cost = {name: 100 + len((HERE / (name + ".cu")).read_text().splitlines()) for name in programs}
    missing, chosen = set().union(*covered.values()), {}
    while missing:
        best = max(covered, key=lambda name: len(covered[name] & missing) / cost[name])
        chosen.update({(best, e.memory, e.expect): e for e in reversed(programs[best])})
        missing -= covered[best]
    ids = {e.id for e in chosen.values()}
    return [e for e in entries if e.id in ids or (e.id.endswith("_ok") and e.id[:-3] in ids)]


def marks(source):
    """Maps each case to the line that is marked as its bug."""
    found = {}
    for number, line in enumerate(source.splitlines(), 1):
        match = re.search(r"// BUG: (.+)$", line)
        for case in match.group(1).split() if match else []:
            if case in found:
                sys.exit("the bug of %s is marked twice, in lines %d and %d" % (case, found[case], number))
            found[case] = number
    return found


def cases(source):
    """The cases that a program defines."""
    found = []
    for macro, name in re.findall(r"^(CASE|TWINS)\((\w+)", source, re.M):
        found += [name, name + "_ok"] if macro == "TWINS" else [name]
    return found


def read(folder=HERE):
    entries = [Entry(line) for line in (folder / "manifest.txt").read_text().splitlines() if line and line[0] != "#"]
    check_names(entries, folder)
    for group in by(entries, lambda e: e.program):
        check_program(group, (folder / group[0].source).read_text())
    unknown = {e.expect for e in entries} - set(runner.kinds()) - {"silence"}
    if unknown:
        print("kinds that report/kinds.inc does not define yet: " + ", ".join(sorted(unknown)))
    return entries


def differences(path, entries):
    """Reads a file of lines ID LEVELS VERDICT; maps (id, level) to the verdict. A correct program has no other verdict than silence."""
    found, known = {}, {e.id: e for e in entries}
    for line in Path(path).read_text().splitlines():
        if not line or line[0] in "#=":
            continue
        name, levels, verdict = line.split()
        entry = known.get(name)
        if not entry or entry.klass in ("twin", "clean"):
            sys.exit("%s: %s is no entry of the manifest with an error" % (path, name))
        for level in levels.split(","):
            if (name, level) in found:
                sys.exit("%s: %s is listed twice for %s" % (path, name, level))
            found[name, level] = verdict
    return found


def check_names(entries, folder):
    ids = [e.id for e in entries]
    twice = {i for i in ids if ids.count(i) > 1}
    if twice:
        sys.exit("listed twice in the manifest: " + ", ".join(sorted(twice)))
    unlisted = {p.stem for p in folder.glob("*.cu")} - {e.program for e in entries}
    if unlisted:
        sys.exit("not in the manifest: " + ", ".join(sorted(unlisted)))
    for e in entries:
        if (e.klass in SILENT) != e.is_silent() or (e.klass == "miss") != bool(e.reason):
            sys.exit("%s: class %s does not match the expectation" % (e.id, e.klass))
        if not e.is_silent() and e.id + "_ok" not in ids:
            sys.exit("%s has no good twin %s_ok" % (e.id, e.id))


def check_program(entries, source):
    listed, written, marked = [e.case for e in entries], cases(source), marks(source)
    if set(listed) != set(written):
        sys.exit("%s and the manifest differ in %s" % (entries[0].source, ", ".join(sorted(set(listed) ^ set(written)))))
    for e in entries:
        if not e.is_silent():
            e.line = marked.get(e.case, marked.get("*", 0))
            if not e.line:
                sys.exit("%s: no line of %s is marked // BUG: %s" % (e.id, e.source, e.case))
    stray = set(marked) - {e.case for e in entries if not e.is_silent()} - {"*"}
    if stray:
        sys.exit("%s marks lines for cases that are not bad: %s" % (entries[0].source, ", ".join(sorted(stray))))
