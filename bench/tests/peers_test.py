"""The loops in C compute correct results, with and without AddressSanitizer. Usage: peers_test.py PROGRAM..."""
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from programs import Held

for program in sys.argv[1:]:
    for name, size in (("gemm", 48), ("jacobi2d", 65), ("spmv", 1000)):
        held = Held([program, name, "--size", str(size)], {"ASAN_OPTIONS": "detect_leaks=0"})
        held.verify()
        held.close()
