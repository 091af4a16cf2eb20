"""identity.py PROGRAM...: copies of one program, built in several folders. For 25 orders and subsets of their errors (100 in the nightly
run), every error has the same fingerprint, and no two errors have one."""
import json
import os
import random
import subprocess
import sys
import tempfile

ERRORS = 20


def findings(program, errors):
    """{(kind, access, line, outer line): fingerprint} of a run."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        environment = {**os.environ, "CUSAFE_OPTIONS": f"on_error=contain:leak_check=1:log_path=/dev/null:json={file.name}"}
        subprocess.run([program, *map(str, errors)], env=environment, check=False)
        lines = [json.loads(line) for line in open(file.name)]
    found = {}
    for line in lines:
        if line["type"] == "finding":
            stack = [(frame.get("function"), frame["line"]) for frame in line["stack"] if "line" in frame]
            own = stack[: 1 + [function for function, _ in stack].index("main")] if ("main" in dict(stack)) else stack
            found[(line["kind"], line.get("access"), *own)] = line["fingerprint"]
    return found


def main():
    choose, known = random.Random(36), findings(sys.argv[1], range(ERRORS))
    assert len(known) == ERRORS + 1, known  # p[100] = p[-1] is two
    assert len(set(known.values())) == len(known), known
    assert len({text[:16] for text in known.values()}) < len(known), "no two hashes are equal: nothing was numbered"
    for i in range(100 if os.environ.get("CUSAFE_NIGHTLY") else 25):
        errors = choose.sample(range(ERRORS), choose.randint(1, ERRORS))
        found = findings(sys.argv[1 + i % len(sys.argv[1:])], errors)
        assert len(found) == len(errors) + (6 in errors), (errors, found)
        assert found.items() <= known.items(), (errors, set(found.items()) - set(known.items()))


main()
