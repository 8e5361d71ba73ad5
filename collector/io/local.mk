# POSIX and stdio calls; waiting calls.
EXTRA_DIST += collector/io/README.md
collector_libtacho_la_SOURCES += \
	collector/io/io.c \
	collector/io/io.h \
	collector/io/io_aio.c \
	collector/io/io_format.c \
	collector/io/io_open.c \
	collector/io/io_scan.c \
	collector/io/io_stdio.c \
	collector/io/wait.h \
	collector/io/wait.c
