# What becomes rows of single calls, kernels, files, steps.
EXTRA_DIST += analyzer/tables/README.md
noinst_LIBRARIES += analyzer/tables/libtables.a
analyzer_tables_libtables_a_CPPFLAGS = $(analyzer_cppflags)
analyzer_tables_libtables_a_CFLAGS = $(analyzer_cflags)
analyzer_tables_libtables_a_SOURCES = \
	analyzer/tables/call.c \
	analyzer/tables/call.def \
	analyzer/tables/call.h \
	analyzer/tables/check_row.c \
	analyzer/tables/check_row.h \
	analyzer/tables/checks.def \
	analyzer/tables/collective.def \
	analyzer/tables/collective_rank.def \
	analyzer/tables/collective_rest.def \
	analyzer/tables/collective_row.c \
	analyzer/tables/collective_row.h \
	analyzer/tables/communicator.def \
	analyzer/tables/copy.c \
	analyzer/tables/copy.def \
	analyzer/tables/copy.h \
	analyzer/tables/counters_series.c \
	analyzer/tables/counters_series.h \
	analyzer/tables/device.def \
	analyzer/tables/device_time.def \
	analyzer/tables/environment.def \
	analyzer/tables/host_time.def \
	analyzer/tables/hw_counters.c \
	analyzer/tables/hw_counters.h \
	analyzer/tables/io_file.c \
	analyzer/tables/io_file.def \
	analyzer/tables/io_file.h \
	analyzer/tables/kernel.c \
	analyzer/tables/kernel.def \
	analyzer/tables/kernel.h \
	analyzer/tables/location.def \
	analyzer/tables/location_row.c \
	analyzer/tables/location_row.h \
	analyzer/tables/location_time.def \
	analyzer/tables/loss.def \
	analyzer/tables/median.def \
	analyzer/tables/metric.def \
	analyzer/tables/node.def \
	analyzer/tables/phase.def \
	analyzer/tables/phase_rest.def \
	analyzer/tables/process.def \
	analyzer/tables/process_device.def \
	analyzer/tables/python_frame.def \
	analyzer/tables/python_place.c \
	analyzer/tables/python_place.h \
	analyzer/tables/python_row.c \
	analyzer/tables/python_row.h \
	analyzer/tables/python_sample.def \
	analyzer/tables/rate.c \
	analyzer/tables/rate.h \
	analyzer/tables/row_budget.h \
	analyzer/tables/run.def \
	analyzer/tables/sample.def \
	analyzer/tables/step.def \
	analyzer/tables/step_excess.c \
	analyzer/tables/step_excess.h \
	analyzer/tables/step_rest.def \
	analyzer/tables/step_row.c \
	analyzer/tables/step_row.h \
	analyzer/tables/tables.c \
	analyzer/tables/tables.h \
	analyzer/tables/straggler.def \
	analyzer/tables/throughput_second.def \
	analyzer/tables/timeline.def \
	analyzer/tables/timeline_message.def \
	analyzer/tables/timeline_path.def \
	analyzer/tables/timeline_step.def \
	analyzer/tables/timeline_window.def \
	analyzer/tables/unmatched.def \
	analyzer/tables/window_rank.h \
	analyzer/tables/window_row.c \
	analyzer/tables/window_row.h
