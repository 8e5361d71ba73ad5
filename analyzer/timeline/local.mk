# Pictures: the run, a representative step.
EXTRA_DIST += analyzer/timeline/README.md
noinst_LIBRARIES += analyzer/timeline/libtimeline.a
analyzer_timeline_libtimeline_a_CPPFLAGS = $(analyzer_cppflags)
analyzer_timeline_libtimeline_a_CFLAGS = $(analyzer_cflags)
analyzer_timeline_libtimeline_a_SOURCES = \
	analyzer/timeline/timeline.c \
	analyzer/timeline/timeline.h \
	analyzer/timeline/timeline_choose.c \
	analyzer/timeline/timeline_links.c \
	analyzer/timeline/timeline_look.c \
	analyzer/timeline/timeline_path.c \
	analyzer/timeline/timeline_step.c \
	analyzer/timeline/timeline_step.h
