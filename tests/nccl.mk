# Tests of recording NCCL.
nccl_tests = tests/nccl_functions.sh tests/nccl_graph.sh tests/nccl_kernels.sh tests/nccl_lookup.sh \
	tests/nccl_trace.sh tests/nccl_valgrind.sh
check_PROGRAMS += tests/unit/comm_kernel_names
tests_unit_comm_kernel_names_SOURCES = tests/unit/comm_kernel_names.c
tests_unit_comm_kernel_names_CPPFLAGS = $(analyzer_cppflags)
tests_unit_comm_kernel_names_LDADD = analyzer/model/libmodel.a analyzer/base/libbase.a
TESTS += $(nccl_tests)
EXTRA_DIST += $(nccl_tests) tests/nccl_common.sh tests/nccl_abi_check.c tests/nccl_check.py tests/nccl_graph_check.py tests/unit/nccl_fake.c tests/unit/nccl_user.c \
	tests/unit/nccl_lookup.c tests/unit/nccl_within.c tests/unit/dlsym_chain.c

# On stand-ins: the same program linked with libnccl, and with its objects as with a static NCCL.
if HAVE_STANDIN
if HAVE_NCCL
check_PROGRAMS += tests/e2e/nccl_calls tests/e2e/nccl_graph tests/e2e/nccl_static
EXTRA_tests_e2e_nccl_graph_DEPENDENCIES = $(standin_nccl) $(standin_libraries)
EXTRA_tests_e2e_nccl_calls_DEPENDENCIES = $(standin_nccl) $(standin_libraries)
EXTRA_tests_e2e_nccl_static_DEPENDENCIES = $(standin_nccl) $(standin_libraries)
if HAVE_MPI
check_PROGRAMS += tests/e2e/scenarios_gpu
EXTRA_tests_e2e_scenarios_gpu_DEPENDENCIES = $(standin_nccl) $(standin_libraries)
endif
endif
endif
nccl_cppflags = $(AM_CPPFLAGS) -isystem $(CUDA_DIR)/include -isystem $(NCCL_DIR)/include
nccl_libs = -Ltests/standin/cuda13 -lcudart -l:libcuda.so.1 -ldl -lm
nccl_ldflags = $(AM_LDFLAGS) -no-install -Wl,-rpath-link,tests/standin/cuda13
tests_e2e_nccl_calls_SOURCES = tests/e2e/nccl_calls.c
tests_e2e_nccl_calls_CPPFLAGS = $(nccl_cppflags)
tests_e2e_nccl_calls_LDFLAGS = $(nccl_ldflags)
tests_e2e_nccl_calls_LDADD = -Ltests/standin/cuda13 -lnccl $(nccl_libs)
tests_e2e_nccl_graph_SOURCES = tests/e2e/nccl_graph.c
tests_e2e_nccl_graph_CPPFLAGS = $(nccl_cppflags)
tests_e2e_nccl_graph_LDFLAGS = $(nccl_ldflags)
tests_e2e_nccl_graph_LDADD = -Ltests/standin/cuda13 -lnccl $(nccl_libs)
tests_e2e_nccl_static_SOURCES = tests/e2e/nccl_calls.c
tests_e2e_nccl_static_CPPFLAGS = $(nccl_cppflags)
tests_e2e_nccl_static_LDFLAGS = $(nccl_ldflags)
tests_e2e_nccl_static_LDADD = tests/standin/libnccl.la $(nccl_libs)
tests_e2e_scenarios_gpu_SOURCES = tests/e2e/scenarios_load.c
tests_e2e_scenarios_gpu_CPPFLAGS = $(nccl_cppflags) -DWITH_NCCL
tests_e2e_scenarios_gpu_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_e2e_scenarios_gpu_LDFLAGS = $(nccl_ldflags)
tests_e2e_scenarios_gpu_LDADD = -Ltests/standin/cuda13 -lnccl -lcublas $(nccl_libs) $(MPI_LIBS)

# NVTX: the toolkit's header.
TESTS += tests/nvtx.sh
EXTRA_DIST += tests/nvtx.sh
if HAVE_CUDA
check_PROGRAMS += tests/e2e/nvtx_ranges
endif
tests_e2e_nvtx_ranges_SOURCES = tests/e2e/nvtx_ranges.c
tests_e2e_nvtx_ranges_CPPFLAGS = $(AM_CPPFLAGS) -isystem $(CUDA_DIR)/include
tests_e2e_nvtx_ranges_CFLAGS = $(AM_CFLAGS) -pthread
tests_e2e_nvtx_ranges_LDADD = -ldl

# NVML on stand-ins.
TESTS += tests/cuda_agent.sh tests/nvml.sh
EXTRA_DIST += tests/cuda_agent.sh tests/nvml.sh
if HAVE_STANDIN
check_PROGRAMS += tests/e2e/nvml_run
EXTRA_tests_e2e_nvml_run_DEPENDENCIES = $(standin_libraries)
endif
tests_e2e_nvml_run_SOURCES = tests/e2e/nvml_run.c
tests_e2e_nvml_run_CPPFLAGS = $(AM_CPPFLAGS) -isystem $(CUDA_DIR)/include
tests_e2e_nvml_run_LDFLAGS = $(nccl_ldflags)
tests_e2e_nvml_run_LDADD = $(nccl_libs)
