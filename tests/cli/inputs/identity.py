"""identity.py CUSAFE OPTIMISED PROGRAM...: copies of one program, built in several folders. For 25 orders and subsets of their errors (100 in the nightly
run), every error has the same fingerprint, and no two errors have one. The program that is OPTIMISED has the same groups, and the frames of the lines can be
resolved after the run. A stripped program has the same fingerprints with its debug file, from a server or a folder, and so have lines that `cusafe symbolize` completes
after the run."""
import http.server
import json
import os
import random
import subprocess
import sys
import tempfile
import threading

ERRORS = 20


def lines_of(program, errors, options=""):
    """The lines of JSON of a run."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        environment = {**os.environ, "CUSAFE_OPTIONS": f"on_error=contain:leak_check=1:log_path=/dev/null:json={file.name}{options}"}
        subprocess.run([program, *map(str, errors)], env=environment, check=False)
        lines = [json.loads(line) for line in open(file.name)]
    assert len({(line["run"], line["host"], line["cusafe"], line["pid"]) for line in lines}) == 1, lines
    return lines


def findings(program, errors):
    """{(kind, access, user's frames): fingerprint} of a run."""
    found = {}
    for line in lines_of(program, errors):
        if line["type"] == "finding":
            stack = [(frame.get("function"), frame["line"]) for frame in line["stack"] if "line" in frame]
            own = stack[: 1 + [function for function, _ in stack].index("main")] if ("main" in dict(stack)) else stack
            found[(line["kind"], line.get("access"), *own)] = line["fingerprint"]
    return found


def groups(program):
    """Without those of store(), whose accesses the optimiser merges into one at its call."""
    return {line["group"] for line in lines_of(program, range(4, ERRORS)) if line["type"] == "finding"}


def check_frames(program):
    """A build identifier of the file, and offsets that lead to the lines."""
    named, bare = (lines_of(program, [9], options)[0]["stack"] for options in ("", ":symbolize=0"))
    (line,) = [frame["line"] for frame in named if frame.get("function", "").startswith("drop(")]
    notes = subprocess.run(["readelf", "-n", program], capture_output=True, text=True, check=True).stdout
    frames = [frame for frame in bare if frame["module"] == program]
    assert frames and all("function" not in frame and frame["build_id"] in notes for frame in frames), bare
    offsets = [hex(int(frame["offset"], 16) - 1) for frame in frames]
    resolved = subprocess.run(["addr2line", "-e", program, *offsets], capture_output=True, text=True, check=True).stdout
    assert f"identity.cu:{line}\n" in resolved or f"identity.cu:{line} " in resolved, (line, resolved)
    (device,) = [line for line in lines_of(program, [0]) if line["type"] == "finding"]
    assert all(len(frame["module"]) == 16 and frame["site"] >= 0 for frame in device["stack"]), device


def without_addresses(value):
    """What two runs have in common."""
    if isinstance(value, dict):
        return {key: without_addresses(item) for key, item in value.items() if key not in ("pc", "time", "pid", "run", "address", "start")}
    return [without_addresses(item) for item in value] if isinstance(value, list) else value


def symbolized(cusafe, lines):
    """The lines with names, and what was said."""
    given = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
    done = subprocess.run([cusafe, "symbolize", "-"], input=given, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def check_later(cusafe, program):
    """All errors, without names, and completed later: the same lines. Lines that have names stay as they are."""
    named, bare = (lines_of(program, range(ERRORS), f":symbolize={flag}")[:-1] for flag in (1, 0))
    assert len(named) == len(bare) > 8 and not [line for line in bare if line["event"] != "access" and "line" in line["place"]], bare
    later, said = symbolized(cusafe, bare)
    for wanted, found in zip(named, later):
        assert without_addresses(wanted) == without_addresses(found), (wanted, found)
    assert len(later) == len(named) and not said, said
    assert [line["stack"][0].get("pc") for line in later] != [line["stack"][0].get("pc") for line in named]
    again, said = symbolized(cusafe, named)
    assert again == named and not said, said


class DebugFiles(http.server.BaseHTTPRequestHandler):
    """A debuginfod server: files by the path of their request."""

    files, asked = {}, []

    def do_GET(self):
        self.asked.append(self.path)
        content = self.files.get(self.path)
        self.send_response(200 if content else 404)
        self.send_header("Content-Length", str(len(content or b"")))
        self.end_headers()
        self.wfile.write(content or b"")

    def log_message(self, *_):
        pass


def stripped_print(program, options=""):
    """The fingerprint of one error on the host, and what the run printed."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        environment = {**os.environ, "CUSAFE_OPTIONS": f"json={file.name}{options}"}
        run = subprocess.run([program, "9"], env=environment, check=False, capture_output=True, text=True)
        return next(json.loads(line)["fingerprint"] for line in open(file.name)), run.stderr


def check_stripped_later(cusafe, program, stripped, folder):
    """Without the server one sentence, and the line as it was; with it, that of the program with its debug data. Once the stripped program is
    removed, it comes from the server, too."""
    (known,), (unknown,) = ([line for line in lines_of(path, [9]) if line["type"] == "finding"] for path in (program, stripped))
    server, files = os.environ.pop("DEBUGINFOD_URLS"), DebugFiles.files
    (same,), said = symbolized(cusafe, [unknown])
    assert same["fingerprint"] == unknown["fingerprint"] != known["fingerprint"] and said.count(f"no debug file of '{os.path.realpath(stripped)}' is on") == 1, said
    os.environ["DEBUGINFOD_URLS"] = server
    with open(stripped, "rb") as file:
        program_file = file.read()
    for step in ("debug file", "program"):
        os.environ["DEBUGINFOD_CACHE_PATH"] = os.path.join(folder, step)
        (later,), said = symbolized(cusafe, [unknown])
        moved = json.dumps(without_addresses(later)).replace(os.path.realpath(stripped), os.path.realpath(program))
        assert json.loads(moved) == without_addresses(known) and not said, (known, later, said)
        if step == "debug file":
            files[f"/buildid/{known['place']['build_id']}/executable"] = program_file
            os.rename(stripped, stripped + ".moved")
    os.environ.pop("DEBUGINFOD_URLS")
    (lost,), said = symbolized(cusafe, [unknown])
    assert lost == unknown and said.count("with the build identifier") == 1, said


def check_stripped(cusafe, program, folder):
    """The server is asked with the option only; without it or the file, one sentence, and another fingerprint."""
    stripped, separate = os.path.join(folder, "stripped"), os.path.join(folder, "debug")
    subprocess.run(["objcopy", "--only-keep-debug", program, separate], check=True)
    subprocess.run(["strip", "-o", stripped, program], check=True)
    (frame, *_) = [f for f in lines_of(program, [9])[0]["stack"] if f["module"] == os.path.realpath(program)]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), DebugFiles)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    os.environ["DEBUGINFOD_URLS"] = f"http://127.0.0.1:{server.server_port}"
    os.environ["DEBUGINFOD_CACHE_PATH"] = os.path.join(folder, "empty")
    known, _ = stripped_print(program)
    unknown, said = stripped_print(stripped)
    assert unknown != known and "debug file" not in said and not DebugFiles.asked, (known, unknown, said)
    unknown, said = stripped_print(stripped, ":debuginfod=1")
    assert unknown != known and said.count(f"no debug file of {os.path.realpath(stripped)} is on") == 1, said
    assert f"/buildid/{frame['build_id']}/debuginfo" in DebugFiles.asked, DebugFiles.asked
    with open(separate, "rb") as file:
        DebugFiles.files[f"/buildid/{frame['build_id']}/debuginfo"] = file.read()
    os.environ["DEBUGINFOD_CACHE_PATH"] = os.path.join(folder, "filled")
    found, said = stripped_print(stripped, ":debuginfod=1")
    assert found == known and "debug file" not in said and "identity.cu:" in said, (known, found, said)
    check_stripped_later(cusafe, program, stripped, folder)
    server.shutdown()


def main():
    cusafe, optimised, *programs = sys.argv[1:]
    assert groups(optimised) == groups(programs[0])
    check_frames(programs[0])
    with tempfile.TemporaryDirectory() as folder:
        check_stripped(cusafe, programs[0], folder)
    check_later(cusafe, programs[0])
    check_later(cusafe, optimised)
    first, second = (lines_of(programs[0], [0])[0]["run"] for _ in range(2))
    assert first != second
    choose, known = random.Random(36), findings(programs[0], range(ERRORS))
    assert len(known) == ERRORS + 1, known  # p[100] = p[-1] is two
    assert len(set(known.values())) == len(known), known
    assert len({text[:16] for text in known.values()}) < len(known), "no two hashes are equal: nothing was numbered"
    for i in range(100 if os.environ.get("CUSAFE_NIGHTLY") else 25):
        errors = choose.sample(range(ERRORS), choose.randint(1, ERRORS))
        found = findings(programs[i % len(programs)], errors)
        assert len(found) == len(errors) + (6 in errors), (errors, found)
        assert found.items() <= known.items(), (errors, set(found.items()) - set(known.items()))


main()
