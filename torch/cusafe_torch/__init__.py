"""cusafe_torch: PyTorch on the CPU device. ATen's operators for CUDA tensors are computed with its operators for CPU tensors, in place on the
device's memory; they are not checked. Kernels of extensions, of Triton and of torch.compile run on the device, and are checked.

`cusafe run --device=cpu` calls prepare() after a program has imported torch."""

import atexit
import ctypes
import hashlib
import os
import subprocess
import sys
import tempfile
import weakref

_SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "operators.cpp")
_COMPILER = os.environ.get("CXX", "g++")
_FLAGS = ["-std=c++20", "-O1", "-shared", "-fPIC", "-fvisibility=hidden"]


def _say(sentence):
    print("cusafe:", sentence, file=sys.stderr, flush=True)


def _cache_folder():
    """Where the CPU device caches modules, or None."""
    if os.environ.get("CUDA_CACHE_DISABLE", "0") not in ("", "0"):
        return None
    for variable, below in (("CUDA_CACHE_PATH", ""), ("XDG_CACHE_HOME", "cusafe"), ("HOME", ".cache/cusafe")):
        if os.path.isabs(os.environ.get(variable, "")):
            return os.path.join(os.environ[variable], below, "torch")
    return None


def _is_own(path):
    """Only what the user alone can write is loaded."""
    status = os.lstat(path)
    return status.st_uid == os.geteuid() and not status.st_mode & 0o022


def _compile(torch, result):
    folder = os.path.dirname(os.path.abspath(torch.__file__))
    include = os.path.join(folder, "include")
    subprocess.run([_COMPILER, *_FLAGS, f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}", "-isystem", include, "-isystem",
                    os.path.join(include, "torch", "csrc", "api", "include"), _SOURCE, "-o", result, "-L", os.path.join(folder, "lib"), "-lc10",
                    "-ltorch_cpu", "-ltorch_cuda"], check=True, capture_output=True, text=True)


def _build(torch, folder):
    """The library for this release of torch, in the folder."""
    with open(_SOURCE, "rb") as source:
        key = hashlib.sha256(source.read() + repr((torch.__version__, torch.__file__, _COMPILER, _FLAGS)).encode()).hexdigest()[:16]
    path = os.path.join(folder, f"operators-{torch.__version__}-{key}.so")
    if not os.path.exists(path):
        _say(f"compiling the operators of PyTorch {torch.__version__} for the CPU device, which takes half a minute, once")
        with tempfile.TemporaryDirectory(dir=folder) as building:
            made = os.path.join(building, "operators.so")
            _compile(torch, made)
            os.replace(made, path)
    return path


def _load(torch):
    folder = _cache_folder()
    if folder:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    if folder and _is_own(folder):
        path = _build(torch, folder)
        if _is_own(path):
            return ctypes.CDLL(path)
    with tempfile.TemporaryDirectory() as folder:
        return ctypes.CDLL(_build(torch, folder))


def _keep_captured(graph, library):
    """torch.cuda.CUDAGraph: a graph keeps what is allocated in its capture. PyTorch frees tensors in a capture, without its pool as well, which
    is allowed in the relaxed mode only."""
    begin, end = graph.capture_begin, graph.capture_end
    take, free = library.cusafe_torch_take_captured, library.cusafe_torch_free_captured
    take.restype, free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]

    def capture_begin(self, pool=None, capture_error_mode="global", **options):
        begin(self, pool=pool, capture_error_mode="relaxed", **options)

    def capture_end(self):
        try:
            end(self)
        finally:
            weakref.finalize(self, free, take()).atexit = False

    graph.capture_begin, graph.capture_end = capture_begin, capture_end


def _install():
    """Replaces CUDA's kernels. Runs when the program first uses CUDA."""
    torch = sys.modules["torch"]
    try:
        library = _load(torch)
    except (OSError, subprocess.CalledProcessError) as error:
        reason = next((line for line in (getattr(error, "stderr", None) or "").splitlines() if "error" in line), error)
        _say(f"PyTorch's operators are not computed: {reason}")
        return
    library.cusafe_torch_install()
    _keep_captured(torch.cuda.CUDAGraph, library)
    atexit.register(library.cusafe_torch_wait_for_autograd)
    import cusafe_torch.composite  # pylint: disable=import-outside-toplevel,unused-import

    # cuDNN and the fused forms of attention are not chosen, unless the program asks for them.
    torch._C._set_cudnn_enabled(False)
    torch.backends.cuda.enable_flash_sdp(False)
    torch.backends.cuda.enable_mem_efficient_sdp(False)
    torch.backends.cuda.enable_cudnn_sdp(False)


def prepare(torch):
    """For a build of torch with CUDA."""
    if torch.version.cuda:
        torch.cuda._lazy_call(_install)
