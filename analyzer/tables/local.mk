# What becomes rows of single calls, kernels, files, steps.
EXTRA_DIST += analyzer/tables/README.md
noinst_LIBRARIES += analyzer/tables/libtables.a
analyzer_tables_libtables_a_CPPFLAGS = $(analyzer_cppflags)
analyzer_tables_libtables_a_CFLAGS = $(analyzer_cflags)
analyzer_tables_libtables_a_SOURCES = \
	analyzer/tables/call.c \
	analyzer/tables/call.h \
	analyzer/tables/copy.c \
	analyzer/tables/copy.h \
	analyzer/tables/counters_series.c \
	analyzer/tables/counters_series.h \
	analyzer/tables/hw_counters.c \
	analyzer/tables/hw_counters.h \
	analyzer/tables/io_file.c \
	analyzer/tables/io_file.h \
	analyzer/tables/kernel.c \
	analyzer/tables/kernel.h \
	analyzer/tables/location_row.c \
	analyzer/tables/location_row.h \
	analyzer/tables/rate.c \
	analyzer/tables/rate.h \
	analyzer/tables/step_excess.c \
	analyzer/tables/step_excess.h \
	analyzer/tables/step_row.c \
	analyzer/tables/step_row.h \
	analyzer/tables/window_row.c \
	analyzer/tables/window_row.h
