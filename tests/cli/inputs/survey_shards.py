"""survey_shards.py [--parallel] CUSAFE SCRIPTS SCRATCH: surveys of six small folders that need no compiler: in shards, killed and resumed,
one folder at a time, and merged; or, with --parallel, with GNU parallel. SCRIPTS is packaging/survey."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

WITH_PARALLEL = sys.argv[1] == "--parallel"
CUSAFE, SCRIPTS, SCRATCH = sys.argv[-3], Path(sys.argv[-2]), Path(sys.argv[-1])
TREE, RUNS, HOLD = SCRATCH / "tree", SCRATCH / "runs", SCRATCH / "hold"
FOLDERS = ["a", "b", "c", "deep/held", "it's one", "last"]
# `make` counts as a build because it writes the log of nvcc's calls.
MAKEFILE = """all:
\techo called >> "$(CUSAFE_CC_LOG)"
run:
\techo "{name}" >> {runs}
\t{command}
"""
COMMANDS = {"b": "echo FAILED; exit 3", "deep/held": f"echo $$$$ > {SCRATCH}/pid; while test -e {HOLD}; do sleep 0.05; done"}


def make_tree():
    for name in FOLDERS:
        folder = TREE / name
        folder.mkdir(parents=True)
        (folder / "main.cu").touch()
        (folder / "Makefile").write_text(MAKEFILE.format(name=name, runs=RUNS, command=COMMANDS.get(name, "true")))


def survey(*arguments, status=0, program=None, **environment):
    """The output; of a failure the message."""
    done = subprocess.run([*(program or [CUSAFE, "survey"]), *map(str, arguments)], capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})
    assert done.returncode == status, (arguments, done)
    return done.stderr if status else done.stdout


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.endswith("}")]


def names(path):
    return [line["folder"] for line in lines(path)]


def ran():
    """The folders that ran since the last call."""
    found = RUNS.read_text().splitlines() if RUNS.exists() else []
    RUNS.unlink(missing_ok=True)
    return sorted(found)


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "timeout"
        time.sleep(0.02)


def start_held(*command, **options):
    """A survey that is in deep/held."""
    (SCRATCH / "pid").unlink(missing_ok=True)
    HOLD.touch()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **options)
    wait_for(lambda: (SCRATCH / "pid").exists() and (SCRATCH / "pid").read_text().endswith("\n"))
    return process


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def whole():
    """One run: its table, and its JSON."""
    table = survey("--results", SCRATCH / "all.jsonl", "--json", SCRATCH / "all.json", TREE)
    assert "survey: 6 folders, 6 built, 5 ran, 5 passed, 0 with findings" in table, table
    assert ran() == FOLDERS and sorted(names(SCRATCH / "all.jsonl")) == FOLDERS
    assert survey("--list", TREE).splitlines() == FOLDERS
    assert survey("--merge", "--json", SCRATCH / "merged.json", SCRATCH / "all.jsonl") == table
    assert (SCRATCH / "merged.json").read_text() == (SCRATCH / "all.json").read_text()
    assert survey("--resume", "--results", SCRATCH / "all.jsonl", TREE) == table and not ran()
    return table


def check_sbatch_lines():
    """Slurm reads the lines before the first command, and refuses a job with an option that sbatch does not have."""
    forms = {"job-name": r"[\w-]+", "array": r"\d+-\d+", "cpus-per-task": r"\d+", "time": r"\d\d:\d\d:\d\d", "output": r"[\w-]*%A[\w-]*%a[.]log",
             "open-mode": "append", "requeue": None}
    text = (SCRIPTS / "slurm").read_text()
    subprocess.run(["bash", "-n", SCRIPTS / "slurm"], check=True)
    start = text[:text.index("\nset ")].splitlines()
    assert start[0] == "#!/usr/bin/env bash" and all(line.startswith("#") for line in start)
    options = [line.split(" ", 1)[1] for line in text.splitlines() if line.startswith("#SBATCH")]
    assert options == [line.split(" ", 1)[1] for line in start if line.startswith("#SBATCH ")]
    for option in options:
        name, _, value = option.removeprefix("--").partition("=")
        assert option.startswith("--") and (re.fullmatch(forms[name], value) if forms[name] else not value), option


def shards(table):
    """As tasks of Slurm's array; the last of eight has no folder."""
    results, parts = SCRATCH / "slurm", []
    for task in (1, 2):
        parts += [survey("--list", f"--shard={task}/2", TREE).splitlines()]
        survey(results, TREE, program=[SCRIPTS / "slurm"], SLURM_ARRAY_TASK_ID=str(task), SLURM_ARRAY_TASK_COUNT="2", CUSAFE=CUSAFE)
        assert sorted(names(results / f"shard-{task}-of-2.jsonl")) == ran() == parts[-1]
    assert sorted(parts[0] + parts[1]) == FOLDERS and parts[0] == FOLDERS[::2]
    assert survey("--merge", *sorted(results.iterdir())) == table
    check_sbatch_lines()
    assert survey("--list", "--shard=8/8", TREE) == ""
    assert "survey: 0 folders" in survey("--shard=8/8", TREE)
    assert survey("--list", "--every=2", "--shard=2/2", TREE).splitlines() == ["c"]


