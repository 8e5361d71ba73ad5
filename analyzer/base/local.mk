# What every part uses: messages, growing arrays, sentences on a terminal, processes and rings between them.
EXTRA_DIST += analyzer/base/README.md
noinst_LIBRARIES += analyzer/base/libbase.a
analyzer_base_libbase_a_CPPFLAGS = $(analyzer_cppflags)
analyzer_base_libbase_a_CFLAGS = $(analyzer_cflags)
analyzer_base_libbase_a_SOURCES = \
	analyzer/base/change_points.c \
	analyzer/base/change_points.h \
	analyzer/base/clock_now.h \
	analyzer/base/ptrace_scope.h \
	analyzer/base/containers.c \
	analyzer/base/containers.h \
	analyzer/base/guard.c \
	analyzer/base/guard.h \
	analyzer/base/json.c \
	analyzer/base/json.h \
	analyzer/base/json_in.c \
	analyzer/base/json_in.h \
	analyzer/base/log.c \
	analyzer/base/log.h \
	analyzer/base/median.c \
	analyzer/base/median.h \
	analyzer/base/pack.c \
	analyzer/base/pack.h \
	analyzer/base/par.c \
	analyzer/base/par.h \
	analyzer/base/par_files.c \
	analyzer/base/par_files.h \
	analyzer/base/par_local.c \
	analyzer/base/par_queue.c \
	analyzer/base/par_queue.h \
	analyzer/base/run_lacks.c \
	analyzer/base/path_list.c \
	analyzer/base/path_list.h \
	analyzer/base/rundir.c \
	analyzer/base/rundir.h \
	analyzer/base/shm_ring.c \
	analyzer/base/shm_ring.h \
	analyzer/base/student.h \
	analyzer/base/terminal.c \
	analyzer/base/terminal.h \
	analyzer/base/text.c \
	analyzer/base/text.h \
	analyzer/base/text_function.c \
	analyzer/base/text_function.h

# The part of par that speaks MPI; loaded only when a launcher started several processes.
if HAVE_MPI
pkglib_LTLIBRARIES += analyzer/tacho-mpi.la
endif
analyzer_tacho_mpi_la_CPPFLAGS = $(analyzer_cppflags) $(MPI_CFLAGS)
analyzer_tacho_mpi_la_LDFLAGS = -module -avoid-version -shared
analyzer_tacho_mpi_la_LIBADD = $(MPI_LIBS)
analyzer_tacho_mpi_la_SOURCES = analyzer/base/par_mpi.c analyzer/base/par.h
