# Locations are read, replayed on ideal networks, and devices swept.
EXTRA_DIST += analyzer/engine/README.md analyzer/engine/gpu/README.md analyzer/engine/nccl/README.md analyzer/engine/mpi/README.md
noinst_LIBRARIES += analyzer/engine/libengine.a
analyzer_engine_libengine_a_CPPFLAGS = $(analyzer_cppflags)
analyzer_engine_libengine_a_CFLAGS = $(analyzer_cflags)
analyzer_engine_libengine_a_SOURCES = \
	analyzer/engine/critical.c \
	analyzer/engine/critical.h \
	analyzer/engine/engine.h \
	analyzer/engine/gpu/idle.c \
	analyzer/engine/gpu/idle.h \
	analyzer/engine/gpu/replay_device.c \
	analyzer/engine/gpu/replay_device.h \
	analyzer/engine/gpu/replay_launch.c \
	analyzer/engine/gpu/replay_mark.c \
	analyzer/engine/gpu/replay_process.c \
	analyzer/engine/gpu/replay_stream.c \
	analyzer/engine/gpu/sweep.c \
	analyzer/engine/gpu/sweep.h \
	analyzer/engine/gpu/sweep_gap.c \
	analyzer/engine/gpu/sweep_sample.c \
	analyzer/engine/mpi/collective_rest.c \
	analyzer/engine/mpi/collective_rest.h \
	analyzer/engine/mpi/replay.c \
	analyzer/engine/mpi/replay.h \
	analyzer/engine/mpi/replay_ahead.c \
	analyzer/engine/mpi/replay_collective.c \
	analyzer/engine/mpi/replay_eager.c \
	analyzer/engine/mpi/replay_gate.c \
	analyzer/engine/mpi/replay_late.c \
	analyzer/engine/mpi/replay_match.c \
	analyzer/engine/mpi/replay_mpi.c \
	analyzer/engine/mpi/replay_neighbours.c \
	analyzer/engine/mpi/replay_poll.c \
	analyzer/engine/mpi/replay_rma.c \
	analyzer/engine/mpi/replay_rooted.c \
	analyzer/engine/mpi/replay_row.c \
	analyzer/engine/mpi/replay_socket.c \
	analyzer/engine/mpi/replay_wait.c \
	analyzer/engine/nccl/replay_nccl.c \
	analyzer/engine/nccl/replay_nccl.h \
	analyzer/engine/nccl/replay_nccl_op.c \
	analyzer/engine/nccl/replay_nccl_ready.c \
	analyzer/engine/nccl/replay_nccl_row.c \
	analyzer/engine/peers.h \
	analyzer/engine/sink.h \
	analyzer/engine/read/deferred.c \
	analyzer/engine/read/deferred.h \
	analyzer/engine/read/schedule.c \
	analyzer/engine/read/schedule.h \
	analyzer/engine/read/step_find.c \
	analyzer/engine/read/step_find.h \
	analyzer/engine/read/step_launch.c \
	analyzer/engine/read/step_period.c \
	analyzer/engine/read/step_scan.c \
	analyzer/engine/read/step_sequence.c \
	analyzer/engine/read/step_rest.c \
	analyzer/engine/read/step_rest.h \
	analyzer/engine/read/track.c \
	analyzer/engine/read/track.h \
	analyzer/engine/read/track_bytes.c \
	analyzer/engine/read/track_io.c \
	analyzer/engine/read/track_poll.c \
	analyzer/engine/read/track_sums.c \
	analyzer/engine/read/track_training.c \
	analyzer/engine/read/window.c \
	analyzer/engine/read/window_active.c \
	analyzer/engine/read/window_spans.c \
	analyzer/engine/read/window_sums.c \
	analyzer/engine/read/window.h
