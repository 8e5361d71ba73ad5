# Spools of a run that goes on, looked at again and again.
EXTRA_DIST += analyzer/watch/README.md
noinst_LIBRARIES += analyzer/watch/libwatch.a
analyzer_watch_libwatch_a_CPPFLAGS = $(analyzer_cppflags)
analyzer_watch_libwatch_a_CFLAGS = $(analyzer_cflags)
analyzer_watch_libwatch_a_SOURCES = \
	analyzer/watch/live.c \
	analyzer/watch/live.h \
	analyzer/watch/live_defs.c \
	analyzer/watch/live_nccl.c \
	analyzer/watch/live_nccl.h \
	analyzer/watch/live_thread.c \
	analyzer/watch/watch_hang.c \
	analyzer/watch/watch_hang.h \
	analyzer/watch/watch_metrics.c \
	analyzer/watch/watch_print.c \
	analyzer/watch/watch_view.c \
	analyzer/watch/watch_view.h
