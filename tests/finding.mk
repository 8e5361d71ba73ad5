# Tests of the advisor: rules on small databases, and on trainings with planted trouble.
check_PROGRAMS += tests/unit/findings
tests_unit_findings_SOURCES = tests/unit/findings.c analyzer/finding.c analyzer/finding_unit.c \
	analyzer/finding_device.c analyzer/table.c analyzer/log.c analyzer/report_text.c
nodist_tests_unit_findings_SOURCES = analyzer/findings_sql.h
tests_unit_findings_CPPFLAGS = $(AM_CPPFLAGS) $(SQLITE_CFLAGS) -I$(top_srcdir)/analyzer -I$(top_builddir)/analyzer
tests_unit_findings_LDADD = $(SQLITE_LIBS) -lm
TESTS += tests/findings_rules.sh tests/findings_planted.sh tests/findings_nodes.sh tests/findings_gpu.sh tests/findings_numa.sh
EXTRA_DIST += tests/findings_rules.sh tests/findings_planted.sh tests/findings_nodes.sh tests/findings_gpu.sh tests/findings_numa.sh tests/findings
