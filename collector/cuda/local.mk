# GPU tracing through CUPTI, which is found at run time. With the toolkit's headers what is known of it is checked.
EXTRA_DIST += collector/cuda/README.md
collector_libtacho_la_SOURCES += \
	collector/cuda/cuda_activities.c \
	collector/cuda/cuda_attach.c \
	collector/cuda/cuda_buffer.c \
	collector/cuda/cuda_callbacks.c \
	collector/cuda/cuda_callbacks.def \
	collector/cuda/cuda_callbacks.h \
	collector/cuda/cuda_calls.c \
	collector/cuda/cuda_capture.h \
	collector/cuda/cuda_captured.c \
	collector/cuda/cuda_clock.c \
	collector/cuda/cuda_decode.c \
	collector/cuda/cuda_device.c \
	collector/cuda/cuda_graph.c \
	collector/cuda/cuda_guest.c \
	collector/cuda/cuda_guest.h \
	collector/cuda/cuda_ids.c \
	collector/cuda/cuda_kernel.c \
	collector/cuda/cuda_launch.c \
	collector/cuda/cuda_launch.h \
	collector/cuda/cuda_leave.c \
	collector/cuda/cuda_leave.h \
	collector/cuda/cuda_memory.c \
	collector/cuda/cuda_memory.h \
	collector/cuda/cuda_rivals.c \
	collector/cuda/cuda_sample.c \
	collector/cuda/cuda_sample.h \
	collector/cuda/cupti_api.h \
	collector/cuda/cupti_lib.c \
	collector/cuda/cupti_records.h \
	collector/cuda/cupti_v2.c \
	collector/cuda/cupti_v2.h

EXTRA_DIST += collector/cuda/cupti_check.c
if HAVE_CUDA
noinst_LTLIBRARIES += collector/libcupti_check.la
collector_libcupti_check_la_SOURCES = collector/cuda/cupti_check.c
collector_libcupti_check_la_CPPFLAGS = $(collector_cppflags) -isystem $(CUPTI_INCLUDE) -isystem $(CUDA_DIR)/include
endif
