# Traces of torch.profiler (Kineto) and exports of Nsight Systems, read.
EXTRA_DIST += analyzer/kineto/README.md
noinst_LIBRARIES += analyzer/kineto/libkineto.a
analyzer_kineto_libkineto_a_CPPFLAGS = $(analyzer_cppflags)
analyzer_kineto_libkineto_a_CFLAGS = $(analyzer_cflags)
analyzer_kineto_libkineto_a_SOURCES = \
	analyzer/kineto/kineto.c \
	analyzer/kineto/kineto.h \
	analyzer/kineto/kineto_clock.c \
	analyzer/kineto/kineto_comm.c \
	analyzer/kineto/kineto_define.c \
	analyzer/kineto/kineto_event.c \
	analyzer/kineto/kineto_event.h \
	analyzer/kineto/kineto_job.h \
	analyzer/kineto/kineto_lanes.c \
	analyzer/kineto/kineto_rank.h \
	analyzer/kineto/kineto_read.c \
	analyzer/kineto/kineto_source.c \
	analyzer/kineto/kineto_source.h \
	analyzer/kineto/kineto_take.c \
	analyzer/kineto/kineto_write.c \
	analyzer/kineto/nsys.h \
	analyzer/kineto/nsys_read.c
