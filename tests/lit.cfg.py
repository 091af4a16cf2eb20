"""Configuration of all lit tests; lit.site.cfg.py in the build tree loads it with the build's paths."""

import os
import sys

import lit.formats

sys.path.insert(0, os.path.dirname(__file__))

config.name = "cusafe"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".test"]
config.excludes = ["inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.cusafe_build, "tests")
config.cusafe = os.path.join(config.cusafe_build, "bin", "cusafe")


# Options of a user's shell must not change the tests, but may locate the engine.
for name in ("OCL_ICD_VENDORS", "CUSAFE_ENGINE", "HOME", "XDG_DATA_HOME", "CUDA_PATH", "CUDA_HOME"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
config.environment.pop("CUSAFE_OPTIONS", None)
# The engine's optimiser takes most of a small program's time, so suites that run at many levels enable it at only one of them.
if lit_config.params.get("optimize") == "0":
    config.environment["CUSAFE_CPU_OPTIMIZE"] = "0"
# Programs with a table of many kernels run all of them, instead of one for each kind.
if config.nightly:
    config.environment["CUSAFE_NIGHTLY"] = "1"
# clang++.in: headers are parsed once for all programs.
if "clang" in lit_config.params:
    config.environment["CUSAFE_CLANG"] = lit_config.params["clang"]
# install-deps installs lit and the engine into one environment. Bare programs run without `cusafe run`, which would find the engine.
engine = os.path.join(sys.prefix, "icd")
if os.path.isdir(engine):
    config.environment.setdefault("OCL_ICD_VENDORS", engine)
config.environment["PATH"] = os.pathsep.join([config.llvm_bin, os.environ["PATH"]])

private = os.path.join(config.cusafe_build, "lib", "cusafe")


def runtime(placement):
    return f"{private}/device/check-{placement}.bc"


# The pass alone, on device code that includes none of NVIDIA's headers.
plugin = f"-Xclang -load -Xclang {private}/cusafe-pass.so -fpass-plugin={private}/cusafe-pass.so"
device_cc = (
    f"{config.llvm_bin}/clang++ -x cuda --cuda-device-only --offload-arch=sm_80 -nocudainc -nocudalib -emit-llvm -S "
    f"-gline-tables-only -Wno-unknown-cuda-version {plugin}"
)
# The options that `cusafe cc` passes to clang for the device side: scopes even at -O0, and clang's checks of indices, which the pass
# converts into CuSafe's.
checks = ("-fsanitize-address-use-after-scope", "-fsanitize=array-bounds", "-fsanitize-recover=array-bounds")
config.substitutions += [
    ("%cusafe", config.cusafe),
    ("%examples", os.path.join(config.cusafe_source, "examples")),
    ("%programs", os.path.join(config.test_source_root, "programs")),
    ("%inputs", os.path.join(config.test_source_root, "inputs")),
    ("%source", config.cusafe_source),
    ("%build", config.cusafe_build),
    ("%private", private),
    # CI compiles one program for all of them (gpu/first_bug.test), and the others for the oldest.
    ("%architectures", "sm_75,sm_80,sm_90,sm_100,sm_120" if config.nightly else "sm_75"),
    ("%llvm", config.llvm_bin),
    ("%cuda", config.cuda_path),
    ("%runtime_table", runtime("table")),
    ("%runtime_window", runtime("window")),
    ("%clang_cuda", f"{config.llvm_bin}/clang++ -x cuda --cuda-path={config.cuda_path} -Wno-unknown-cuda-version -g1"),
    ("%pass_flags", f"{plugin} -mllvm -cusafe-runtime={runtime('table')}"),
    ("%clang_checks", " ".join(f"-Xclang {flag}" for flag in checks)),
    ("%device_cc_with", f"{device_cc} -mllvm -cusafe-runtime -mllvm"),  # a bitcode file follows
    ("%device_cc_window", f"{device_cc} -mllvm -cusafe-runtime={runtime('window')} -mllvm -cusafe-metadata=window"),
    ("%device_cc", f"{device_cc} -mllvm -cusafe-runtime={runtime('table')}"),
]
