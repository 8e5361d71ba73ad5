# Tests of collector.
collector_tests = tests/collector_process.sh tests/collector_death.sh tests/collector_harm.sh \
	tests/collector_symbols.sh
TESTS += $(collector_tests)
EXTRA_DIST += $(collector_tests) tests/collector_common.sh

check_PROGRAMS += tests/unit/spool_dump tests/unit/collector_load
tests_unit_spool_dump_SOURCES = tests/unit/spool_dump.c
tests_unit_collector_load_SOURCES = tests/unit/collector_load.c
tests_unit_collector_load_CFLAGS = $(AM_CFLAGS) -pthread -Wno-unused-result
