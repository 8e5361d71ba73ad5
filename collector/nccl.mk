# NCCL: wrappers, look-up, profiler plugin.
collector_libtacho_la_SOURCES += collector/dlsym.c collector/dlsym.h collector/nccl.h collector/nccl_call.h \
	collector/nccl_calls.c collector/nccl_library.c collector/nccl_member.c collector/nccl_objects.c \
	collector/nccl_objects.h collector/nccl_pair.c collector/nccl_profiler.c collector/nccl_profiler.h \
	collector/nccl_profiler_old.c
# NVTX ranges.
collector_libtacho_la_SOURCES += collector/nvtx.c collector/nvtx.h collector/nvtx_name.c collector/nvtx_range.c collector/nvtx_range.h
