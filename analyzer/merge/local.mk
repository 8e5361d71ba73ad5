# Spools become an archive.
EXTRA_DIST += analyzer/merge/README.md analyzer/merge/clock/README.md analyzer/merge/gpu/README.md analyzer/merge/nccl/README.md analyzer/merge/where/README.md
noinst_LIBRARIES += analyzer/merge/libmerge.a
analyzer_merge_libmerge_a_CPPFLAGS = $(analyzer_cppflags)
analyzer_merge_libmerge_a_CFLAGS = $(analyzer_cflags)
analyzer_merge_libmerge_a_SOURCES = \
	analyzer/merge/clock/clock_offset.c \
	analyzer/merge/clock/clock_offset.h \
	analyzer/merge/clock/clock_socket.c \
	analyzer/merge/clock/clock_socket.h \
	analyzer/merge/clock/clock_solve.c \
	analyzer/merge/clock/clock_solve.h \
	analyzer/merge/clock/clock_sync.c \
	analyzer/merge/clock/clock_sync.h \
	analyzer/merge/clock/clock_ticks.c \
	analyzer/merge/clock/clock_ticks.h \
	analyzer/merge/gpu/gpu.c \
	analyzer/merge/gpu/gpu.h \
	analyzer/merge/gpu/gpu_defs.c \
	analyzer/merge/gpu/gpu_kernel.c \
	analyzer/merge/gpu/gpu_kernel.h \
	analyzer/merge/gpu/gpu_read.c \
	analyzer/merge/gpu/gpu_write.c \
	analyzer/merge/merge.c \
	analyzer/merge/merge.h \
	analyzer/merge/merge_channels.c \
	analyzer/merge/merge_channels.h \
	analyzer/merge/merge_bridges.c \
	analyzer/merge/merge_comms.c \
	analyzer/merge/merge_comms.h \
	analyzer/merge/merge_groups.c \
	analyzer/merge/merge_event.c \
	analyzer/merge/merge_event.h \
	analyzer/merge/merge_files.c \
	analyzer/merge/merge_sockets.c \
	analyzer/merge/merge_messages.c \
	analyzer/merge/merge_python.c \
	analyzer/merge/merge_python.h \
	analyzer/merge/merge_messages.h \
	analyzer/merge/merge_metrics.c \
	analyzer/merge/merge_metrics.h \
	analyzer/merge/merge_model.c \
	analyzer/merge/merge_model.h \
	analyzer/merge/merge_notes.c \
	analyzer/merge/merge_order.c \
	analyzer/merge/merge_payload.c \
	analyzer/merge/merge_ranks.c \
	analyzer/merge/merge_regions.c \
	analyzer/merge/merge_regions.h \
	analyzer/merge/merge_requests.c \
	analyzer/merge/merge_requests.h \
	analyzer/merge/merge_scan.c \
	analyzer/merge/merge_scan.h \
	analyzer/merge/merge_sums.c \
	analyzer/merge/merge_walk.c \
	analyzer/merge/merge_sums.h \
	analyzer/merge/merge_walk.h \
	analyzer/merge/merge_worlds.c \
	analyzer/merge/merge_write.c \
	analyzer/merge/merge_write.h \
	analyzer/merge/nccl/nccl.c \
	analyzer/merge/nccl/nccl.h \
	analyzer/merge/nccl/nccl_comms.c \
	analyzer/merge/nccl/nccl_graph.c \
	analyzer/merge/nccl/nccl_parts.h \
	analyzer/merge/nccl/nccl_thread.c \
	analyzer/merge/topology.c \
	analyzer/merge/topology.h \
	analyzer/merge/where/where.c \
	analyzer/merge/where/where.h \
	analyzer/merge/where/where_doing.c \
	analyzer/merge/where/where_graph.c \
	analyzer/merge/where/where_match.c \
	analyzer/merge/where/where_text.c \
	analyzer/merge/write_defs.c \
	analyzer/merge/write_defs.h \
	analyzer/merge/write_props.c \
	analyzer/merge/write_props.h
