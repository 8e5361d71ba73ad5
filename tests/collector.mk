# Tests of collector.
collector_tests = tests/collector_process.sh tests/collector_death.sh tests/collector_harm.sh \
	tests/collector_symbols.sh tests/collector_exports.sh tests/collector_calls.sh tests/collector_waits.sh tests/collector_sandbox.sh tests/collector_left.sh tests/collector_rights.sh tests/collector_ledger.sh tests/record_ledger.sh tests/record_pmix.sh tests/record_secrets.sh tests/record_sanitizers.sh tests/run_lacks.sh tests/handover.sh tests/markers_python.sh
TESTS += $(collector_tests)
EXTRA_DIST += $(collector_tests) tests/collector_common.sh tests/exports_aside.txt tests/e2e/libc_calls.c tests/e2e/own_calls.c tests/unit/early_library.c tests/unit/early_main.c tests/unit/foreign_library.c tests/unit/foreign_main.c tests/unit/left_load.c tests/unit/left_throw.cpp \
	tests/unit/early_patch.c

check_PROGRAMS += tests/unit/spool_dump tests/unit/collector_load tests/unit/collector_waits tests/unit/collector_sandbox
tests_unit_spool_dump_SOURCES = tests/unit/spool_dump.c
tests_unit_collector_load_SOURCES = tests/unit/collector_load.c
tests_unit_collector_load_CFLAGS = $(AM_CFLAGS) -pthread -Wno-unused-result
tests_unit_collector_sandbox_SOURCES = tests/unit/collector_sandbox.c
tests_unit_collector_waits_SOURCES = tests/unit/collector_waits.c
tests_unit_collector_waits_CFLAGS = $(AM_CFLAGS) -pthread

if HAVE_CMOCKA
check_PROGRAMS += tests/unit/collector_env
TESTS += tests/unit/collector_env
endif
tests_unit_collector_env_SOURCES = tests/unit/collector_env.c collector/core/env.c collector/core/topology.c collector/core/task.c
tests_unit_collector_env_CPPFLAGS = $(collector_cppflags)
tests_unit_collector_env_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_collector_env_LDADD = $(CMOCKA_LIBS)

TESTS += tests/collector_helper.sh
EXTRA_DIST += tests/collector_helper.sh
check_PROGRAMS += tests/unit/own_helper
tests_unit_own_helper_SOURCES = tests/unit/own_helper.c
TESTS += tests/collector_descriptors.sh
EXTRA_DIST += tests/collector_descriptors.sh
check_PROGRAMS += tests/unit/own_descriptors
tests_unit_own_descriptors_SOURCES = tests/unit/own_descriptors.c
tests_unit_own_descriptors_CFLAGS = $(AM_CFLAGS) -pthread
TESTS += tests/collector_files.sh
EXTRA_DIST += tests/collector_files.sh
check_PROGRAMS += tests/unit/files_load
tests_unit_files_load_SOURCES = tests/unit/files_load.c
tests_unit_files_load_CFLAGS = $(AM_CFLAGS) -Wno-unused-result
