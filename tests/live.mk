# Runs that go on: looked at, controlled.
LIVE_TESTS = tests/e2e/watch.sh tests/e2e/snapshot.sh tests/e2e/control.sh tests/e2e/status.sh tests/e2e/finish.sh tests/e2e/packs.sh tests/e2e/share.sh tests/e2e/live_nodes.sh tests/e2e/keep.sh tests/e2e/view.sh
TESTS += $(LIVE_TESTS)
EXTRA_DIST += $(LIVE_TESTS) tests/e2e/watch_load.c tests/e2e/share_stay.c
TESTS += tests/nccl_hang.sh
EXTRA_DIST += tests/nccl_hang.sh
if HAVE_STANDIN
if HAVE_NCCL
check_PROGRAMS += tests/e2e/nccl_hang
EXTRA_tests_e2e_nccl_hang_DEPENDENCIES = $(standin_nccl) $(standin_libraries)
endif
endif
tests_e2e_nccl_hang_SOURCES = tests/e2e/nccl_hang.c
tests_e2e_nccl_hang_CPPFLAGS = $(nccl_cppflags)
tests_e2e_nccl_hang_LDFLAGS = $(nccl_ldflags)
tests_e2e_nccl_hang_LDADD = -Ltests/standin/cuda13 -lnccl $(nccl_libs)
TESTS += tests/doctor.sh tests/e2e/doctor_nodes.sh
EXTRA_DIST += tests/doctor.sh tests/e2e/doctor_nodes.sh
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/doctor_near
TESTS += tests/unit/doctor_near
endif
tests_unit_doctor_near_SOURCES = tests/unit/doctor_near.c
tests_unit_doctor_near_CPPFLAGS = $(analyzer_cppflags)
tests_unit_doctor_near_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_doctor_near_LDADD = $(CMOCKA_LIBS) $(analyzer_link)
