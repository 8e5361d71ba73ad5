analyzer_tacho_SOURCES += analyzer/cmd_merge.c analyzer/merge.c analyzer/merge.h \
	analyzer/clock_knot.c analyzer/clock_knot.h analyzer/clock_offset.c analyzer/clock_offset.h \
	analyzer/merge_channels.c analyzer/merge_channels.h analyzer/merge_clock.c analyzer/merge_clock.h \
	analyzer/merge_comms.c analyzer/merge_event.c analyzer/merge_event.h analyzer/merge_files.c \
	analyzer/merge_gpu.c analyzer/merge_gpu.h analyzer/merge_gpu_defs.c analyzer/merge_gpu_read.c analyzer/merge_gpu_write.c \
	analyzer/merge_kernel.c analyzer/merge_kernel.h analyzer/merge_nccl.c analyzer/merge_nccl.h \
	analyzer/merge_nccl_comms.c analyzer/merge_nccl_graph.c analyzer/merge_nccl_parts.h \
	analyzer/merge_nccl_thread.c \
	analyzer/merge_messages.c analyzer/merge_metrics.c analyzer/merge_metrics.h analyzer/merge_messages.h analyzer/merge_model.c analyzer/merge_model.h \
	analyzer/merge_order.c analyzer/merge_payload.c analyzer/merge_ranks.c analyzer/merge_regions.c analyzer/merge_regions.h \
	analyzer/merge_requests.c analyzer/merge_requests.h analyzer/merge_scan.c analyzer/merge_scan.h \
	analyzer/merge_sync.c analyzer/merge_sync.h \
	analyzer/merge_walk.c analyzer/merge_walk.h analyzer/merge_write.c analyzer/merge_write.h \
	analyzer/otf2_out_defs.c analyzer/otf2_out_defs.h analyzer/otf2_out.c analyzer/otf2_out.h \
	analyzer/otf2_out_props.c analyzer/otf2_out_props.h analyzer/otf2_out_strings.c \
	analyzer/topology.c analyzer/topology.h \
	analyzer/par.c analyzer/par_local.c analyzer/par.h analyzer/spool_defs.c analyzer/spool_in.c analyzer/spool_in.h

# The parallel part; loaded only when a launcher started several processes.
if HAVE_MPI
pkglib_LTLIBRARIES += analyzer/tacho-mpi.la
endif
analyzer_tacho_mpi_la_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
analyzer_tacho_mpi_la_LDFLAGS = -module -avoid-version -shared
analyzer_tacho_mpi_la_LIBADD = $(MPI_LIBS)
analyzer_tacho_mpi_la_SOURCES = analyzer/par_mpi.c analyzer/par.h
