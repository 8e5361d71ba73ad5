# Tests of mpi.
TESTS += tests/mpi_trace.sh tests/mpi_communicators.sh tests/mpi_spawn.sh tests/mpi_threads.sh tests/mpi_late.sh \
	tests/mpi_abi.sh tests/mpi_functions.sh tests/mpi_large.sh tests/mpi_persistent.sh tests/mpi_sessions.sh \
	tests/mpi_disorder.sh tests/mpi_fortran.sh tests/mpi_neighbours.sh tests/mpi_gates.sh tests/mpi_damage.sh tests/mpi_jobs.sh tests/mpi_joins.sh
EXTRA_DIST += tests/mpi_common.sh tests/mpi_trace.sh tests/mpi_communicators.sh tests/mpi_spawn.sh tests/mpi_threads.sh \
	tests/mpi_late.sh tests/mpi_abi.sh tests/mpi_functions.sh tests/mpi_large.sh tests/mpi_fortran.sh \
	tests/mpi_sessions.sh tests/e2e/mpi_sessions.c tests/mpi_persistent.sh tests/e2e/mpi_persistent.c tests/mpi_disorder.sh tests/e2e/mpi_disorder.c \
	tests/mpi_neighbours.sh tests/e2e/mpi_neighbours.c tests/mpi_gates.sh tests/e2e/mpi_gates.c tests/mpi_damage.sh tests/mpi_jobs.sh tests/mpi_joins.sh tests/e2e/damage_load.c \
	tests/e2e/mpi_large.c tests/e2e/mpi_fortran.F90 \
	tests/mpi_abi_check.c tests/e2e/mpi_dump.c tests/e2e/mpi_expect.h tests/e2e/mpi_messages.c \
	tests/e2e/mpi_collectives.c tests/e2e/mpi_objects.c tests/e2e/mpi_spawn.c tests/e2e/mpi_threads.c tests/e2e/mpi_late.c \
	tests/bench/mpi_calls.c

if HAVE_CMOCKA
check_PROGRAMS += tests/unit/mpi_map
TESTS += tests/unit/mpi_map
endif
tests_unit_mpi_map_SOURCES = tests/unit/mpi_map.c collector/mpi/mpi_map.c
tests_unit_mpi_map_CPPFLAGS = $(collector_cppflags)
tests_unit_mpi_map_CFLAGS = $(AM_CFLAGS) -pthread $(CMOCKA_CFLAGS)
tests_unit_mpi_map_LDADD = $(CMOCKA_LIBS)
