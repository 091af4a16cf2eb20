"""schema_test.py SCHEMA GOLDEN: the golden JSON lines against the published schema, and the golden SARIF against the rules of
SARIF 2.1.0 that code-scanning tools enforce. The validator supports only the keywords that our schema uses, so that the test
needs nothing but Python; an unknown keyword is an error."""
import copy
import html.parser
import json
import pathlib
import re
import sys

KNOWN = {"$schema", "title", "description", "definitions", "$ref", "oneOf", "type", "enum", "pattern", "minimum", "properties",
         "additionalProperties", "required", "items", "minItems", "maxItems"}
TYPES = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}


def is_type(value, name):
    return isinstance(value, TYPES[name]) and not (name == "integer" and isinstance(value, bool))


def errors(schema, rule, value, path="$"):
    """Every way in which the value breaks the rule."""
    assert set(rule) <= KNOWN, set(rule) - KNOWN
    if "$ref" in rule:
        target = schema
        for part in rule["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        return errors(schema, target, value, path)
    if "oneOf" in rule:
        all_errors = [errors(schema, r, value, path) for r in rule["oneOf"]]
        return [] if sum(not e for e in all_errors) == 1 else [f"{path}: matches none or several: {all_errors}"]
    found = []
    if "type" in rule and not is_type(value, rule["type"]):
        return [f"{path}: not of type {rule['type']}"]
    if "enum" in rule and value not in rule["enum"]:
        found.append(f"{path}: {value!r} is not one of {rule['enum']}")
    if "pattern" in rule and not re.search(rule["pattern"], value):
        found.append(f"{path}: {value!r} does not match")
    if "minimum" in rule and value < rule["minimum"]:
        found.append(f"{path}: too small")
    if isinstance(value, dict):
        found += [f"{path}: {key} is missing" for key in rule.get("required", []) if key not in value]
        for key, item in value.items():
            if key in rule.get("properties", {}):
                found += errors(schema, rule["properties"][key], item, f"{path}.{key}")
            elif rule.get("additionalProperties") is False:
                found.append(f"{path}: {key} is not in the schema")
    if isinstance(value, list):
        if not rule.get("minItems", 0) <= len(value) <= rule.get("maxItems", len(value)):
            found.append(f"{path}: {len(value)} items")
        for i, item in enumerate(value):
            found += errors(schema, rule.get("items", {}), item, f"{path}[{i}]")
    return found


def check_lines(schema, golden):
    lines = [json.loads(line) for line in (golden / "every-kind.jsonl").read_text().splitlines()]
    runs = [json.loads(line) for line in (golden / "run.jsonl").read_text().splitlines()]
    short = [json.loads(line) for line in (golden / "short-lines.jsonl").read_text().splitlines()]
    for line in lines + runs + short:
        assert not errors(schema, schema, line), errors(schema, schema, line)
    kinds = set(schema["definitions"]["finding"]["properties"]["kind"]["enum"])
    assert {line["kind"] for line in lines} == kinds, "the schema's kinds are not those of report/kinds.inc"
    return lines


def check_that_it_can_fail(schema, line):
    """A validator that accepts everything proves nothing."""
    for key in ["kind", "fingerprint", "pid"]:
        broken = copy.deepcopy(line)
        del broken[key]
        assert errors(schema, schema, broken), key
    for key, value in [("kind", "no-such-kind"), ("block", [1, 2]), ("count", -1), ("address", 16), ("new", 1), ("fingerprint", "x")]:
        assert errors(schema, schema, {**line, key: value}), key


def check_location(location):
    physical = location.get("physicalLocation")
    if physical:
        uri = physical["artifactLocation"]["uri"]
        assert re.fullmatch(r"(file:///)?[A-Za-z0-9/._~%+-]+", uri) and (uri.startswith("file:///") or uri[0] != "/"), uri
        assert physical.get("region", {}).get("startLine", 1) >= 1
    for logical in location.get("logicalLocations", []):
        assert logical["fullyQualifiedName"]


def check_result(result, rules):
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert result["message"]["text"] and result["level"] == "error"
    assert re.fullmatch(r"[0-9a-f]{16}(-[0-9]+)?", result["partialFingerprints"]["cusafe/v1"])
    assert len(result["locations"]) == 1 and result["locations"][0]["physicalLocation"]["region"]["startLine"]
    ids = [location["id"] for location in result["relatedLocations"]]
    assert ids == list(range(1, len(ids) + 1))
    for location in result["locations"] + result["relatedLocations"]:
        check_location(location)
    for stack in result["stacks"]:
        for frame in stack["frames"]:
            check_location(frame["location"])


def check_not_checked(golden, schema):
    """A run that was not fully checked, in SARIF; its reasons in JSON are those of report/degraded.inc."""
    run = json.loads((golden / "degraded.sarif").read_text())["runs"][0]
    (result,) = run["results"]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "not-checked"
    assert result["level"] == "warning" and result["message"]["text"]
    check_location(*result["locations"])
    listed = pathlib.Path(__file__).resolve().parents[1].joinpath("degraded.inc").read_text()
    keys = re.findall(r'^CS_DEGRADED\(\w+, "(\w+)"', listed, re.M)
    assert set(keys) == set(schema["definitions"]["run"]["properties"]["degraded"]["properties"])


def check_sarif(golden, name, count):
    document = json.loads((golden / name).read_text())
    assert document["version"] == "2.1.0" and len(document["runs"]) == 1
    run = document["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    assert run["tool"]["driver"]["name"] == "CuSafe" and len({rule["id"] for rule in rules}) == len(rules)
    for rule in rules:
        assert rule["shortDescription"]["text"] and rule["fullDescription"]["text"].endswith(".")
    assert len(run["results"]) == count
    for result in run["results"]:
        check_result(result, rules)
    return [result["partialFingerprints"]["cusafe/v1"] for result in run["results"]]


class Page(html.parser.HTMLParser):
    """Collects findings, anchors and links; asserts that elements are closed, and that nothing is loaded from elsewhere."""

    def __init__(self):
        super().__init__()
        self.open, self.findings, self.anchors, self.links, self.drawings = [], [], [], [], 0

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        assert "src" not in given and tag not in ("script", "link"), tag
        self.drawings += tag == "svg"
        if "href" in given:
            assert given["href"].startswith("#"), given
            self.links.append(given["href"][1:])
        if "id" in given:
            (self.findings if tag == "section" else self.anchors).append(given["id"])
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


def check_html(golden):
    page = Page()
    page.feed((golden / "every-kind.html").read_text())
    assert not page.open and page.drawings
    assert page.links == page.anchors and len(set(page.links)) == len(page.findings), "the index links to every finding"
    return page.findings


def main():
    schema = json.loads(pathlib.Path(sys.argv[1]).read_text())
    golden = pathlib.Path(sys.argv[2])
    lines = check_lines(schema, golden)
    for line in lines:
        check_that_it_can_fail(schema, line)
    prints = check_sarif(golden, "every-kind.sarif", len(lines))
    assert prints == [line["fingerprint"] for line in lines], "the same finding has the same fingerprint in every format"
    assert prints == check_html(golden)
    check_sarif(golden, "empty.sarif", 0)
    check_not_checked(golden, schema)


if __name__ == "__main__":
    main()
