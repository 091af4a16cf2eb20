"""pytest_cusafe: `pytest --cusafe` runs the tests under CuSafe, and a test in whose time a memory error is found fails.

libcusafe has to be loaded before the interpreter, so pytest starts itself once more, through `cusafe run`. Bad accesses are
contained, so that later tests run as if nothing had happened. libcusafe writes its findings to a file, one line of JSON for
each; what is new there after a test is the test's. The report itself is on standard error, which pytest shows for the test."""

import ctypes
import json
import os
import shutil
import sys
import tempfile

import pytest

_watch_key = pytest.StashKey()


def _is_loaded(library):
    with open("/proc/self/maps") as maps:
        return any(library in line for line in maps)


def _command():
    beside = os.path.join(os.path.dirname(sys.executable), "cusafe")
    return shutil.which("cusafe") or (beside if os.access(beside, os.X_OK) else None)


class Watch:
    """The findings of this process, as they come."""

    def __init__(self):
        handle, self.path = tempfile.mkstemp(prefix="cusafe-pytest-", suffix=".jsonl")
        os.close(handle)
        self.read, self.count = 0, 0
        # What the user asked for, also in a worker, which inherits what its parent has made of it.
        asked = os.environ.setdefault("CUSAFE_PYTEST_OPTIONS", os.environ.get("CUSAFE_OPTIONS", ""))
        if any(option.startswith("json=") for option in asked.split(":")):
            raise pytest.UsageError("--cusafe reads the file of json itself: leave json= out of CUSAFE_OPTIONS")
        options = ["on_error=contain", asked, f"json='{self.path}'"]
        os.environ["CUSAFE_OPTIONS"] = ":".join(option for option in options if option)

    def new(self):
        """What was found since it was asked last. Kernels that still run belong to the test that launched them."""
        if _is_loaded("libcuda.so"):
            ctypes.CDLL(None).cuCtxSynchronize()
        with open(self.path) as file:
            file.seek(self.read)
            lines = file.readlines()
            self.read = file.tell()
        found = [line for line in map(json.loads, lines) if line["type"] == "finding"]
        self.count += len(found)
        return found


def _sentence(finding):
    place = finding.get("place", {})
    where = f"{place['file']}:{place['line']}: " if "file" in place and "line" in place else ""
    return f"CuSafe: {where}{finding['kind']}: {finding['message']} [{finding['fingerprint']}]"


def pytest_addoption(parser):
    parser.getgroup("cusafe").addoption(
        "--cusafe", action="store_true", help="run the tests under CuSafe; a test with a memory error on the device fails"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    if not config.option.cusafe or _is_loaded("libcusafe.so"):
        return None
    command = _command()
    if not command:
        raise pytest.UsageError("--cusafe: there is no command cusafe on PATH; install CuSafe, or add its bin folder")
    capture = config.pluginmanager.getplugin("capturemanager")
    if capture:
        capture.stop_global_capturing()
    sys.stdout.flush()
    os.execv(command, [command, "run", sys.executable, "-m", "pytest", *map(str, config.invocation_params.args)])


def pytest_configure(config):
    if config.option.cusafe and _is_loaded("libcusafe.so"):
        config.stash[_watch_key] = Watch()


def pytest_unconfigure(config):
    watch = config.stash.get(_watch_key, None)
    if watch:
        os.unlink(watch.path)


def _judge(item):
    """Around a part of a test: fails it for what was found in its time, unless it has failed by itself."""
    watch, found = item.config.stash.get(_watch_key, None), []
    try:
        return (yield)
    finally:
        found = watch.new() if watch else []
        if found and sys.exc_info()[0] is None:
            pytest.fail("\n".join(map(_sentence, found)), pytrace=False)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item):
    return (yield from _judge(item))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item):
    return (yield from _judge(item))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item):
    return (yield from _judge(item))


def pytest_terminal_summary(terminalreporter, config):
    watch = config.stash.get(_watch_key, None)
    if watch:
        terminalreporter.write_line(f"cusafe: {watch.count} finding{'' if watch.count == 1 else 's'}")
