"""pytest_cusafe: `pytest --cusafe` runs the tests under CuSafe and fails every test during which CuSafe finds an error.

libcusafe must be loaded before the interpreter, so pytest restarts itself through `cusafe run`. Invalid accesses are contained, so
later tests are unaffected. libcusafe appends each finding to a file as a line of JSON; lines that appear during a test belong to
that test. The report itself goes to standard error, which pytest shows for the test."""

import ctypes
import json
import os
import shutil
import sys
import tempfile
import time
import warnings

import pytest

_PATIENCE = 30  # seconds
_watch_key = pytest.StashKey()


def _is_loaded(library):
    with open("/proc/self/maps") as maps:
        return any(library in line for line in maps)


def _command():
    next_to_python = os.path.join(os.path.dirname(sys.executable), "cusafe")
    return shutil.which("cusafe") or (next_to_python if os.access(next_to_python, os.X_OK) else None)


class Watch:
    """The findings of this process, read as they appear."""

    def __init__(self):
        handle, self.path = tempfile.mkstemp(prefix="cusafe-pytest-", suffix=".jsonl")
        os.close(handle)
        self.read, self.count = 0, 0
        self.finish = ctypes.CDLL(None).cusafe_finish_reports
        # The user's options, in a worker as well, which inherits the options that its parent composed.
        given = os.environ.setdefault("CUSAFE_PYTEST_OPTIONS", os.environ.get("CUSAFE_OPTIONS", ""))
        if any(option.startswith("json=") for option in given.split(":")):
            raise pytest.UsageError("--cusafe uses the option json itself: remove json= from CUSAFE_OPTIONS")
        options = ["on_error=contain", given, f"json='{self.path}'"]
        os.environ["CUSAFE_OPTIONS"] = ":".join(option for option in options if option)

    def new(self):
        """Returns the findings since the last call. Waits for kernels and for the file first: errors belong to the test that launched
        the kernel, even if libcusafe is held up by another report file."""
        end = time.monotonic() + _PATIENCE
        while self.finish():
            if time.monotonic() > end:
                warnings.warn("a report file is too slow; CuSafe's findings may count for a later test", stacklevel=1)
                break
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
    group = parser.getgroup("cusafe")
    group.addoption(
        "--cusafe", action="store_true", help="run the tests under CuSafe; a test with an error on the device fails"
    )
    group.addoption("--cusafe-device", choices=("cpu", "gpu"), help="with --cusafe: as the option --device of `cusafe run`")
    group.addoption("--cusafe-detect", metavar="LIST", help="with --cusafe: as the option --detect of `cusafe run`")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    if not config.option.cusafe or _is_loaded("libcusafe.so"):
        return None
    command = _command()
    if not command:
        raise pytest.UsageError("--cusafe: the command cusafe is not on PATH; install CuSafe, or add its bin folder to PATH")
    capture = config.pluginmanager.getplugin("capturemanager")
    if capture:
        capture.stop_global_capturing()
    sys.stdout.flush()
    chosen = {"device": config.option.cusafe_device, "detect": config.option.cusafe_detect}
    options = [f"--{name}={value}" for name, value in chosen.items() if value]
    arguments = map(str, config.invocation_params.args)
    os.execv(command, [command, "run", *options, sys.executable, "-m", "pytest", *arguments])


def pytest_configure(config):
    if config.option.cusafe and _is_loaded("libcusafe.so"):
        config.stash[_watch_key] = Watch()


def pytest_unconfigure(config):
    watch = config.stash.get(_watch_key, None)
    if watch:
        os.unlink(watch.path)


def _judge(item):
    """Wraps one phase of a test: fails the test for findings during the phase, unless it has failed already."""
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
