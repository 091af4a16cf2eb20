"""bench/gpu --executed: a count derived by hand, the same output in every run, and what is refused."""
import re
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))
import executed
import ptx

# A loop with a block that the back end has added before it.
LOOP = """
.visible .entry k(
	.param .u32 k_param_0
)
{
	.reg .pred 	%p<3>;

// %bb.0:                               // %cs.0.0000abcd
	ld.param.b32 	%r1, [k_param_0];
	setp.lt.s32 	%p1, %r1, 1;
	@%p1 bra 	$L__BB0_4;
// %bb.1:                               // %cs.1.0000abcd.preheader
	.loc	1 5 35
	mov.b32 	%r2, 0;
$L__BB0_2:                              // %cs.1.0000abcd
                                        // =>This Inner Loop Header: Depth=1
	{ // callseq 0, 0
	.param .b32 	param0;
	st.param.b32 	[param0], %r2;
	call.uni f, (param0);
	} // callseq 0
	add.s32 	%r2, %r2, 1;
	setp.lt.s32 	%p2, %r2, %r1;
	@%p2 bra 	$L__BB0_2;
$L__BB0_4:                              // %cs.2.0000abcd
	ret;
}
"""


def counters(*pairs):
    return executed.counters_of("k 0 0000abcd " + " ".join(pairs) + ";")["k"]


class Counts(unittest.TestCase):
    def setUp(self):
        self.function = ptx.functions(LOOP)["k"]

    def test_lengths(self):
        self.assertEqual([b.instructions() for b in self.function.blocks], [3, 1, 5, 1])

    def test_warps(self):
        """Two warps of 32 threads, one of which enters the loop with all its lanes."""
        warps = executed.executions(self.function, *counters("2/64", "10/320", "2/64"))
        # of the added block: at most as often as the one before it; how many threads enter the loop is not known
        self.assertEqual([(warps[b].warps, warps[b].threads) for b in self.function.blocks], [(2, 64), (2, None), (10, 320), (2, 64)])

    def test_sass(self):
        """Of the loop's block ptxas has moved two instructions out of the loop, or has dissolved the loop."""
        warps, nesting = executed.executions(self.function, *counters("2/64", "10/320", "2/64")), executed.Nesting(self.function)
        entry, before, loop, end = self.function.blocks
        self.assertEqual([len(nesting.around[b]) for b in self.function.blocks], [0, 0, 1, 0])
        lengths = {entry: {0: 3}, before: {}, loop: {0: 2, 1: 4}, end: {0: 1}}
        self.assertEqual([nesting.executions(b, warps, lengths) for b in self.function.blocks], [6, 0, 2 * 2 + 10 * 4, 2])
        dissolved = {**lengths, loop: {0: 6}}
        self.assertEqual(nesting.executions(loop, warps, dissolved), 60)

    def test_scattering(self):
        """A second way out of the loop does not lead to its end."""
        leaves = LOOP.replace("\tadd.s32", "\t@%p3 bra \t$L__BB0_5;\n// %bb.3:\n\tadd.s32").replace("\tret;", "\tret;\n$L__BB0_5:\n\tret;")
        self.assertEqual(len(ptx.loops(self.function)), 1)
        self.assertEqual(ptx.scattering_loops(self.function), [])
        self.assertEqual(len(ptx.scattering_loops(ptx.functions(leaves)["k"])), 1)

    def test_other_code(self):
        with self.assertRaisesRegex(SystemExit, "other code"):
            executed.executions(self.function, "0000abce", counters("2/64", "10/320", "2/64")[1])

    def test_contradiction(self):
        """More threads leave than enter."""
        with self.assertRaisesRegex(SystemExit, "neighbours"):
            executed.executions(self.function, *counters("2/64", "0/0", "3/65"))


class Device(unittest.TestCase):
    """On the CPU device. The blocks of bfs race: what a thread executes depends on the order of the others."""

    @classmethod
    def setUpClass(cls):
        command = [HERE / "gpu", "--executed", "--lengths=ptx", "--only=jacobi2d", "--only=bfs", *OPTIONS]
        cls.outputs = [subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout for _ in range(2)]

    def test_same_in_every_run(self):
        self.assertEqual(*self.outputs)

    def test_by_hand(self):
        """Ten launches over 768 by 768 elements, in warps of 32 along a row: all execute the 19 instructions of the entry and the
        return, and those of the 766 inner rows another 20. The launch covers all checks, so the checked program executes no more."""
        warps, inner = 10 * 768 * 24, 10 * 766 * 24
        row = re.search(r"^stencils +jacobi2d +(\d+) +(\d+) +(\S+)", self.outputs[0], re.M)
        self.assertEqual(int(row.group(1)), warps * (19 + 1) + inner * 20)
        self.assertEqual(row.groups()[1:], (row.group(1), "1.000"))

    def test_last_line(self):
        self.assertRegex(self.outputs[0].splitlines()[-1], r"^executed: geomean \d+\.\d{3} max \d+\.\d{3} over 2 kernels$")


class Sampled(unittest.TestCase):
    """Launches that are not sampled execute what bare executes: spmv has a form for them, jacobi2d's checks are decided by the host."""

    def test_not_sampled(self):
        command = [HERE / "gpu", "--executed", "--lengths=ptx", "--sample=0.01", "--at-most=1.01", "--only=jacobi2d", "--only=spmv", *OPTIONS]
        output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        rows = [re.search(r"^\w+ +%s +(\d+) +(\d+) +(\S+) +(\d+) +(\S+)" % name, output, re.M) for name in ("jacobi2d", "spmv")]
        self.assertEqual([row[1] for row in rows], [row[4] for row in rows])
        checked = float(rows[1][3])
        self.assertGreater(checked, 1.1)
        self.assertAlmostEqual(float(rows[1][5]), 0.99 + 0.01 * checked, delta=0.001)


if __name__ == "__main__":
    OPTIONS = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
