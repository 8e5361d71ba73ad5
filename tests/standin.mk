# Stand-ins for CUDA's libraries (tests/standin/README.md), built where the toolkit's headers are
# and never installed. libtool makes the objects; the libraries get their real names by hand.
standin_cppflags = $(AM_CPPFLAGS) -D_GNU_SOURCE -isystem $(CUDA_DIR)/include -isystem $(CUPTI_INCLUDE)
standin_cflags = $(PLAIN_CFLAGS) -O2 -fvisibility=hidden -pthread
standin_core = tests/standin/core_call.c tests/standin/core_capture.c tests/standin/core_device.c tests/standin/core_event.c \
	tests/standin/core_fatbin.c \
	tests/standin/core_graph.c tests/standin/core_kernel.c tests/standin/core_memory.c tests/standin/core_stream.c \
	tests/standin/driver.h tests/standin/driver_calls.c tests/standin/driver_calls.def \
	tests/standin/driver_device.c tests/standin/driver_memory.c tests/standin/driver_stream.c \
	tests/standin/standin.h tests/standin/stream.h tests/standin/work.h
standin_cudart = tests/standin/runtime.h tests/standin/runtime_calls.c tests/standin/runtime_calls.def \
	tests/standin/runtime_device.c tests/standin/runtime_memory.c tests/standin/runtime_register.c \
	tests/standin/runtime_stream.c
standin_cupti = tests/standin/cupti_buffer.c tests/standin/cupti_callback.c tests/standin/cupti_parts.h \
	tests/standin/cupti_record.c tests/standin/cupti_state.c tests/standin/cupti_v2.c

if HAVE_STANDIN
noinst_LTLIBRARIES += tests/standin/libcuda.la tests/standin/libcudart12.la tests/standin/libcudart13.la \
	tests/standin/libcupti12.la tests/standin/libcupti13.la tests/standin/libcupti133.la tests/standin/libcublas12.la \
	tests/standin/libcublas13.la tests/standin/libnvml.la
standin_libraries = tests/standin/cuda13/libcuda.so.1 tests/standin/cuda12/libcuda.so.1 \
	tests/standin/cuda13/libcudart.so.13 tests/standin/cuda12/libcudart.so.12 \
	tests/standin/cuda13/libcupti.so.13 tests/standin/cuda12/libcupti.so.12 tests/standin/cuda133/libcupti.so.13 \
	tests/standin/cuda13/libcublas.so.13 tests/standin/cuda12/libcublas.so.12 \
	tests/standin/cuda13/libnvidia-ml.so.1 tests/standin/cuda12/libnvidia-ml.so.1
