"""findings.py CUSAFE LINES FOLDER: `cusafe findings` on lines that CuSafe has written: merged, compared and converted."""
import datetime
import json
import subprocess
import sys
from pathlib import Path

cusafe, given, folder = sys.argv[1], Path(sys.argv[2]).read_text().splitlines(), Path(sys.argv[3])


def findings(*arguments, status=0):
    done = subprocess.run([cusafe, "findings", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == status, (arguments, done)
    return done.stdout if status != 2 else done.stderr


def write(name, lines):
    path = folder / name
    path.write_text("".join(line + "\n" for line in lines))
    return path


def variant(line, number, **changes):
    return json.dumps({**json.loads(line), "fingerprint": f"{number:016x}", **changes}, ensure_ascii=False)


def check_merge():
    once = write("once", given)
    later = write("later", [variant(line, 0, fingerprint=json.loads(line)["fingerprint"], time="2030-01-01T00:00:00.000Z", count=5) for line in given])
    merged = write("merged", findings("merge", once, later, once).splitlines())
    lines = [json.loads(line) for line in merged.read_text().splitlines()]
    assert len(lines) == len(given)
    for before, after in zip(map(json.loads, given), lines):
        total = after.pop("merged")
        assert after == before
        assert total == {"lines": 3, "errors": 2 * before["count"] + 5, "first": before["time"], "last": "2030-01-01T00:00:00.000Z"}, total
    again = [json.loads(line) for line in findings("merge", merged, once).splitlines()]
    assert all(line["merged"]["lines"] == 4 for line in again) and len(again) == len(given)


def check_diff():
    old, new = write("old", given[:-2]), write("new", given[1:])
    shown = findings("diff", old, new, status=1).splitlines()
    prints = [json.loads(line)["fingerprint"] for line in given]
    assert [line[:18] for line in shown] == ["+ " + prints[-2], "+ " + prints[-1], "- " + prints[0]], shown
    assert findings("diff", new, new) == ""
    assert findings("diff", new, write("fewer", given[2:])).startswith("- " + prints[1])


def check_top():
    lines = [variant(given[0], i, group=f"{i % 3:016x}") for i in range(10)]
    shown = findings("top", "--limit=2", write("top", lines)).splitlines()
    assert [line.split()[:4] for line in shown[1:]] == [["4", "4", str(4 * json.loads(given[0])["count"]), "0" * 16], ["3", "3", str(3 * json.loads(given[0])["count"]), f"{1:016x}"]], shown
    bell = write("bell", [variant(given[0], 1, group="\x1b[31m".replace("\x1b", "\x9b"))])
    assert "\x9b" not in findings("top", bell)


def check_sarif():
    kinds = {json.loads(line)["kind"]: line for line in given}
    many = [variant(kinds["leak"], i) for i in range(20000)] + [variant(given[0], 20000 + i) for i in range(10000)]
    document = json.loads(findings("sarif", write("many", many), write("again", many[-3:])))
    (run,) = document["runs"]
    results = run["results"]
    assert document["version"] == "2.1.0" and run["automationDetails"]["id"] == "cusafe/"
    assert len(results) == 5000 and len({result["partialFingerprints"]["cusafe/v1"] for result in results[:-1]}) == 4999
    assert [result["occurrenceCount"] for result in results[:4]] == [2, 2, 2, 1]
    assert {result["ruleId"] for result in results[:-1]} == {json.loads(given[0])["kind"]}, "leaks are less severe"
    assert results[-1]["message"]["text"].startswith("25001 more findings, seen 25001 times") and results[-1]["locations"]
    every = json.loads(findings("sarif", write("every", given)))["runs"][0]
    for result in every["results"]:
        assert every["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] and result["locations"]
    assert len(every["results"]) == len(given)
    assert json.loads(findings("sarif", write("none", [])))["runs"][0]["results"] == []
    assert len(json.loads(findings("sarif", "--limit=1", folder / "every"))["runs"][0]["results"]) == 1


def check_gitlab():
    issues = json.loads(findings("gitlab", folder / "every"))
    assert len(issues) == len(given) and len({issue["fingerprint"] for issue in issues}) == len(given)
    for issue in issues:
        assert set(issue) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert issue["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert issue["location"]["path"] and issue["location"]["lines"]["begin"] >= 1


def check_otlp():
    """The JSON form of ExportLogsServiceRequest: camelCase names, 64-bit integers as strings."""
    (resource,) = json.loads(findings("otlp", folder / "every", folder / "later"))["resourceLogs"]
    (scope,) = resource["scopeLogs"]
    given_by_fingerprint = {json.loads(line)["fingerprint"]: json.loads(line) for line in given}
    assert len(scope["logRecords"]) == len(given)
    for record in scope["logRecords"]:
        assert set(record) == {"timeUnixNano", "observedTimeUnixNano", "severityNumber", "severityText", "eventName", "body", "attributes"}
        values = {a["key"]: a["value"] for a in record["attributes"]}
        line = given_by_fingerprint[values["cusafe.fingerprint"]["stringValue"]]
        assert record["body"] == {"stringValue": line["message"]} and values["host.name"] == {"stringValue": line["host"]}
        assert record["severityNumber"] == (13 if line["kind"] == "leak" else 17)
        first = datetime.datetime.strptime(line["time"], "%Y-%m-%dT%H:%M:%S.%f%z")
        assert record["timeUnixNano"] == f"{round(first.timestamp() * 1000)}000000"
        assert record["observedTimeUnixNano"] == f"{round(datetime.datetime(2030, 1, 1, tzinfo=datetime.timezone.utc).timestamp())}000000000"
        assert values["cusafe.lines"] == {"intValue": "2"}
    assert json.loads(findings("otlp", write("none", [])))["resourceLogs"][0]["scopeLogs"][0]["logRecords"] == []
    untimed = json.loads(findings("otlp", write("untimed", [variant(given[0], 1, time="soon")])))
    assert "timeUnixNano" not in untimed["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0]


def check_refusals():
    for wrong in ["hello", "{", '{"type":"finding"', '{"type":"finding","kind":"leak"}', "[]", '{"a" 1}', '{"type":"finding","kind":"a\x1b","fingerprint":"b"}']:
        done = subprocess.run([cusafe, "findings", "merge", write("wrong", [given[0], wrong])], capture_output=True, text=True)
        assert done.returncode == 1 and not done.stdout and f"{folder}/wrong:2: this" in done.stderr, (wrong, done)
    assert "usage" in findings("merge", status=2) and "usage" in findings("join", "x", status=2)
    findings("merge", folder / "absent", status=1)
    findings("top", "--limit=x", folder / "every", status=1)


check_merge()
check_diff()
check_top()
check_sarif()
check_gitlab()
check_otlp()
check_refusals()
