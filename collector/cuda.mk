# GPU tracing through CUPTI, which is found at run time. With the toolkit's headers what is known of it is checked.
collector_libtacho_la_SOURCES += collector/cuda_attach.c collector/cuda_buffer.c collector/cuda_callbacks.def \
	collector/cuda_calls.c collector/cuda_capture.h collector/cuda_decode.c collector/cuda_device.c collector/cuda_graph.c \
	collector/cuda_ids.c collector/cuda_kernel.c collector/cuda_rivals.c collector/cupti_api.h \
	collector/cupti_lib.c collector/cupti_records.h
EXTRA_DIST += collector/cupti_check.c
if HAVE_CUDA
noinst_LTLIBRARIES += collector/libcupti_check.la
collector_libcupti_check_la_SOURCES = collector/cupti_check.c
collector_libcupti_check_la_CPPFLAGS = $(AM_CPPFLAGS) -isystem $(CUPTI_INCLUDE) -isystem $(CUDA_DIR)/include
endif
