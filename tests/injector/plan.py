"""plan.py: the file that a rewritten program maps: the plan of a mutant for it, and what the oracle writes. injector.h has the same layout."""
import struct
from pathlib import Path

FIELDS = ("site", "every", "at", "delta", "buffer", "size", "call", "action", "argument", "launch", "less")
ALWAYS, NULL, KEPT, MISALIGNED = range(1, 5)
FREE, REUSE, LONGER, EARLIER_TO, EARLIER_FROM, TWICE, INSIDE = range(1, 8)
OUT, STALE, FIELD, UNSURE, IS_NULL, SPLIT = 1, 2, 4, 8, 16, 32
BUFFERS, SITES = 4096, 1024
SITE = struct.Struct("<4Q")
FIRST_SITE = (len(FIELDS) + 3 + 4 * BUFFERS) * 8
NEVER = (1 << 64) - 1


def write(path, fields):
    head = struct.pack("<%dq" % len(FIELDS), *(fields.get(name, 0) for name in FIELDS))
    Path(path).write_bytes(head.ljust(FIRST_SITE, b"\0") + SITE.pack(NEVER, NEVER, 0, 0) * SITES)


class Reach:
    """What the oracle saw at a site: an index, and how many elements it is from the object's last and first one."""

    def __init__(self, last, first, bad, size):
        self.bad, self.size, self.seen = bad, size, size > 0 and last != NEVER and first != NEVER
        if self.seen:
            self.last, self.after = signed(last), (last >> 32) // size
            self.first, self.before = signed(first), (first >> 32) // size


def signed(packed):
    low = packed & 0xffffffff
    return low - (1 << 32) if low >> 31 else low


def read(path, count):
    """The reach of sites 1 to count."""
    data = Path(path).read_bytes()
    return {n: Reach(*SITE.unpack_from(data, FIRST_SITE + n * SITE.size)) for n in range(1, count + 1)}
