"""cusafe_notebook: a notebook shows the reports of CuSafe in the cell that they belong to.

sitecustomize.py prepares a kernel of Jupyter before its first CUDA call. Errors are contained, so that the kernel outlives them, and
libcusafe writes its reports to files in memory. After each cell, what they have got is displayed: reports as the HTML page, and as
text where a front end has no HTML; other lines of CuSafe on standard error."""

import atexit
import ctypes
import functools
import html
import os
import re
import shutil
import sys

# Of report/text.c: a report between rules, or a short one.
_REPORT = re.compile(r"^={20,}\n(?:.*\n)*?={20,}\n|^==\d+==ALSO: .*\n(?: .*\n)*by the same thread.*\n(?: .*\n)*", re.MULTILINE)
# A page of report/render_html.c: a head, a part for each finding, which begins with its row of the index, and one for each run.
_PART = re.compile(r'^(?=<a class="row"|<section class="run)', re.MULTILINE)
_TAIL = "</main></body></html>\n"
_FRAME = """<iframe srcdoc="{}" style="width:100%;height:32em;border:0"
 onload="this.style.height=this.contentDocument.documentElement.scrollHeight+'px'"></iframe>"""


class _File:
    """A file in memory, which ends with the process. Its path is valid in the processes that the kernel starts, too."""

    def __init__(self, name):
        self.number = os.memfd_create(name)
        self.path = f"/proc/{os.getpid()}/fd/{self.number}"

    def text(self):
        return os.pread(self.number, os.fstat(self.number).st_size, 0).decode(errors="replace")


class Reports:
    """What libcusafe has written since the last cell."""

    def __init__(self, given):
        self.log, self.page = _File("cusafe-log"), _File("cusafe-page")
        self.read, self.shown = 0, 0
        own = f"append=1:log_path='{self.log.path}':html='{self.page.path}'"  # processes that the kernel starts append
        self.options = ":".join(filter(None, ["on_error=contain", given, own]))

    def new_text(self):
        """The reports, as a list, and the other lines."""
        text = self.log.text()[self.read:]
        self.read += len(text)
        return _REPORT.findall(text), _REPORT.sub("", text)

    def new_page(self):
        """A page with the new findings, or None."""
        head, *parts = _PART.split(self.page.text().removesuffix(_TAIL))
        new = [part for part in parts if part.startswith("<a ")][self.shown:]
        self.shown += len(new)
        return head + "".join(new) + _TAIL if new else None

    def show(self, display):
        """Waits for kernels first, and for the page: their errors belong to the cell that launched them."""
        ctypes.CDLL(None).cusafe_finish_reports()
        reports, lines = self.new_text()
        sys.stderr.write(lines)
        page = self.new_page()
        if page:
            display({"text/plain": "".join(reports), "text/html": _FRAME.format(html.escape(page))}, raw=True)


def _keep_cell(shell, raw):
    """Writes the cell to the file whose name its kernels have, as Jupyter's debugger does: reports show the line."""
    path = shell.compile.get_code_name(raw, raw, 0)
    folder = os.path.dirname(path)
    if os.path.basename(folder) != f"ipykernel_{os.getpid()}":
        return  # a name that the user has chosen, or one that is not a file's
    if not os.path.lexists(folder):
        os.mkdir(folder, 0o700)
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    status = os.lstat(folder)
    if status.st_uid == os.geteuid() and not status.st_mode & 0o022:
        with open(path, "w", encoding="utf-8") as file:
            file.write(raw)


def _start(shell):
    given = os.environ.get("CUSAFE_OPTIONS", "")
    taken = re.search(r"(?:^|:)(log_path|html)=", given)
    if taken:
        print(f"cusafe: cells show no reports, because the option {taken[1]} names a file", file=sys.stderr)
        return
    reports = Reports(given)
    os.environ["CUSAFE_OPTIONS"] = reports.options
    from IPython.display import display  # pylint: disable=import-outside-toplevel,import-error

    shell.events.register("pre_run_cell", lambda cell: _keep_cell(shell, cell.raw_cell))
    shell.events.register("post_run_cell", lambda *_: reports.show(display))


def prepare(module):
    """ipykernel.zmqshell: every shell that it makes shows reports."""
    start = module.ZMQInteractiveShell.init_events

    @functools.wraps(start)
    def init_events(self):
        start(self)
        _start(self)

    module.ZMQInteractiveShell.init_events = init_events
