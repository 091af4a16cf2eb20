"""A Python package with a CUDA extension. NVCC names the compiler; NVCC="cusafe cc" builds it with checks."""

import os
import shlex
import subprocess

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext


class BuildCuda(build_ext):
    def build_extension(self, extension):
        path = self.get_ext_fullpath(extension.name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        nvcc = shlex.split(os.environ.get("NVCC", "nvcc"))
        subprocess.check_call([*nvcc, "-shared", "-Xcompiler", "-fPIC", *extension.sources, "-o", path])


setup(
    name="vectors",
    version="1.0",
    py_modules=["vectors"],
    ext_modules=[Extension("_vectors", ["vectors.cu"])],
    cmdclass={"build_ext": BuildCuda},
)
