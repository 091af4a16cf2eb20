"""matcher_test.py MATCHER GOLDEN: GitHub's problem matcher finds every line of format=oneline, and no line of CuSafe's text."""
import json
import pathlib
import re
import sys

matcher, golden = json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2])
(pattern,) = matcher["problemMatcher"][0]["pattern"]
expression = re.compile(pattern["regexp"], re.ASCII)
lines = (golden / "every-kind.oneline").read_text().splitlines()
for line, finding in zip(lines, (golden / "every-kind.jsonl").read_text().splitlines(), strict=True):
    finding, match = json.loads(finding), expression.match(line)
    assert match, line
    assert match[pattern["file"]].endswith(finding["place"]["file"]), line
    assert int(match[pattern["line"]]) == finding["place"]["line"], line
    assert int(match[pattern["column"]] or 0) == finding["place"].get("column", 0), line
    assert match[pattern["code"]] == finding["kind"] and finding["message"] in match[pattern["message"]], line
for line in (golden / "degraded.txt").read_text().splitlines() + ["a.cu:3:4: note: x-y: z", "main.cu:12: 3 errors"]:
    assert not expression.match(line), line
