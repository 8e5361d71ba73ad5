# Tests of merge.
check_PROGRAMS += tests/unit/spool_make
tests_unit_spool_make_SOURCES = tests/unit/spool_make.c
check_PROGRAMS += tests/unit/spool_damage
tests_unit_spool_damage_SOURCES = tests/unit/spool_damage.c
TESTS += tests/merge_golden.sh tests/merge_damage.sh
EXTRA_DIST += tests/merge_golden.sh tests/merge_damage.sh tests/golden/merge_mixed.txt tests/golden/merge_mixed.expected
