"""damage_cache.py CACHE PROGRAM: flips bits of the cached modules, truncates them, and runs the program each time: it works as before."""
import os
import random
import subprocess
import sys
from pathlib import Path

cache, program = Path(sys.argv[1]), sys.argv[2]
environment = {**os.environ, "CUDA_CACHE_PATH": str(cache)}
choose = random.Random(17)
good = {path.name: path.read_bytes() for path in cache.iterdir()}
for round in range(6):
    for name, content in good.items():
        damaged = bytearray(content)
        if round % 3 == 2:
            del damaged[choose.randrange(len(damaged)):]
        else:
            damaged[choose.randrange(len(damaged))] ^= 1 << choose.randrange(8)
        (cache / name).write_bytes(damaged)
    result = subprocess.run([program, "10"], env=environment, capture_output=True, text=True)
    assert result.returncode == 0 and not result.stderr, (round, result)
    written = sum((cache / name).read_bytes() == content for name, content in good.items())
    assert written, f"round {round}: no file was replaced"
