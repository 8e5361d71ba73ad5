# NCCL: wrappers, look-up, profiler plugin.
EXTRA_DIST += collector/nccl/README.md
collector_libtacho_la_SOURCES += \
	collector/nccl/nccl.h \
	collector/nccl/nccl_call.h \
	collector/nccl/nccl_calls.c \
	collector/nccl/nccl_library.c \
	collector/nccl/nccl_member.c \
	collector/nccl/nccl_objects.c \
	collector/nccl/nccl_objects.h \
	collector/nccl/nccl_pair.c \
	collector/nccl/nccl_profiler.c \
	collector/nccl/nccl_profiler.h \
	collector/nccl/nccl_profiler_old.c \
	collector/nccl/nccl_proxy.c \
	collector/nccl/nccl_proxy.h
