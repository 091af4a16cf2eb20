"""sitecustomize: what `cusafe run` adds to Python programs. Python imports it at its start, from the folder that `cusafe run` puts before
those of PYTHONPATH.

Numba compiles kernels without line information unless each of them asks for it, and has no variable to change that. CuPy has none for its
pool. PyTorch's operators are computed on the CPU device. JAX searches /dev for a GPU. Notebooks show reports in their cells."""

import functools
import importlib.util
import os
import sys


_FOLDER = os.path.dirname(os.path.abspath(__file__))


def _import_users():
    """The sitecustomize of the user's environment, which this one hides."""
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != _FOLDER]
    own = sys.modules.pop(__name__)
    if importlib.util.find_spec(__name__):
        importlib.import_module(__name__)
    else:
        sys.modules[__name__] = own


def _add_lines(module):
    """numba.cuda.decorators: kernels get line information where the program does not decide it. Their code stays the same."""
    jit = module.jit

    @functools.wraps(jit)
    def jit_with_lines(*arguments, **options):
        debug = options.get("debug")
        if debug is None:
            debug = module.config.CUDA_DEBUGINFO_DEFAULT
        if not debug and len(arguments) <= 1:
            options.setdefault("lineinfo", True)
        return jit(*arguments, **options)

    module.jit = jit_with_lines


def _turn_off_pool(module):
    """cupy: every array is a buffer. CuPy has no variable for that."""
    if os.environ.get("CUSAFE_EXACT_ALLOCATORS") == "1":
        module.cuda.set_allocator(None)


def _load(name, path):
    """Imports a module of this folder, which is not on sys.path."""
    folder = os.path.dirname(path)
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=[folder] if folder != _FOLDER else None)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _compute_operators(module):
    """torch: cusafe_torch, which is next to this file, computes its operators on the CPU device."""
    if os.environ.get("CUSAFE_TORCH_OPERATORS") == "1":
        _load("cusafe_torch", os.path.join(_FOLDER, "cusafe_torch", "__init__.py")).prepare(module)


def _show_reports(module):
    """ipykernel.zmqshell: a notebook's cell shows the reports of its kernels."""
    _load("cusafe_notebook", os.path.join(_FOLDER, "cusafe_notebook.py")).prepare(module)


def _show_device(module):
    """jax._src.hardware_utils: JAX with CUDA 13 finds the CPU device, which has no file in /dev, and XLA compiles for it. The program's own
    flags come last, and win."""
    flags = os.environ.get("CUSAFE_XLA_FLAGS")
    if flags and importlib.util.find_spec("jax_cuda13_plugin"):
        module.has_visible_nvidia_gpu = lambda: True
        os.environ["XLA_FLAGS"] = f"{flags} {os.environ.get('XLA_FLAGS', '')}"


class _Finder:
    """Finds the modules below as Python does, and changes each when it has been imported."""

    changes = {"numba.cuda.decorators": _add_lines, "cupy": _turn_off_pool, "torch": _compute_operators,
               "jax._src.hardware_utils": _show_device, "ipykernel.zmqshell": _show_reports}

    def find_spec(self, name, path=None, target=None):
        change = self.changes.get(name)
        if not change:
            return None
        finders = (finder for finder in sys.meta_path if finder is not self and hasattr(finder, "find_spec"))
        spec = next(filter(None, (finder.find_spec(name, path, target) for finder in finders)), None)
        if spec and spec.loader:
            execute = spec.loader.exec_module

            def execute_and_change(module):
                execute(module)
                change(module)

            spec.loader.exec_module = execute_and_change
        return spec


sys.meta_path.insert(0, _Finder())
_import_users()
