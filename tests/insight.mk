# Tests of slow ranks, steps without marks and the critical path.
check_PROGRAMS += tests/unit/straggler_series
tests_unit_straggler_series_SOURCES = tests/unit/straggler_series.c analyzer/straggler_series.c
tests_unit_straggler_series_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/analyzer
tests_unit_straggler_series_LDADD = -lm
check_PROGRAMS += tests/unit/stragglers
tests_unit_stragglers_SOURCES = tests/unit/stragglers.c tests/unit/steps_read.c tests/unit/steps_load.c tests/unit/steps_load.h analyzer/step_row.c analyzer/straggler.c analyzer/straggler_series.c \
	analyzer/straggler_device.c analyzer/straggler_crowd.c analyzer/straggler_sums.c analyzer/db.c analyzer/db_rows.c analyzer/db_merge.c analyzer/db_migrate.c analyzer/guard.c analyzer/log.c \
	analyzer/report_text.c analyzer/table.c
tests_unit_stragglers_CPPFLAGS = $(AM_CPPFLAGS) $(OTF2_CFLAGS) $(SQLITE_CFLAGS) -I$(top_srcdir)/analyzer -I$(top_builddir)/analyzer
tests_unit_stragglers_LDADD = $(SQLITE_LIBS) -lm
check_PROGRAMS += tests/unit/step_sums
tests_unit_step_sums_SOURCES = tests/unit/step_sums.c tests/unit/steps_read.c tests/unit/steps_load.c tests/unit/steps_load.h analyzer/step_row.c analyzer/straggler.c \
	analyzer/straggler_series.c analyzer/straggler_device.c analyzer/straggler_crowd.c analyzer/straggler_sums.c \
	analyzer/db.c analyzer/db_rows.c analyzer/db_merge.c analyzer/db_migrate.c analyzer/guard.c analyzer/log.c analyzer/report_text.c analyzer/table.c
tests_unit_step_sums_CPPFLAGS = $(tests_unit_stragglers_CPPFLAGS)
tests_unit_step_sums_LDADD = $(tests_unit_stragglers_LDADD)
TESTS += tests/unit/step_sums tests/unit/straggler_series tests/insight_stragglers.sh tests/insight_trainer.sh
EXTRA_DIST += tests/insight_stragglers.sh tests/insight_trainer.sh tests/stragglers
check_PROGRAMS += tests/unit/rows
tests_unit_rows_SOURCES = tests/unit/rows.c analyzer/window_row.c analyzer/step_row.c analyzer/straggler.c analyzer/straggler_series.c \
	analyzer/straggler_device.c analyzer/straggler_crowd.c analyzer/straggler_sums.c analyzer/db.c analyzer/db_rows.c analyzer/db_merge.c analyzer/db_migrate.c \
	analyzer/guard.c analyzer/log.c analyzer/report_text.c analyzer/table.c
tests_unit_rows_CPPFLAGS = $(tests_unit_stragglers_CPPFLAGS)
tests_unit_rows_LDADD = $(tests_unit_stragglers_LDADD)
TESTS += tests/unit/rows
check_PROGRAMS += tests/unit/choose
tests_unit_choose_SOURCES = tests/unit/choose.c analyzer/timeline_choose.c analyzer/query.c analyzer/window_row.c analyzer/step_row.c analyzer/straggler.c \
	analyzer/straggler_series.c analyzer/straggler_device.c analyzer/straggler_crowd.c analyzer/straggler_sums.c analyzer/db.c analyzer/db_rows.c \
	analyzer/db_merge.c analyzer/db_migrate.c analyzer/guard.c analyzer/log.c analyzer/report_text.c analyzer/table.c
tests_unit_choose_CPPFLAGS = $(tests_unit_stragglers_CPPFLAGS)
tests_unit_choose_LDADD = $(tests_unit_stragglers_LDADD)
TESTS += tests/unit/choose
