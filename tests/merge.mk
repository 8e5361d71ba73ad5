# Tests of merge.
check_PROGRAMS += tests/unit/spool_make
tests_unit_spool_make_SOURCES = tests/unit/spool_make.c collector/core/totals.c collector/core/totals_tables.c
tests_unit_spool_make_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/collector
check_PROGRAMS += tests/unit/spool_damage
tests_unit_spool_damage_SOURCES = tests/unit/spool_damage.c
TESTS += tests/merge_golden.sh tests/merge_damage.sh tests/merge_totals.sh
EXTRA_DIST += tests/merge_golden.sh tests/merge_damage.sh tests/merge_totals.sh tests/golden/merge_mixed.txt tests/golden/merge_mixed.expected \
	tests/golden/merge_ranks.txt tests/golden/merge_ranks.expected \
	tests/golden/merge_ranks_nccl.txt tests/golden/merge_ranks_nccl.expected \
	tests/golden/merge_steps.txt tests/golden/merge_steps.expected tests/golden/merge_bounded.txt tests/golden/merge_bounded.expected tests/golden/merge_kept.txt tests/golden/merge_kept.expected \
	tests/golden/merge_comms.txt tests/golden/merge_comms.expected \
	tests/golden/merge_fences.txt tests/golden/merge_fences.expected \
	tests/golden/merge_large.txt tests/golden/merge_large.expected \
	tests/golden/merge_persistent.txt tests/golden/merge_persistent.expected \
	tests/golden/merge_posted_clocks.txt tests/golden/merge_posted_clocks.expected \
	tests/golden/merge_nccl.txt tests/golden/merge_nccl.expected \
	tests/golden/merge_nccl_clocks.txt tests/golden/merge_nccl_clocks.expected \
	tests/golden/merge_nccl_graph.txt tests/golden/merge_nccl_graph.expected \
	tests/golden/merge_gpu.txt tests/golden/merge_gpu.expected tests/golden/merge_ended.txt tests/golden/merge_ended.expected tests/golden/merge_gpu_bounded.txt tests/golden/merge_gpu_bounded.expected \
	tests/golden/merge_noise.txt tests/golden/merge_noise.expected
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/merge_parts
TESTS += tests/unit/merge_parts
endif
tests_unit_merge_parts_CPPFLAGS = $(analyzer_cppflags)
tests_unit_merge_parts_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_merge_parts_LDADD = $(CMOCKA_LIBS) $(analyzer_link)
tests_unit_merge_parts_SOURCES = tests/unit/merge_parts.c
check_PROGRAMS += tests/unit/par_files
tests_unit_par_files_SOURCES = tests/unit/par_files.c
tests_unit_par_files_CPPFLAGS = $(analyzer_cppflags)
tests_unit_par_files_LDADD = $(analyzer_link)
TESTS += tests/unit/par_files
TESTS += tests/merge_real.sh
EXTRA_DIST += tests/merge_real.sh tests/merge_real.c tests/merge_check.py

if HAVE_CMOCKA
check_PROGRAMS += tests/unit/clock_offset_test tests/unit/clock_solve_test
TESTS += tests/unit/clock_offset_test tests/unit/clock_solve_test
endif
tests_unit_clock_offset_test_CPPFLAGS = $(analyzer_cppflags)
tests_unit_clock_offset_test_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_clock_offset_test_LDADD = $(CMOCKA_LIBS) $(analyzer_link)
tests_unit_clock_offset_test_SOURCES = tests/unit/clock_offset_test.c
tests_unit_clock_solve_test_CPPFLAGS = $(analyzer_cppflags)
tests_unit_clock_solve_test_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_clock_solve_test_LDADD = $(CMOCKA_LIBS) $(analyzer_link)
tests_unit_clock_solve_test_SOURCES = tests/unit/clock_solve_test.c
check_PROGRAMS += tests/unit/spool_cut
tests_unit_spool_cut_SOURCES = tests/unit/spool_cut.c
tests_unit_spool_cut_CPPFLAGS = $(analyzer_cppflags)
tests_unit_spool_cut_LDADD = $(analyzer_link)
TESTS += tests/merge_full.sh tests/merge_interrupted.sh tests/merge_seams.sh
EXTRA_DIST += tests/merge_full.sh tests/merge_interrupted.sh tests/merge_seams.sh
