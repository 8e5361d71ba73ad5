# tacho sweep: the runs of a study.
EXTRA_DIST += analyzer/sweep/README.md
noinst_LIBRARIES += analyzer/sweep/libsweep.a
analyzer_sweep_libsweep_a_CPPFLAGS = $(analyzer_cppflags)
analyzer_sweep_libsweep_a_CFLAGS = $(analyzer_cflags)
analyzer_sweep_libsweep_a_SOURCES = \
	analyzer/sweep/shift.c \
	analyzer/sweep/shift.h \
	analyzer/sweep/study.c \
	analyzer/sweep/study.h \
	analyzer/sweep/study_command.c \
	analyzer/sweep/study_command.h \
	analyzer/sweep/study_file.c \
	analyzer/sweep/study_set.c \
	analyzer/sweep/sweep.c \
	analyzer/sweep/sweep.h \
	analyzer/sweep/sweep_batch.c \
	analyzer/sweep/sweep_batch.h \
	analyzer/sweep/sweep_left.c \
	analyzer/sweep/sweep_result.c \
	analyzer/sweep/sweep_round.c \
	analyzer/sweep/sweep_round.h \
	analyzer/sweep/sweep_run.c \
	analyzer/sweep/sweep_run.h \
	analyzer/sweep/sweep_said.c \
	analyzer/sweep/sweep_said.h \
	analyzer/sweep/sweep_search.c \
	analyzer/sweep/sweep_search.h \
	analyzer/sweep/sweep_signal.c \
	analyzer/sweep/sweep_signal.h \
	analyzer/sweep/sweep_state.c \
	analyzer/sweep/sweep_state.h
