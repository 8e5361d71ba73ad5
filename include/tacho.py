"""Markers for Python programs that want to name their phases and steps; see tacho.h.

    import tacho
    with tacho.phase("train"):
        for n, batch in enumerate(loader):
            with tacho.step(n, samples=len(batch)):
                ...

Copy this file next to the program, or put its folder into PYTHONPATH. Without tacho nothing is done.
"""
import ctypes

_REGION, _PHASE, _STEP = 1, 2, 3

try:
    _begin = ctypes.CDLL(None).tacho_mark_begin
    _end = ctypes.CDLL(None).tacho_mark_end
    _begin.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_uint64]
    _end.argtypes = [ctypes.c_int, ctypes.c_uint64]
    _begin.restype = _end.restype = None
except (AttributeError, OSError):  # libtacho is not preloaded
    def _begin(kind, name, value):
        pass

    def _end(kind, value):
        pass


class _Mark:
    def __init__(self, kind, name, value=0, samples=0):
        self._kind, self._name, self._value = kind, name.encode(), value
        self.samples = samples

    def __enter__(self):
        _begin(self._kind, self._name, self._value)
        return self

    def __exit__(self, *exception):
        _end(self._kind, self.samples)


def phase(name):
    """A stretch of the run that is looked at on its own: train, validate, test, checkpoint..."""
    return _Mark(_PHASE, name)


def step(number, samples=0):
    """One training step; `number` counts from 0 over the run and is the same on all ranks.

    `samples` were processed in it by this rank; what is known only in the end is set as
    `.samples` of what `with ... as` gives.
    """
    return _Mark(_STEP, "step", number, samples)


def region(name):
    """Any other part of the program worth a name in the timeline."""
    return _Mark(_REGION, name)


def flops_per_sample(flops):
    """Operations to train with one sample, forward and backward; said once, the same on all ranks."""
    with region(f"tacho:flops_per_sample={flops:.15g}"):
        pass


def flops_per_step(flops):
    """The same of a step of all ranks together, where samples are not known."""
    with region(f"tacho:flops_per_step={flops:.15g}"):
        pass
