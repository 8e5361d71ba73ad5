# Tests of merge.
check_PROGRAMS += tests/unit/spool_make
tests_unit_spool_make_SOURCES = tests/unit/spool_make.c
