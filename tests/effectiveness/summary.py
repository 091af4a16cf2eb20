"""summary.py: summarises the results of a run of the suite."""
import re
from collections import Counter

FIGURE = re.compile(r"^figure: (.*)$", re.M)  # a measurement that a program prints


class Summary:
    """results: (entry, opt, metadata, why it failed or "", output), one for each entry and build configuration."""

    def __init__(self, entries, results, given):
        self.entries, self.results, self.given = entries, results, given
        self.why = {e.id: [] for e in entries}
        self.figures = {e.id: [] for e in entries}
        for entry, opt, metadata, why, output in results:
            if why:
                self.why[entry.id].append((opt, metadata, why))
            self.figures[entry.id] += FIGURE.findall(output)
        self.bad = [e for e in entries if not e.is_silent()]
        self.good = [e for e in entries if e.is_silent() and e.klass != "miss"]
        self.misses = [e for e in entries if e.klass == "miss"]
        self.different = {e.id: e for e, *_ in results if e.differs}

    def holds(self, entry):
        """Whether the entry behaved as expected in every build configuration."""
        return not self.why[entry.id]

    def caught(self, entry):
        return self.holds(entry) and not (entry.id in self.different and self.different[entry.id].is_missed)

    def flagged(self, entry):
        return any(why.startswith("flagged") for _, _, why in self.why[entry.id])

    def perfect(self):
        return all(self.holds(e) for e in self.entries)

    def text(self):
        lines = ["", "%-16s %-18s %6s %6s" % ("class", "memory", "passed", "of")]
        total, held = Counter(), Counter()
        for e in self.entries:
            row = (e.klass.split("-")[0] if e.is_paper() else e.klass, e.memory)
            total[row] += 1
            held[row] += self.holds(e)
        lines += ["%-16s %-18s %6d %6d" % (*row, held[row], total[row]) for row in total]
        lines += ["", "%d entries, %d runs: -%s with metadata in the %s" % (
            len(self.entries), len(self.results), ", -".join(self.given.opt), " and the ".join(self.given.metadata))]
        wrong = [e for e in self.good if not self.holds(e) and not self.flagged(e)]
        if wrong:
            lines.append("%d correct programs are silent but fail" % len(wrong))
        changed = [e for e in self.misses if not self.holds(e)]
        if changed:
            lines.append("known misses that no longer behave as listed: " + ", ".join(e.id for e in changed))
        if self.different:
            missed = sum(e.is_missed for e in self.different.values())
            lines.append("known differences: %d missed, %d with another line or kind" % (missed, len(self.different) - missed))
        lines.append("effectiveness: %d of %d bad caught, %d of %d good flagged" % (
            sum(map(self.caught, self.bad)), len(self.bad), sum(map(self.flagged, self.good)), len(self.good)))
        return "\n".join(lines)

    def as_json(self):
        return {
            "opt": self.given.opt,
            "metadata": self.given.metadata,
            "filter": self.given.filter,
            "entries": [
                {
                    "id": e.id,
                    "class": e.klass,
                    "memory": e.memory,
                    "expect": e.expect,
                    "line": e.line,
                    "reason": e.reason,
                    "holds": self.holds(e),
                    "flagged": e.is_silent() and self.flagged(e),
                    "figures": self.figures[e.id],
                    "failures": [dict(zip(("opt", "metadata", "why"), f)) for f in self.why[e.id]],
                }
                for e in self.entries
            ],
        }
