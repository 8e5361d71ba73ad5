# End to end: record, merge, analyze, report on real runs.
E2E_TESTS = tests/e2e/record.sh tests/e2e/death.sh tests/e2e/killed.sh tests/e2e/lives.sh tests/e2e/lost.sh tests/e2e/where.sh tests/e2e/full_disk.sh tests/e2e/training.sh tests/e2e/clocks.sh \
	tests/e2e/nodes.sh tests/e2e/slurm.sh tests/e2e/slurm_site.sh tests/e2e/ranks64.sh tests/e2e/nodes64.sh tests/e2e/resume.sh tests/e2e/capture.sh \
	tests/e2e/pytorch.sh tests/e2e/truth.sh tests/e2e/causes.sh tests/e2e/ahead.sh tests/e2e/split.sh tests/e2e/torch.sh tests/e2e/torch_nodes.sh tests/e2e/study.sh tests/e2e/trouble.sh tests/e2e/limits.sh tests/e2e/compare.sh
E2E_TESTS += tests/e2e/folds.sh tests/e2e/tries.sh tests/e2e/sockets.sh tests/e2e/socket_late.sh tests/e2e/threads.sh
TESTS += $(E2E_TESTS)
EXTRA_DIST += $(E2E_TESTS) tests/databases.sh tests/e2e/lib.sh tests/e2e/cluster.sh tests/e2e/findings.sh tests/e2e/death_load.c tests/e2e/killed_load.c tests/e2e/lives_load.c tests/e2e/lost_load.c tests/e2e/where_load.c tests/e2e/calls_count.py \
	tests/e2e/clock_ticks.c tests/e2e/clock_check.py tests/e2e/ring_load.c tests/e2e/storage_load.c tests/e2e/ranks_load.c \
	tests/e2e/capture_load.c tests/e2e/trouble_load.c tests/e2e/limits_load.c tests/e2e/account_load.c tests/e2e/torch_ddp.py tests/e2e/torch_fiber.c tests/e2e/torch_ops.py tests/e2e/torch_mixed.py tests/e2e/torch_unwaited.py tests/e2e/torch_shapes.py tests/e2e/folds_load.c tests/e2e/folds_mpi.c tests/e2e/tries_load.c tests/e2e/sockets_load.c tests/e2e/socket_late_load.c tests/e2e/port.h tests/e2e/free_port.py tests/e2e/threads_load.c
TESTS += tests/e2e/bounded.sh tests/e2e/profile.sh tests/e2e/statuses.sh
EXTRA_DIST += tests/e2e/statuses.sh tests/e2e/profile.sh tests/e2e/bounded.sh tests/e2e/bounded_load.c tests/e2e/many_load.c tests/e2e/pipe_load.c
TESTS += tests/e2e/torch_parts.sh tests/e2e/torch_profiled.sh
EXTRA_DIST += tests/e2e/torch_parts.sh tests/e2e/torch_parts.py tests/e2e/torch_profiled.sh
TESTS += tests/e2e/torch_modules.sh
EXTRA_DIST += tests/e2e/torch_modules.sh tests/e2e/torch_modules.py
TESTS += tests/e2e/torch_spawn.sh tests/e2e/torch_compiled.sh
EXTRA_DIST += tests/e2e/torch_compiled.sh tests/e2e/torch_compiled.py tests/e2e/torch_spawn.sh tests/e2e/torch_spawn.py
TESTS += tests/e2e/torch_roles.sh
EXTRA_DIST += tests/e2e/torch_roles.sh tests/e2e/torch_roles.py
TESTS += tests/e2e/torch_buckets.sh
EXTRA_DIST += tests/e2e/torch_buckets.sh tests/e2e/torch_buckets.py
TESTS += tests/e2e/torch_bytes.sh tests/e2e/torch_every.sh
EXTRA_DIST += tests/e2e/torch_bytes.sh tests/e2e/torch_every.sh tests/e2e/torch_every.py
TESTS += tests/e2e/torch_names.sh
EXTRA_DIST += tests/e2e/torch_names.sh tests/data/libtorch/1.13.1 tests/data/libtorch/2.6.0 tests/data/libtorch/2.14.1 tests/data/libtorch/aside \
	tests/standin/torch/torch.hpp tests/standin/torch/torch.cpp tests/standin/torch/operations.def tests/standin/torch/main.cpp
TESTS += tests/e2e/torch_backward.sh
EXTRA_DIST += tests/e2e/torch_backward.sh tests/e2e/torch_backward.py
TESTS += tests/e2e/sweep.sh tests/e2e/sweep_launchers.sh tests/e2e/cluster_study.sh
EXTRA_DIST += tests/e2e/sweep.sh tests/e2e/sweep_launchers.sh tests/e2e/cluster_study.sh tests/e2e/sweep_load.c
check_PROGRAMS += tests/unit/shift
tests_unit_shift_SOURCES = tests/unit/shift.c
tests_unit_shift_CPPFLAGS = $(analyzer_cppflags)
tests_unit_shift_LDADD = $(analyzer_link)
TESTS += tests/unit/shift
TESTS += tests/e2e/efficiency.sh
EXTRA_DIST += tests/e2e/efficiency.sh tests/e2e/efficiency_load.c tests/e2e/capture_late.c
TESTS += tests/e2e/children.sh
EXTRA_DIST += tests/e2e/children.sh tests/e2e/children_load.c
TESTS += tests/e2e/scenarios.sh
EXTRA_DIST += tests/e2e/scenarios.sh tests/scenarios tests/e2e/causes.py tests/e2e/scenarios_load.c
