# Tests of slow ranks, steps without marks and the critical path.
check_PROGRAMS += tests/unit/straggler_series
tests_unit_straggler_series_SOURCES = tests/unit/straggler_series.c analyzer/straggler_series.c
tests_unit_straggler_series_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/analyzer
tests_unit_straggler_series_LDADD = -lm
TESTS += tests/unit/straggler_series tests/insight_trainer.sh
EXTRA_DIST += tests/insight_trainer.sh
