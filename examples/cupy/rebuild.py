"""rebuild.py: builds the module by which CuPy calls the CUDA runtime again, with the shared runtime in place of NVIDIA's static one, so that
CuPy runs on CuSafe's CPU device.

    pip install cupy-cuda13x cython setuptools
    git clone --depth 1 --branch v14.2.0 https://github.com/cupy/cupy         # the version that is installed
    python rebuild.py cupy

Needs g++ and the CUDA toolkit (CUDA_PATH, or /usr/local/cuda). The installed module is replaced; its file is kept, with the suffix .static."""
import importlib.metadata
import importlib.util
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

MODULE = "cupy_backends/cuda/api/runtime"


def find_installed():
    """The module's file."""
    folder = Path(importlib.util.find_spec("cupy_backends").submodule_search_locations[0]).parent
    return folder / f"{MODULE}{sysconfig.get_config_var('EXT_SUFFIX')}"


def check_version(sources):
    installed = importlib.metadata.version("cupy-cuda13x")
    if f"__version__ = '{installed}'" not in (sources / "cupy/_version.py").read_text():
        sys.exit(f"{sources} is not CuPy {installed}, which is installed")


def translate():
    """Cython's source to C++, as CuPy's own build does."""
    import Cython
    from Cython.Build import cythonize
    from setuptools import Extension

    environment = {"CUPY_USE_CUDA_PYTHON": False, "CUPY_CUFFT_STATIC": False, "CUPY_CYTHON_VERSION": Cython.__version__,
                   "CUPY_CUDA_VERSION": 13000, "CUPY_HIP_VERSION": 0}
    directives = {"embedsignature": True, "c_api_binop_methods": True, "binding": False, "freethreading_compatible": True}
    cythonize([Extension(MODULE.replace("/", "."), [f"{MODULE}.pyx"], language="c++")], language_level=3, force=True, quiet=True,
              include_path=["."], compile_time_env=environment, compiler_directives=directives)


def compile_with(toolkit, output):
    include = [f"-I{folder}" for folder in (".", "cupy_backends", sysconfig.get_paths()["include"], f"{toolkit}/include")]
    subprocess.run(["g++", "-O2", "-w", "-shared", "-fPIC", "-DCUPY_CUDA_VERSION=13000", *include, f"{MODULE}.cpp", "-o", output,
                    f"-L{toolkit}/lib64", "-lcudart"], check=True)


def main():
    sources, installed = Path(sys.argv[1]).resolve(), find_installed()
    check_version(sources)
    os.chdir(sources)
    translate()
    made = sources / installed.name
    compile_with(os.environ.get("CUDA_PATH", "/usr/local/cuda"), made)
    kept = installed.with_name(installed.name + ".static")
    if not kept.exists():
        installed.rename(kept)
    installed.unlink(missing_ok=True)
    installed.write_bytes(made.read_bytes())
    print(f"{installed} uses the shared CUDA runtime")


if __name__ == "__main__":
    main()