noinst_DATA += $(standin_libraries)
CLEANFILES += $(standin_libraries) tests/standin/cuda12/*.so tests/standin/cuda13/*.so tests/standin/cuda133/*.so*
endif
tests_standin_libcuda_la_SOURCES = $(standin_core)
tests_standin_libcuda_la_CPPFLAGS = $(standin_cppflags)
tests_standin_libcuda_la_CFLAGS = $(standin_cflags)
tests_standin_libcudart12_la_SOURCES = $(standin_cudart)
tests_standin_libcudart12_la_CPPFLAGS = $(standin_cppflags) -DSTANDIN_CUDA=12
tests_standin_libcudart12_la_CFLAGS = $(standin_cflags)
tests_standin_libcudart13_la_SOURCES = $(standin_cudart)
tests_standin_libcudart13_la_CPPFLAGS = $(standin_cppflags) -DSTANDIN_CUDA=13
tests_standin_libcudart13_la_CFLAGS = $(standin_cflags)
tests_standin_libcupti12_la_SOURCES = $(standin_cupti)
tests_standin_libcupti12_la_CPPFLAGS = $(standin_cppflags) -DSTANDIN_CUDA=12
tests_standin_libcupti12_la_CFLAGS = $(standin_cflags)
tests_standin_libcupti13_la_SOURCES = $(standin_cupti)
tests_standin_libcupti13_la_CPPFLAGS = $(standin_cppflags) -DSTANDIN_CUDA=13
tests_standin_libcupti13_la_CFLAGS = $(standin_cflags)
tests_standin_libcupti133_la_SOURCES = $(standin_cupti)
tests_standin_libcupti133_la_CPPFLAGS = $(standin_cppflags) -DSTANDIN_CUDA=13 -DSTANDIN_SEVERAL=1
tests_standin_libcupti133_la_CFLAGS = $(standin_cflags)
tests_standin_libcublas12_la_SOURCES = tests/standin/cublas.c
tests_standin_libcublas12_la_CPPFLAGS = $(standin_cppflags) -DSTANDIN_CUDA=12
tests_standin_libcublas12_la_CFLAGS = $(standin_cflags)
tests_standin_libcublas13_la_SOURCES = tests/standin/cublas.c
tests_standin_libcublas13_la_CPPFLAGS = $(standin_cppflags) -DSTANDIN_CUDA=13
tests_standin_libcublas13_la_CFLAGS = $(standin_cflags)
tests_standin_libnvml_la_SOURCES = tests/standin/nvml.c tests/standin/nvml_gpm.c
tests_standin_libnvml_la_CPPFLAGS = $(standin_cppflags)
tests_standin_libnvml_la_CFLAGS = $(standin_cflags)
EXTRA_DIST += tests/standin/README.md tests/standin/link

# tests/standin/link FOLDER SONAME ARCHIVE [LIBRARY]…
standin_link = $(AM_V_GEN)CC='$(CC)' $(SHELL) $(top_srcdir)/tests/standin/link
tests/standin/cuda13/libcuda.so.1: tests/standin/libcuda.la tests/standin/link
	$(standin_link) tests/standin/cuda13 libcuda.so.1 tests/standin/.libs/libcuda.a
tests/standin/cuda12/libcuda.so.1: tests/standin/libcuda.la tests/standin/link
	$(standin_link) tests/standin/cuda12 libcuda.so.1 tests/standin/.libs/libcuda.a
tests/standin/cuda13/libcudart.so.13: tests/standin/libcudart13.la tests/standin/cuda13/libcuda.so.1
	$(standin_link) tests/standin/cuda13 libcudart.so.13 tests/standin/.libs/libcudart13.a libcuda.so.1
tests/standin/cuda12/libcudart.so.12: tests/standin/libcudart12.la tests/standin/cuda12/libcuda.so.1
	$(standin_link) tests/standin/cuda12 libcudart.so.12 tests/standin/.libs/libcudart12.a libcuda.so.1
tests/standin/cuda13/libcupti.so.13: tests/standin/libcupti13.la tests/standin/cuda13/libcuda.so.1
	$(standin_link) tests/standin/cuda13 libcupti.so.13 tests/standin/.libs/libcupti13.a libcuda.so.1
# CUPTI of 13.3, whose other libraries are links to those of 13.0.
tests/standin/cuda133/libcupti.so.13: tests/standin/libcupti133.la tests/standin/cuda13/libcudart.so.13
	$(AM_V_GEN)mkdir -p tests/standin/cuda133 && ln -sf ../cuda13/libcuda.so.1 ../cuda13/libcudart.so.13 tests/standin/cuda133
	$(standin_link) tests/standin/cuda133 libcupti.so.13 tests/standin/.libs/libcupti133.a libcuda.so.1
tests/standin/cuda12/libcupti.so.12: tests/standin/libcupti12.la tests/standin/cuda12/libcuda.so.1
	$(standin_link) tests/standin/cuda12 libcupti.so.12 tests/standin/.libs/libcupti12.a libcuda.so.1
tests/standin/cuda13/libcublas.so.13: tests/standin/libcublas13.la tests/standin/cuda13/libcuda.so.1
	$(standin_link) tests/standin/cuda13 libcublas.so.13 tests/standin/.libs/libcublas13.a libcuda.so.1
tests/standin/cuda12/libcublas.so.12: tests/standin/libcublas12.la tests/standin/cuda12/libcuda.so.1
	$(standin_link) tests/standin/cuda12 libcublas.so.12 tests/standin/.libs/libcublas12.a libcuda.so.1
tests/standin/cuda13/libnvidia-ml.so.1: tests/standin/libnvml.la tests/standin/cuda13/libcuda.so.1
	$(standin_link) tests/standin/cuda13 libnvidia-ml.so.1 tests/standin/.libs/libnvml.a libcuda.so.1
tests/standin/cuda12/libnvidia-ml.so.1: tests/standin/libnvml.la tests/standin/cuda12/libcuda.so.1
	$(standin_link) tests/standin/cuda12 libnvidia-ml.so.1 tests/standin/.libs/libnvml.a libcuda.so.1

# NCCL on sockets: needs nccl.h besides.
if HAVE_STANDIN
if HAVE_NCCL
noinst_LTLIBRARIES += tests/standin/libnccl.la
standin_nccl = tests/standin/cuda13/libnccl.so.2 tests/standin/cuda12/libnccl.so.2
noinst_DATA += $(standin_nccl)
CLEANFILES += $(standin_nccl)
endif
endif
tests_standin_libnccl_la_SOURCES = tests/standin/nccl_comm.c tests/standin/nccl_kernel.c tests/standin/nccl_net.c \
	tests/standin/nccl_ops.c \
	tests/standin/nccl_plugin.c tests/standin/nccl_plugin.h tests/standin/nccl_plugin_old.c tests/standin/nccl_proxy.c \
	tests/standin/nccl_rate.c tests/standin/nccl_reduce.c tests/standin/nccl_standin.h
tests_standin_libnccl_la_CPPFLAGS = $(standin_cppflags) -isystem $(NCCL_DIR)/include
tests_standin_libnccl_la_CFLAGS = $(standin_cflags)
tests/standin/cuda13/libnccl.so.2: tests/standin/libnccl.la tests/standin/cuda13/libcuda.so.1
	$(standin_link) tests/standin/cuda13 libnccl.so.2 tests/standin/.libs/libnccl.a libcuda.so.1 -lm
tests/standin/cuda12/libnccl.so.2: tests/standin/libnccl.la tests/standin/cuda12/libcuda.so.1
	$(standin_link) tests/standin/cuda12 libnccl.so.2 tests/standin/.libs/libnccl.a libcuda.so.1 -lm

# What the tests run on them: a program as anybody compiles it, and a CUPTI client.
if HAVE_STANDIN_PROGRAMS
standin_work = tests/standin/work12 tests/standin/work13 tests/standin/work13-ptx \
	tests/standin/own13
endif
if HAVE_STANDIN
standin_programs = tests/standin/client12.so tests/standin/client13.so tests/standin/ask12 tests/standin/ask13 \
	$(standin_work)
check_DATA += $(standin_programs)
CLEANFILES += $(standin_programs)
endif
standin_nvcc = $(AM_V_GEN)$(NVCC) -O1 -std=c++17 -cudart none -Xcompiler -rdynamic,-Wall
tests/standin/work13: tests/standin/work.cu tests/standin/cuda13/libcudart.so.13
	$(standin_nvcc) -o $@ $(top_srcdir)/tests/standin/work.cu -Ltests/standin/cuda13 -lcudart -lpthread
# Only PTX, compressed; the others have machine code.
tests/standin/work13-ptx: tests/standin/work.cu tests/standin/cuda13/libcudart.so.13
	$(standin_nvcc) -arch=compute_80 -code=compute_80 -compress-mode=size -o $@ $(top_srcdir)/tests/standin/work.cu \
		-Ltests/standin/cuda13 -lcudart -lpthread
tests/standin/own13: tests/standin/own.cu tests/standin/cuda13/libcudart.so.13
	$(standin_nvcc) --default-stream per-thread -o $@ $(top_srcdir)/tests/standin/own.cu \
		-Ltests/standin/cuda13 -lcudart -lpthread
tests/standin/work12: tests/standin/work.cu tests/standin/cuda12/libcudart.so.12
	$(standin_nvcc) -o $@ $(top_srcdir)/tests/standin/work.cu -Ltests/standin/cuda12 -lcudart -lpthread
standin_cc = $(AM_V_CCLD)$(CC) $(standin_cppflags) $(PLAIN_CFLAGS) -O1 -pthread
tests/standin/client13.so: tests/standin/client.c tests/standin/cuda13/libcupti.so.13
	$(standin_cc) -shared -fPIC -o $@ $(top_srcdir)/tests/standin/client.c -Ltests/standin/cuda13 -lcupti -l:libcuda.so.1
tests/standin/client12.so: tests/standin/client.c tests/standin/cuda12/libcupti.so.12
	$(standin_cc) -shared -fPIC -o $@ $(top_srcdir)/tests/standin/client.c -Ltests/standin/cuda12 -lcupti -l:libcuda.so.1
tests/standin/ask13: tests/standin/ask.c $(standin_libraries)
	$(standin_cc) -o $@ $(top_srcdir)/tests/standin/ask.c -Ltests/standin/cuda13 -lcublas -lnvidia-ml -lcudart -lm
tests/standin/ask12: tests/standin/ask.c $(standin_libraries)
	$(standin_cc) -o $@ $(top_srcdir)/tests/standin/ask.c -Ltests/standin/cuda12 -lcublas -lnvidia-ml -lcudart -lm

standin_tests = tests/standin_program.sh tests/standin_cupti.sh tests/standin_faults.sh tests/standin_symbols.sh \
	tests/standin_ask.sh
TESTS += $(standin_tests)
EXTRA_DIST += $(standin_tests) tests/standin_common.sh tests/standin/work.cu tests/standin/own.cu tests/standin/client.c tests/standin/ask.c
