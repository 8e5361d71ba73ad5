# tacho whatif: the step model and its ladder.
EXTRA_DIST += analyzer/whatif/README.md
noinst_LIBRARIES += analyzer/whatif/libwhatif.a
analyzer_whatif_libwhatif_a_CPPFLAGS = $(analyzer_cppflags)
analyzer_whatif_libwhatif_a_CFLAGS = $(analyzer_cflags)
analyzer_whatif_libwhatif_a_SOURCES = \
	analyzer/whatif/ladder.c \
	analyzer/whatif/ladder.h \
	analyzer/whatif/ladder_write.c \
	analyzer/whatif/stay.c \
	analyzer/whatif/stay.h \
	analyzer/whatif/step_model.c \
	analyzer/whatif/step_model.h \
	analyzer/whatif/step_read.c \
	analyzer/whatif/step_time.c
