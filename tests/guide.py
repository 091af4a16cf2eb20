"""guide.py: the examples of docs/develop/extending.md: the document shows their files, and an installation has their parts."""
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = ROOT / "docs/develop/extending.md"


def blocks(folder):
    """The code that the document shows of a file of tests/FOLDER: a line with its name, then a block."""
    return re.compile(r"^(`tests/%s/([\w.]+)`:\n\n```\w*\n)(.*?)^```$" % folder, re.M | re.S)


def check_document(folder, files):
    """What is wrong with the blocks of these files."""
    shown = {name: text for _, name, text in blocks(folder).findall(DOCUMENT.read_text())}
    wrong = ["%s: shows no %s" % (DOCUMENT, name) for name in sorted(files - set(shown))]
    return wrong + ["%s: %s is not what tests/%s has; run tests/%s/run --update" % (DOCUMENT, name, folder, folder)
                    for name, text in shown.items() if text != (ROOT / "tests" / folder / name).read_text()]


def update_document(folder):
    DOCUMENT.write_text(blocks(folder).sub(lambda block: block[1] + (ROOT / "tests" / folder / block[2]).read_text() + "```", DOCUMENT.read_text()))


def make_prefix(prefix, build, parts):
    """An installation with the example's parts in lib/cusafe (name to file): cusafe finds its parts relative to itself."""
    (prefix / "bin").mkdir()
    (prefix / "bin/cusafe").write_bytes((build / "bin/cusafe").read_bytes())
    (prefix / "bin/cusafe").chmod(0o755)
    for name, file in parts.items():
        to = prefix / "lib/cusafe" / name
        to.parent.mkdir(parents=True, exist_ok=True)
        to.symlink_to(file)
    for part in list((build / "lib").iterdir()) + list((build / "lib/cusafe").iterdir()):
        to = prefix / part.relative_to(build)
        if not to.exists():
            to.symlink_to(part)
