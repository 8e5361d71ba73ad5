# Tests of GPU recording; those with a program need nvcc and the stand-ins, and skip without.
cupti_tests = tests/cupti_callbacks.sh tests/cupti_end.sh tests/cupti_faults.sh tests/cupti_raw.sh tests/cupti_sample.sh tests/cupti_search.sh tests/cupti_trace.sh tests/cupti_valgrind.sh
TESTS += $(cupti_tests)
EXTRA_DIST += $(cupti_tests) tests/cupti_common.sh tests/cupti_left_alone.txt tests/cupti/bound.cu tests/cupti/loop.cu tests/cupti/loader.supp \
	tests/cupti_raw.py tests/data/cupti13

if HAVE_STANDIN
check_DATA += tests/cupti/bound13 tests/cupti/loop12 tests/cupti/loop13
endif
CLEANFILES += tests/cupti/bound13 tests/cupti/loop12 tests/cupti/loop13

# A compiler that does not get on with the host's makes an empty file, which the tests skip.
cupti_program = $(AM_V_GEN)mkdir -p tests/cupti && \
	{ PATH=$(CUDA_DIR)/bin:$$PATH nvcc -O1 -std=c++17 -gencode arch=compute_80,code=compute_80 -cudart none \
	-I$(top_srcdir)/include -Xcompiler -rdynamic -o $@ -lcudart
tests/cupti/loop12: tests/cupti/loop.cu tests/standin/cuda12/libcudart.so.12
	$(cupti_program) $(top_srcdir)/tests/cupti/loop.cu -Ltests/standin/cuda12 -Xlinker -rpath-link=tests/standin/cuda12 2>/dev/null || : >$@; }
tests/cupti/loop13: tests/cupti/loop.cu tests/standin/cuda13/libcudart.so.13
	$(cupti_program) $(top_srcdir)/tests/cupti/loop.cu -Ltests/standin/cuda13 -Xlinker -rpath-link=tests/standin/cuda13 2>/dev/null || : >$@; }
tests/cupti/bound13: tests/cupti/bound.cu tests/standin/cuda13/libcudart.so.13
	$(cupti_program) $(top_srcdir)/tests/cupti/bound.cu -Ltests/standin/cuda13 -Xlinker -rpath-link=tests/standin/cuda13 2>/dev/null || : >$@; }

if HAVE_CMOCKA
check_PROGRAMS += tests/unit/cuda_decode
TESTS += tests/unit/cuda_decode
endif
tests_unit_cuda_decode_SOURCES = tests/unit/cuda_decode.c collector/cuda/cuda_decode.c
tests_unit_cuda_decode_CPPFLAGS = $(collector_cppflags) -I$(top_srcdir)
tests_unit_cuda_decode_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_cuda_decode_LDADD = $(CMOCKA_LIBS)

# The collector's reading of buffers that a GPU's CUPTI wrote: run by cupti_raw.sh.
check_PROGRAMS += tests/unit/cuda_raw
tests_unit_cuda_raw_SOURCES = tests/unit/cuda_raw.c collector/cuda/cuda_buffer.c collector/cuda/cuda_decode.c \
	collector/cuda/cuda_ids.c collector/core/task.c
tests_unit_cuda_raw_CPPFLAGS = $(collector_cppflags)
tests_unit_cuda_raw_CFLAGS = $(AM_CFLAGS)

if HAVE_STANDIN
check_PROGRAMS += tests/unit/raw_client
TESTS += tests/unit/raw_client
endif
tests_unit_raw_client_SOURCES = tests/unit/raw_client.c
tests_unit_raw_client_CPPFLAGS = $(standin_cppflags)
tests_unit_raw_client_CFLAGS = $(AM_CFLAGS) -pthread
