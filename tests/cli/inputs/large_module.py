"""Writes a PTX module of about 20 MB: thousands of kernels, and a few that large_module.cpp launches."""
import sys

HEAD = """.version 9.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 counter = 5;
.visible .global .align 8 .u64 where = generic(counter);
.func (.param .b32 func_retval0) twice(.param .b32 twice_param_0)
{
\t.reg .b32 %r<3>;
\tld.param.u32 %r1, [twice_param_0];
\tadd.s32 %r2, %r1, %r1;
\tst.param.b32 [func_retval0], %r2;
\tret;
}
.visible .entry add(.param .u64 add_param_0)
{
\t.reg .b32 %r<7>;
\t.reg .b64 %rd<5>;
\t.loc 1 3 1
\tld.param.u64 %rd1, [add_param_0];
\tcvta.to.global.u64 %rd2, %rd1;
\tmov.u32 %r1, %tid.x;
\t{ // callseq {
\t.param .b32 param0;
\tst.param.b32 [param0], %r1;
\t.param .b32 retval0;
\tcall.uni (retval0), twice, (param0);
\tld.param.b32 %r2, [retval0];
\t}
\tld.global.u32 %r3, [counter];
\tadd.s32 %r4, %r2, %r3;
\tmul.wide.u32 %rd3, %r1, 4;
\tadd.s64 %rd4, %rd2, %rd3;
\t.loc 1 4 1
\tst.global.u32 [%rd4], %r4;
\tret;
}
.visible .entry bump(.param .u32 bump_param_0)
{
\t.reg .b32 %r<4>;
\t.reg .b64 %rd<5>;
\t.loc 1 8 1
\tld.param.u32 %r1, [bump_param_0];
\tld.global.u64 %rd1, [where];
\tcvta.to.global.u64 %rd2, %rd1;
\tmul.wide.u32 %rd3, %r1, 4;
\tadd.s64 %rd4, %rd2, %rd3;
\t.loc 1 9 1
\tld.global.u32 %r2, [%rd4];
\tadd.s32 %r3, %r2, 1;
\t.loc 1 10 1
\tst.global.u32 [%rd4], %r3;
\tret;
}
.visible .entry refused()
{
\tno.such.instruction;
}
"""
KERNEL = """.visible .entry k{0}(.param .u64 k{0}_param_0)
{{
\t.reg .b32 %r<{1}>;
\t.reg .b64 %rd<3>;
\tld.param.u64 %rd1, [k{0}_param_0];
\tcvta.to.global.u64 %rd2, %rd1;
\tmov.u32 %r0, {0};
{2}\tst.global.u32 [%rd2], %r{3};
\tret;
}}
"""


def main():
    length, count = 100, 4400
    body = "".join(f"\tmad.lo.s32 \t%r{i}, %r{i - 1}, %r{i - 1}, {i}; // filler\n" for i in range(1, length))
    with open(sys.argv[1], "w", encoding="ascii") as out:
        out.write(HEAD)
        for i in range(count):
            out.write(KERNEL.format(i, length, body, length - 1))
        out.write('\t.file 1 "/src/large.cu"\n')


main()
