"""The counts of sass.py, on listings small enough to count by hand."""
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import sass

# Two nested loops. The inner one has a cold path; the end of the section is padding.
CHECKED = """
	.section	.text.k,"ax",@progbits
k:
.text.k:
        /*0000*/                   MOV R1, R2 ;
.L_outer:
        /*0010*/                   IADD3 R0, R0, 0x1, RZ ;
.L_inner:
        /*0020*/                   LDG.E.64.CONSTANT R4, desc[UR6][R4.64] ;
        /*0030*/               @P0 BRA `(.L_ok) ;
        /*0040*/                   MOV R22, 0x60 ;
        /*0050*/                   CALL.REL.NOINC `($k$__cs_fail) ;
.L_ok:
        /*0060*/                   LDG.E R8, desc[UR6][R16.64] ;
        /*0070*/                   FADD R9, R9, R8 ;
        /*0080*/                   BRA P1, `(.L_inner) ;
        /*0090*/                   ISETP.GE.AND P2, PT, R0, R7, PT ;
        /*00a0*/              @!P2 BRA `(.L_outer) ;
        /*00b0*/                   STG.E desc[UR6][R18.64], R9 ;
        /*00c0*/                   EXIT ;
        .type           $k$__cs_fail,@function
$k$__cs_fail:
        /*00d0*/                   MOV R3, R4 ;
        /*00e0*/                   RET.REL.NODEC R20 `(k) ;
.L_x_4:
        /*00f0*/                   BRA `(.L_x_4);
        /*0100*/                   NOP;
"""

# The shortest path through the checker has four instructions.
MEMCHECK = """
	.section	.text.m,"ax",@progbits
m:
.text.m:
        /*0000*/                   MOV R1, R2 ;
.L_loop:
        /*0010*/                   CALL.REL.NOINC `($__internal_0_$__cuda_sanitizer_memcheck_global) ;
        /*0020*/                   LDG.E R8, desc[UR6][R16.64] ;
        /*0030*/               @P0 BRA `(.L_loop) ;
        /*0040*/                   EXIT ;
$__internal_0_$__cuda_sanitizer_memcheck_global:
        /*0050*/                   ISETP.NE.U32.AND P0, PT, R18, RZ, PT ;
        /*0060*/              @!P0 BRA `(.L_far) ;
        /*0070*/                   MOV R1, R2 ;
        /*0080*/                   RET.REL.NODEC R20 `(m) ;
.L_far:
        /*0090*/                   MOV R1, R2 ;
        /*00a0*/                   MOV R1, R2 ;
        /*00b0*/                   RET.REL.NODEC R20 `(m) ;
"""


class Counts(unittest.TestCase):
    def test_innermost_loop_without_its_cold_path(self):
        kernel = sass.kernels(CHECKED)["k"]
        self.assertEqual(len(kernel.body.loops()), 2)
        self.assertEqual(kernel.innermost(), (5, 2, 1))  # instructions, accesses, metadata loads among them

    def test_all_instructions_except_padding(self):
        self.assertEqual(sass.kernels(CHECKED)["k"].all, 15)

    def test_a_called_checker_is_executed(self):
        self.assertEqual(sass.kernels(MEMCHECK)["m"].innermost(), (3 + 4, 1, 0))

    def test_lines_by_the_loops_around_them(self):
        lines = "\n".join('//## File "k", line %d\n%s' % (1 + ("LDG" in line), line) for line in CHECKED.splitlines())
        counts, kernels = sass.by_line(lines)
        self.assertEqual(counts, {1: {0: 5, 1: 3, 2: 5}, 2: {2: 2}})
        self.assertEqual(kernels, {1: 1, 2: 1})


if __name__ == "__main__":
    unittest.main()
