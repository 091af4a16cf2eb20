"""children.py PREFIX: the report files PREFIX.json, .sarif and .html have the findings of parent and child, once each."""
import json
import sys
from pathlib import Path

prefix = sys.argv[1]
lines = [json.loads(line) for line in Path(prefix + ".json").read_text().splitlines()]
kernels = sorted(line["kernel"] for line in lines if line.get("kernel"))
assert kernels == ["of_child(int*)", "of_parent(int*)"], kernels
results = json.loads(Path(prefix + ".sarif").read_text())["runs"][0]["results"]
assert len(results) == 2, results
page = Path(prefix + ".html").read_text()
assert "of_child" in page and "of_parent" in page and page.rstrip().endswith("</html>"), page[-200:]
