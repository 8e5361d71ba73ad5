# Tests of analyze.
check_PROGRAMS += tests/unit/golden
tests_unit_golden_SOURCES = tests/unit/golden.c tests/unit/golden_defs.c tests/unit/golden_events.c \
	tests/unit/golden.h
tests_unit_golden_CPPFLAGS = $(AM_CPPFLAGS) $(OTF2_CFLAGS) $(SQLITE_CFLAGS)
tests_unit_golden_LDADD = $(OTF2_LIBS) $(SQLITE_LIBS) -lm
TESTS += tests/golden/analyze.sh tests/analyze_damage.sh tests/analyze_schema.sh tests/analyze_tables.sh tests/analyze_foreign.sh \
	tests/analyze_eztrace.sh tests/analyze_kinds.sh tests/analyze_dump.sh tests/analyze_database.sh tests/analyze_summary.sh tests/analyze_identities.sh tests/analyze_jobs.sh \
	tests/analyze_files.sh tests/analyze_overhead.sh tests/analyze_rows.sh
EXTRA_DIST += tests/analyze_common.sh tests/golden/analyze.sh tests/golden/cases tests/golden/README.md tests/analyze_damage.sh \
	tests/analyze_schema.sh tests/analyze_tables.sh tests/analyze_foreign.sh tests/analyze_eztrace.sh tests/analyze_eztrace.c tests/analyze_kinds.sh tests/analyze_dump.sh \
	tests/analyze_database.sh tests/analyze_summary.sh tests/analyze_identities.sh tests/analyze_jobs.sh tests/analyze_files.sh tests/analyze_overhead.sh tests/analyze_rows.sh tests/database_equal.py tests/identities.sql tests/promises.sql tests/golden/schema-1.sql tests/golden/schema.sums tests/golden/metrics_elsewhere.txt

# Not a test: writes and reads archives for tests/bench.
check_PROGRAMS += tests/bench/analyze
tests_bench_analyze_SOURCES = tests/bench/analyze.c
tests_bench_analyze_CPPFLAGS = $(AM_CPPFLAGS) $(OTF2_CFLAGS)
tests_bench_analyze_LDADD = $(OTF2_LIBS)
check_PROGRAMS += tests/bench/analyze_gpu
tests_bench_analyze_gpu_SOURCES = tests/bench/analyze_gpu.c
tests_bench_analyze_gpu_CPPFLAGS = $(AM_CPPFLAGS) $(OTF2_CFLAGS)
tests_bench_analyze_gpu_LDADD = $(OTF2_LIBS)

check_PROGRAMS += tests/unit/json
tests_unit_json_SOURCES = tests/unit/json.c
tests_unit_json_CPPFLAGS = $(analyzer_cppflags)
tests_unit_json_LDADD = $(analyzer_link)
TESTS += tests/json.sh
EXTRA_DIST += tests/json.sh

check_PROGRAMS += tests/unit/idmap
tests_unit_idmap_SOURCES = tests/unit/idmap.c
tests_unit_idmap_CPPFLAGS = $(analyzer_cppflags)
tests_unit_idmap_LDADD = $(analyzer_link)
TESTS += tests/unit/idmap
check_PROGRAMS += tests/unit/spool_ranks
tests_unit_spool_ranks_SOURCES = tests/unit/spool_ranks.c
tests_unit_spool_ranks_CPPFLAGS = $(analyzer_cppflags)
tests_unit_spool_ranks_LDADD = $(analyzer_link)
TESTS += tests/unit/spool_ranks
check_PROGRAMS += tests/unit/order
tests_unit_order_SOURCES = tests/unit/order.c
tests_unit_order_CPPFLAGS = $(analyzer_cppflags)
tests_unit_order_LDADD = $(analyzer_link)
TESTS += tests/unit/order

# Small archives of other tools, and hostile ones.
check_PROGRAMS += tests/unit/archive_make
tests_unit_archive_make_SOURCES = tests/unit/archive_make.c
tests_unit_archive_make_CPPFLAGS = $(AM_CPPFLAGS) $(OTF2_CFLAGS)
tests_unit_archive_make_LDADD = $(OTF2_LIBS)

if HAVE_CMOCKA
check_PROGRAMS += tests/unit/guard_test tests/unit/writer_cpu_test tests/unit/shm_ring_test tests/unit/socket_log
TESTS += tests/unit/guard_test tests/unit/writer_cpu_test tests/unit/shm_ring_test tests/unit/socket_log
endif
tests_unit_guard_test_SOURCES = tests/unit/guard_test.c
tests_unit_guard_test_CPPFLAGS = $(analyzer_cppflags)
tests_unit_guard_test_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_guard_test_LDADD = $(CMOCKA_LIBS) $(analyzer_link)
tests_unit_writer_cpu_test_SOURCES = tests/unit/writer_cpu_test.c
tests_unit_writer_cpu_test_CPPFLAGS = $(analyzer_cppflags)
tests_unit_writer_cpu_test_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_writer_cpu_test_LDADD = $(CMOCKA_LIBS) $(analyzer_link)

tests_unit_shm_ring_test_SOURCES = tests/unit/shm_ring_test.c
tests_unit_shm_ring_test_CPPFLAGS = $(analyzer_cppflags)
tests_unit_shm_ring_test_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_shm_ring_test_LDADD = $(CMOCKA_LIBS) $(analyzer_link)

tests_unit_socket_log_SOURCES = tests/unit/socket_log.c
tests_unit_socket_log_CPPFLAGS = $(analyzer_cppflags)
tests_unit_socket_log_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_socket_log_LDADD = $(CMOCKA_LIBS) $(analyzer_link)

TESTS += tests/analyze_exit.sh
EXTRA_DIST += tests/analyze_exit.sh

TESTS += tests/fuzz.sh
EXTRA_DIST += tests/fuzz.sh tests/fuzz
clean-local: fuzz-clean
.PHONY: fuzz-clean
fuzz-clean:
	rm -rf fuzz

# Random programs against a simulator.
TESTS += tests/device_random.sh tests/replay_random.sh tests/whatif_network.sh
EXTRA_DIST += tests/device_random.sh tests/device_random.py tests/replay_random.sh tests/whatif_network.sh tests/replay_random.py

check_PROGRAMS += tests/unit/device_partition
tests_unit_device_partition_SOURCES = tests/unit/device_partition.c
tests_unit_device_partition_CPPFLAGS = $(analyzer_cppflags)
tests_unit_device_partition_LDADD = $(analyzer_link)
TESTS += tests/unit/device_partition
