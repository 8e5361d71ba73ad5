# A profiler in Python that finds CUPTI by ctypes, as cupti-python and Triton's Proton do, beside work on
# a GPU: it subscribes, hands out buffers, enables kernels and fetches.
# Usage: found.py FOLDER PRODUCTS, where the folder has CUDA's libraries
import ctypes
import glob
import sys

folder, products = sys.argv[1], int(sys.argv[2])
SIZE, SIDE = 1 << 16, 16


def library(name):
    """The newest by its major version, in the toolkit's folder for CUPTI as well."""
    return ctypes.CDLL(sorted(glob.glob(f"{folder}/{name}.so.[1-9][0-9]") +
                              glob.glob(f"{folder}/../extras/CUPTI/lib64/{name}.so.[1-9][0-9]"))[-1])


runtime, blas, cupti = library("libcudart"), library("libcublas"), library("libcupti")
buffers, seen = {}, 0
pointer, size = ctypes.c_void_p, ctypes.c_size_t


@ctypes.CFUNCTYPE(None, ctypes.POINTER(pointer), ctypes.POINTER(size), ctypes.POINTER(size))
def requested(buffer, room, most):
    memory = ctypes.create_string_buffer(SIZE + 8)
    at = (ctypes.addressof(memory) + 7) // 8 * 8
    buffers[at] = memory
    buffer[0], room[0], most[0] = at, SIZE, 0


@ctypes.CFUNCTYPE(None, pointer, ctypes.c_uint32, pointer, size, size)
def completed(context, stream, buffer, room, valid):
    global seen
    record = pointer()
    while cupti.cuptiActivityGetNextRecord(pointer(buffer), size(valid), ctypes.byref(record)) == 0:
        seen += ctypes.cast(record, ctypes.POINTER(ctypes.c_uint32))[0] == 10
    del buffers[buffer]


@ctypes.CFUNCTYPE(None, pointer, ctypes.c_int, ctypes.c_uint32, pointer)
def called(user, domain, number, data):
    pass


def product(handle, memory):
    one = ctypes.c_float(1)
    return blas.cublasSgemm_v2(handle, 0, 0, SIDE, SIDE, SIDE, ctypes.byref(one), memory, SIDE, memory, SIDE,
        ctypes.byref(one), memory, SIDE)


memory, handle, subscriber = pointer(), pointer(), pointer()
assert runtime.cudaMalloc(ctypes.byref(memory), size(4 * SIDE * SIDE)) == 0
assert blas.cublasCreate_v2(ctypes.byref(handle)) == 0
for i in range(products):
    assert product(handle, memory) == 0
print("found", cupti.cuptiSubscribe(ctypes.byref(subscriber), called, None),
    cupti.cuptiActivityRegisterCallbacks(requested, completed), cupti.cuptiActivityEnable(10), flush=True)
for i in range(products):
    assert product(handle, memory) == 0
assert runtime.cudaDeviceSynchronize() == 0
cupti.cuptiActivityDisable(10)
cupti.cuptiActivityFlushAll(1)
for i in range(products):
    assert product(handle, memory) == 0
assert runtime.cudaDeviceSynchronize() == 0
print("seen", seen, "of", products, "products", 3 * products)
