# One analysis by several processes.
EXTRA_DIST += analyzer/parallel/README.md
noinst_LIBRARIES += analyzer/parallel/libparallel.a
analyzer_parallel_libparallel_a_CPPFLAGS = $(analyzer_cppflags)
analyzer_parallel_libparallel_a_CFLAGS = $(analyzer_cflags)
analyzer_parallel_libparallel_a_SOURCES = \
	analyzer/parallel/mpi_relay.c \
	analyzer/parallel/mpi_relay.h \
	analyzer/parallel/split.c \
	analyzer/parallel/split.h \
	analyzer/parallel/split_device.c \
	analyzer/parallel/split_pack.c \
	analyzer/parallel/split_crowd.c \
	analyzer/parallel/split_crowd.h \
	analyzer/parallel/split_plan.c \
	analyzer/parallel/split_plan.h \
	analyzer/parallel/split_replay.c \
	analyzer/parallel/split_send.c \
	analyzer/parallel/writer_cpu.c \
	analyzer/parallel/writer_cpu.h
