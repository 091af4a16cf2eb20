"""exact_views.py: gives a view of a PyTorch tensor bounds of its own, for a kernel that must not leave the view.

Without CuSafe, exact_view() returns its argument."""
import ctypes
import weakref

import torch


class _Interface(ctypes.Structure):
    """The beginning of struct cusafe_interface in cusafe/cusafe.h."""

    _fields_ = [("bytes", ctypes.c_size_t), ("carve", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)),
                ("give_back", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p))]


def _find_interface():
    try:
        return _Interface.in_dll(ctypes.CDLL(None), "cusafe_interface_1")
    except ValueError:
        return None


_interface = _find_interface()


class _Memory:
    """What torch.as_tensor needs to know. It keeps the object for as long as the memory is in use."""

    def __init__(self, **description):
        self.__cuda_array_interface__ = description


def _free(address, stream, storage):
    _interface.give_back(address, stream)
    del storage


def exact_view(view):
    """A tensor with the elements of the view, in the same memory, whose bounds are the view's first and last byte.

    It shares the memory only: no gradient flows to the view, and another call makes another tensor."""
    if not _interface or not view.is_cuda or not view.numel():
        return view
    size = view.element_size()
    reach = sum((length - 1) * stride for length, stride in zip(view.shape, view.stride())) + 1
    with torch.cuda.device(view.device):
        address = _interface.carve(view.data_ptr(), reach * size)
        # Bytes: the interface knows neither bfloat16 nor strides of 0.
        memory = _Memory(shape=(reach * size,), typestr="|u1", data=(address, False), version=2)
        stream = torch.cuda.current_stream().cuda_stream
        weakref.finalize(memory, _free, address, stream, view.detach()).atexit = False
        flat = torch.as_tensor(memory, device=view.device).view(view.dtype)
    return flat.as_strided(view.shape, view.stride())