def killed_survey(table):
    results = SCRATCH / "killed.jsonl"
    process = start_held(CUSAFE, "survey", "--jobs=1", f"--results={results}", TREE)
    process.kill()
    process.wait()
    wait_for(lambda: not is_alive((SCRATCH / "pid").read_text().strip()))  # though its file is still there
    HOLD.unlink()
    assert names(results) == FOLDERS[:3] and ran() == FOLDERS[:4]
    with results.open("a") as out:
        out.write('{"folder": "last", "bui')
    assert survey("--resume", "--results", results, TREE) == table
    assert ran() == FOLDERS[3:] and sorted(names(results)) == FOLDERS
    assert survey("--merge", results) == table


def killed_worker(table):
    results = SCRATCH / "worker.jsonl"
    process = start_held(CUSAFE, "survey", "--jobs=1", f"--results={results}", TREE)
    workers = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    assert len(workers) == 1
    os.kill(int(workers[0]), signal.SIGKILL)
    HOLD.unlink()
    wait_for(lambda: not is_alive((SCRATCH / "pid").read_text().strip()))
    broken, _ = process.communicate()
    assert process.returncode == 0 and "deep/held  no     -    -       -         cusafe: the survey's worker process died" in broken, broken
    assert survey("--merge", results) == broken
    assert sorted(names(results)) == ran() == FOLDERS
    assert survey("--resume", "--results", results, TREE) == table and ran() == ["deep/held"]
    assert survey("--merge", results) == table


def one_folder():
    line = json.loads(survey("--folder=it's one", "--results", SCRATCH / "one.jsonl", TREE))
    assert line == lines(SCRATCH / "one.jsonl")[0] and line["folder"] == "it's one" and line["passed"] and line["options"] == ""
    assert ran() == ["it's one"]
    assert "no folder is named it's; `cusafe survey --list`" in survey("--folder=it's", TREE, status=1)


def mistakes():
    bare = SCRATCH / "bare.jsonl"
    survey("--bare", "--build-only", "--only=a", "--results", bare, TREE)
    assert "a       yes    -    -       -" in survey("--merge", bare)
    assert "which make separate tables" in survey("--merge", SCRATCH / "all.jsonl", bare, status=1)
    assert "has results with the options '--bare --build-only'" in survey("--resume", "--results", bare, TREE, status=1)
    assert "has no results of a survey" in survey("--merge", SCRATCH / "all.json", status=1)
    assert "cannot read" in survey("--merge", SCRATCH / "missing", status=1)
    assert "no file to merge" in survey("--merge", status=2)
    assert "--resume requires --results" in survey("--resume", TREE, status=2)
    assert "exclude it" in survey("--merge", "--list", bare, status=2)
    for shard in ("0/2", "3/2", "1", "1/2x", "/", "1/99999999999999999999"):
        assert "expected i/n" in survey("--shard", shard, TREE, status=2), shard
    assert "usage: sbatch" in survey(TREE, program=[SCRIPTS / "slurm"], status=2)


def is_gnu_parallel():
    """moreutils has another program of this name."""
    path = shutil.which("parallel")
    return path and "GNU parallel" in subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout


def with_parallel():
    """Interrupted as by Ctrl-C while the fourth job runs, and started again."""
    results = SCRATCH / "results"
    command = [SCRIPTS / "parallel", "-j", "1", results, TREE]
    environment = {**os.environ, "CUSAFE": CUSAFE}
    process = start_held(*command, start_new_session=True, env=environment)
    os.killpg(process.pid, signal.SIGINT)
    process.communicate()
    wait_for(lambda: not is_alive((SCRATCH / "pid").read_text().strip()))
    HOLD.unlink()
    assert names(results / "results.jsonl") == FOLDERS[:3] and ran() == FOLDERS[:4]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    assert ran() == FOLDERS[3:]
    assert done.stdout == survey("--merge", SCRATCH / "all.jsonl")


def main():
    os.environ["TMPDIR"] = str(SCRATCH)  # killed surveys leave their temporary folders
    if WITH_PARALLEL and not is_gnu_parallel():
        print("skipped: GNU parallel is not installed")
        sys.exit(77)
    if WITH_PARALLEL:
        shutil.rmtree(SCRATCH, ignore_errors=True)
    make_tree()
    table = whole()
    if WITH_PARALLEL:
        with_parallel()
        return
    shards(table)
    killed_survey(table)
    killed_worker(table)
    one_folder()
    mistakes()


try:
    main()
finally:
    HOLD.unlink(missing_ok=True)  # of a program that runs although it should not
