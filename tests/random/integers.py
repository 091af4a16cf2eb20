"""integers.py: integers of addresses, whose values are known whatever bits a pointer carries."""

LOW = "0xffffffffffffull"
HASH = "0x9e3779b97f4a7c15ull"


def word(pointer):
    return "(unsigned long long)(%s)" % pointer


def address_forms(pointer, size, k, w):
    """[(expression, value)]: differences, comparisons, alignment, and words in which the address is packed with a counter. k is an index in the array, and w a variable
    that holds the address."""
    p, moved, align = word(pointer), word("(%s) + %d" % (pointer, k)), min(size, 4)
    return [("%s - %s" % (moved, p), k * size), ("%s < %s" % (p, moved), int(k > 0)), ("%s == %s" % (p, moved), int(k == 0)),
            ("((%s << 16 | 9) >> 16) == %s" % (p, p), 1), ("((%s & %s) | 3ull << 48) >> 48" % (p, LOW), 3),
            ("((%s & %s | 3ull << 48) & %s) == %s" % (p, LOW, LOW, p), 1), ("%s %% %d" % (p, align), 0),
            ("%s - %s" % (w, p), 0), ("(long long)(%s - %s) / %d" % (moved, w, size), k), ("%s == %s" % (w, p), 1),
            ("%s < %s" % (w, moved), int(k > 0)), ("(%s < %s ? %s : %s) - %s" % (p, moved, p, moved, p), min(k, 0) * size),
            ("((%s | %d) & ~%dull) == %s" % (p, align - 1, align - 1, p), 1)]
