# PyTorch's torch.distributed.
EXTRA_DIST += collector/torch/README.md
collector_libtacho_la_SOURCES += \
	collector/torch/torch.h \
	collector/torch/torch_call.h \
	collector/torch/torch_autograd.c \
	collector/torch/torch_buckets.c \
	collector/torch/torch_calls.c \
	collector/torch/torch_ends.c \
	collector/torch/torch_future.c \
	collector/torch/torch_group.c \
	collector/torch/torch_import.c \
	collector/torch/torch_open.c \
	collector/torch/torch_reducer.c \
	collector/torch/torch_tensor.c \
	collector/torch/torch_work.c
