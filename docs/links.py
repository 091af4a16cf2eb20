"""A hook of mkdocs. Pages that are symbolic links to documents at the top of the repository contain links relative to the top; this
makes them relative to the page, and removes those to files that the site does not have."""

import os
import re

PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "develop/contributing.md", "CHANGELOG.md": "develop/changelog.md"}


def on_page_markdown(markdown, page, **_):
    if page.file.src_uri not in PAGES.values():
        return markdown
    folder = os.path.dirname(page.file.src_uri)

    def link(match):
        text, target = match.groups()
        name, mark, anchor = target.partition("#")
        if not name or re.match(r"[a-z]+:", target):
            return match.group(0)
        target = PAGES.get(name) or (name.startswith("docs/") and name.removeprefix("docs/"))
        return f"[{text}]({os.path.relpath(target, folder or '.')}{mark}{anchor})" if target else text

    return re.sub(r"\[([^\]]*)\]\(([^)\s]+)\)", link, markdown)
