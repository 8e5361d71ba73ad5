# Processes, threads, spools, ends: what every recorded call needs.
EXTRA_DIST += collector/core/README.md
collector_libtacho_la_SOURCES += \
	collector/core/capture.c \
	collector/core/capture.h \
	collector/core/chunk.c \
	collector/core/chunk.h \
	collector/core/clock.c \
	collector/core/clock.h \
	collector/core/control.c \
	collector/core/control.h \
	collector/core/cost.c \
	collector/core/dlsym.c \
	collector/core/dlsym.h \
	collector/core/end.c \
	collector/core/env.c \
	collector/core/env.h \
	collector/core/exec.c \
	collector/core/fold.c \
	collector/core/fold.h \
	collector/core/handle.c \
	collector/core/handle.h \
	collector/core/helper.c \
	collector/core/helper.h \
	collector/core/join.c \
	collector/core/join.h \
	collector/core/mark.c \
	collector/core/mark.h \
	collector/core/process.c \
	collector/core/process.h \
	collector/core/real.c \
	collector/core/real.h \
	collector/core/sandbox.c \
	collector/core/sandbox.h \
	collector/core/say.c \
	collector/core/socket.c \
	collector/core/span.h \
	collector/core/sys.h \
	collector/core/thread.c \
	collector/core/thread.h \
	collector/core/thread_spool.c \
	collector/core/thread_spool.h \
	collector/core/topology.c \
	collector/core/topology.h \
	collector/core/unwind.c
