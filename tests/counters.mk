# Tests of the counters' way from /proc to the database.
counters_sources = collector/counters/sources.c collector/counters/sources_table.c collector/counters/sources.h collector/core/proc_file.c collector/core/proc_file.h \
	collector/counters/sources_net.c collector/counters/sources_storage.c collector/counters/sources_nvml.c collector/counters/nvml.h \
	collector/counters/sources_threads.c collector/counters/sources_quota.c \
	collector/counters/sources_stop.c collector/counters/sources_cuda.c collector/cuda/cuda_memory.c collector/cuda/cuda_memory.h collector/core/task.c

if HAVE_CMOCKA
check_PROGRAMS += tests/counters_sources
TESTS += tests/counters_sources
tests_counters_sources_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_counters_sources_CPPFLAGS = $(collector_cppflags)
tests_counters_sources_SOURCES = tests/counters_sources.c $(counters_sources)
tests_counters_sources_LDADD = $(CMOCKA_LIBS)
endif
EXTRA_DIST += tests/counters_sources.c

TESTS += tests/counters_run.sh tests/counters_nodes.sh
EXTRA_DIST += tests/counters_run.sh tests/counters_nodes.sh tests/counters_load.c
if HAVE_MPI
check_PROGRAMS += tests/counters_load
tests_counters_load_SOURCES = tests/counters_load.c
tests_counters_load_CFLAGS = $(AM_CFLAGS) $(MPI_CFLAGS)
tests_counters_load_LDADD = $(MPI_LIBS)
endif

# What ranks on other nodes report.
TESTS += tests/launcher_nodes.sh
EXTRA_DIST += tests/launcher_nodes.sh
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/launcher
TESTS += tests/unit/launcher
endif
tests_unit_launcher_SOURCES = tests/unit/launcher.c
tests_unit_launcher_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_launcher_LDADD = $(CMOCKA_LIBS)
