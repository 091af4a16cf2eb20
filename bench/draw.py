"""Draws the ratios as a plot: a bar per kernel and build, on a logarithmic axis that starts at 1."""
import math
from xml.sax.saxutils import escape

COLOURS = ["#3465a4", "#cc6f2c", "#5c8f3a", "#8a5a96", "#8c8c8c", "#b8a02c"]
LEFT, RIGHT, TOP, BAR, GAP, WIDTH = 110, 60, 64, 13, 7, 620


def text(x, y, words, anchor="start", size=12, weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" font-weight="{weight}">'
            f'{escape(words)}</text>')


def ticks(top):
    candidates = [1, 1.1, 1.25, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64]
    chosen = [t for t in candidates if t <= top]
    return [t for t in chosen if top < 4 or t not in (1.1, 1.25, 3, 6, 12, 24)]


def bars(rows, summaries):
    ways = list(summaries)
    top = max(1.1, *(r["ratio"][w] for r in rows for w in ways)) * 1.05
    scale = WIDTH / math.log(top)
    step = BAR * len(ways) + GAP
    height = TOP + step * len(rows) + 30

    def x(ratio):
        return LEFT + scale * math.log(max(ratio, 1))

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + RIGHT}" height="{height}" '
           'font-family="sans-serif" fill="#222">', '<rect width="100%" height="100%" fill="#fff"/>',
           text(LEFT, 20, "time with checks / time without, on the CPU device", size=14, weight="bold")]
    for i, way in enumerate(ways):
        s = summaries[way]
        label = "%s: geometric mean %.3f, worst %.3f, %d kernels" % (way, s["geomean"], s["max"], s["kernels"])
        y = 38 + 15 * i - (15 if len(ways) > 2 else 0)
        out.append(f'<rect x="{LEFT}" y="{y - 9}" width="10" height="10" fill="{COLOURS[i % len(COLOURS)]}"/>')
        out.append(text(LEFT + 16, y, label))
    for tick in ticks(top):
        out.append(f'<line x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{TOP}" y2="{height - 24}" stroke="#ddd"/>')
        out.append(text(x(tick), height - 8, "%g" % tick, "middle", 11))
    for n, row in enumerate(rows):
        y = TOP + 4 + n * step
        out.append(text(LEFT - 6, y + step / 2, row["kernel"], "end"))
        for i, way in enumerate(ways):
            ratio, at = row["ratio"][way], y + i * BAR
            out.append(f'<rect x="{LEFT}" y="{at}" width="{max(x(ratio) - LEFT, 1):.1f}" height="{BAR - 2}" '
                       f'fill="{COLOURS[i % len(COLOURS)]}"/>')
            out.append(text(x(ratio) + 4, at + BAR - 3, "%.2f" % ratio, size=11))
    return "\n".join(out) + "\n</svg>\n"
