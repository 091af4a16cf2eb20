"""Loops of a control flow, given as the lists of each block's successors; block 0 is the entry."""


def dominators(successors):
    """({block: the blocks on every way to it}, {block: its predecessors}), both for the blocks that can be reached."""
    reachable, work = {0}, [0]
    while work:
        for n in successors[work.pop()]:
            if n not in reachable:
                reachable.add(n)
                work.append(n)
    before = {n: [] for n in reachable}
    for n in sorted(reachable):
        for m in successors[n]:
            before[m].append(n)
    found = {n: set(reachable) for n in reachable}
    found[0] = {0}
    changed = True
    while changed:
        changed = False
        for n in sorted(reachable - {0}):
            new = set.intersection(*(found[p] for p in before[n])) | {n}
            changed |= new != found[n]
            found[n] = new
    return found, before


def loops(successors):
    """{header: blocks} of the natural loops; loops with the same header are merged."""
    dominating, before = dominators(successors)
    found = {}
    for tail in dominating:
        for header in successors[tail]:
            if header in dominating[tail]:
                body, work = found.setdefault(header, {header}), [tail]
                while work:
                    n = work.pop()
                    if n not in body:
                        body.add(n)
                        work.extend(before[n])
    return found
