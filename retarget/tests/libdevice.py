#!/usr/bin/env python3
"""Every function that NVIDIA's libdevice exports can be translated: one kernel for each goes through cusafe-retarget.

usage: libdevice.py LIBDEVICE.bc LLVM_BIN CUSAFE_RETARGET WORK"""

import os
import re
import subprocess
import sys


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"$ {' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def exported(text):
    """Name, result and parameter types of each definition."""
    for head in re.findall(r"^define [^{]*", text, re.MULTILINE):
        m = re.search(r"(\S+) @(__nv_\w+)\(([^)]*)\)", head)
        if m and " internal " not in head:
            yield m.group(2), m.group(1), [p.split()[0] for p in m.group(3).split(",") if p.strip()]


def kernel(name, result, types):
    """Arguments come from memory and the result goes there, so that nothing is folded away."""
    lines, values = ["  %g = addrspacecast ptr addrspace(1) %p to ptr"], []
    for i, each in enumerate(types):
        if each == "ptr":
            values.append("ptr %g")
            continue
        lines.append(f"  %p{i} = getelementptr i64, ptr addrspace(1) %p, i64 {i + 1}")
        lines.append(f"  %a{i} = load {each}, ptr addrspace(1) %p{i}")
        values.append(f"{each} %a{i}")
    call = f"call {result} @{name}({', '.join(values)})"
    lines.append(f"  {call}" if result == "void" else f"  %r = {call}\n  store {result} %r, ptr addrspace(1) %p")
    body = "\n".join(lines)
    return (f"declare {result} @{name}({', '.join(types)})\n"
            f"define ptx_kernel void @test{name}(ptr addrspace(1) %p) {{\n{body}\n  ret void\n}}\n")


def main():
    library, llvm, retarget, work = sys.argv[1:]
    os.makedirs(work, exist_ok=True)
    at = lambda name: os.path.join(work, name)
    functions = list(exported(run(f"{llvm}/llvm-dis", library, "-o", "-")))
    with open(at("calls.ll"), "w", encoding="utf-8") as f:
        f.write('target triple = "nvptx64-nvidia-cuda"\n')
        f.writelines(kernel(*each) for each in functions)
    run(f"{llvm}/llvm-link", at("calls.ll"), "--only-needed", library, "-o", at("linked.bc"))
    run(f"{llvm}/opt", "-mtriple=nvptx64-nvidia-cuda", "-mcpu=sm_80", "-passes=default<O1>", at("linked.bc"), "-o",
        at("calls.bc"))
    run(retarget, at("calls.bc"), "-o", at("calls.img"))
    print(f"{len(functions)} functions of libdevice")
    if len(functions) < 300:
        sys.exit("too few: the list was not read")


main()
