# tacho analyze: an archive becomes a database.
EXTRA_DIST += analyzer/analyze/README.md
noinst_LIBRARIES += analyzer/analyze/libanalyze.a
analyzer_analyze_libanalyze_a_CPPFLAGS = $(analyzer_cppflags)
analyzer_analyze_libanalyze_a_CFLAGS = $(analyzer_cflags)
analyzer_analyze_libanalyze_a_SOURCES = \
	analyzer/analyze/analyze.c \
	analyzer/analyze/analyze.h \
	analyzer/analyze/analyze_job.h \
	analyzer/analyze/analyze_run.c \
	analyzer/analyze/analyze_traces.c \
	analyzer/analyze/roofs.c \
	analyzer/analyze/roofs.h \
	analyzer/analyze/run_rows.c \
	analyzer/analyze/run_rows.h
