# A test is a program or script that speaks TAP (one line per behaviour).
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh --comments
TEST_EXTENSIONS = .sh
SH_LOG_DRIVER = $(LOG_DRIVER)
LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/limited
SH_LOG_COMPILER = $(LOG_COMPILER)
AM_TESTS_ENVIRONMENT = top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' \
	MPICC_OPENMPI='$(MPICC_OPENMPI)' MPICC_MPICH='$(MPICC_MPICH)' CMOCKA_MESSAGE_OUTPUT=TAP; \
	export top_srcdir top_builddir MPICC_OPENMPI MPICC_MPICH CMOCKA_MESSAGE_OUTPUT;
AM_TESTS_FD_REDIRECT = 9>&2

EXTRA_DIST += tests/run tests/aarch64 tests/setup tests/build tests/limited tests/smoke tests/README.md \
	tests/bench/run tests/bench/scale tests/bench/held tests/bench/savings tests/bench/alarms tests/bench/gate tests/bench/kineto tests/bench/slow_reader tests/bench/torch tests/bench/ddp.py tests/bench/all_reduce.py tests/bench/pages tests/bench/long tests/bench/long_load.c tests/bench/ranks.sql tests/bench/gpus.sql tests/bench/slices.sql tests/bench/calls.c tests/bench/launch.c tests/bench/README.md

# Tests that use a core for less than a third of their time: tests/run makes twice as many of them at once.
WAITING = tests/attach_run.sh tests/collector_calls.sh tests/collector_helper.sh tests/counters_nodes.sh tests/counters_run.sh \
	tests/findings_nodes.sh tests/launcher_nodes.sh tests/nvml.sh tests/record_ledger.sh tests/trainer_checkpoint.sh \
	tests/trainer_errors.sh tests/unit/par_files tests/e2e/clocks.sh tests/e2e/cluster_study.sh tests/e2e/doctor_nodes.sh \
	tests/e2e/lives.sh tests/e2e/slurm.sh

# For tests/run, which asks what there is.
print-tests:
	@echo TESTS: $(TESTS)
	@echo WAITING: $(WAITING)

.PHONY: print-tests

include tests/collector.mk
include tests/attach.mk
include tests/python.mk
include tests/mpi.mk
include tests/nccl.mk
include tests/merge.mk
include tests/insight.mk
include tests/analyze.mk
include tests/kineto.mk
include tests/report.mk
include tests/finding.mk
include tests/trainer.mk
include tests/counters.mk
include tests/e2e.mk
include tests/live.mk
include tests/docs.mk
include tests/standin.mk
include tests/cupti.mk
