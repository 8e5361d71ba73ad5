collector_libtacho_la_SOURCES += \
	collector/capture.c collector/capture.h \
	collector/chunk.c collector/chunk.h \
	collector/clock.c collector/clock.h \
	collector/cost.c \
	collector/end.c \
	collector/env.c collector/env.h collector/topology.c collector/topology.h \
	collector/exec.c \
	collector/handle.c collector/handle.h \
	collector/helper.c collector/helper.h \
	collector/io.c collector/io.h \
	collector/io_open.c \
	collector/io_stdio.c \
	collector/join.c collector/join.h \
	collector/mark.c collector/mark.h \
	collector/process.c collector/process.h \
	collector/real.c collector/real.h \
	collector/say.c \
	collector/sys.h \
	collector/thread.c collector/thread.h collector/thread_spool.c collector/thread_spool.h \
	collector/unwind.c \
	collector/wait.c
EXTRA_DIST += collector/README.md
