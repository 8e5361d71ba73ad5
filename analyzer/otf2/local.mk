# OTF2 archives, read and written; knows no stage.
EXTRA_DIST += analyzer/otf2/README.md
noinst_LIBRARIES += analyzer/otf2/libotf2io.a
analyzer_otf2_libotf2io_a_CPPFLAGS = $(analyzer_cppflags)
analyzer_otf2_libotf2io_a_CFLAGS = $(analyzer_cflags)
analyzer_otf2_libotf2io_a_SOURCES = \
	analyzer/otf2/otf2_cursor.c \
	analyzer/otf2/otf2_defs.c \
	analyzer/otf2/otf2_defs.h \
	analyzer/otf2/otf2_event.c \
	analyzer/otf2/otf2_file.c \
	analyzer/otf2/otf2_file.h \
	analyzer/otf2/otf2_in.c \
	analyzer/otf2/otf2_in.h \
	analyzer/otf2/otf2_others.def \
	analyzer/otf2/otf2_out.c \
	analyzer/otf2/otf2_out.h \
	analyzer/otf2/otf2_out_strings.c \
	analyzer/otf2/otf2_out_strings.h \
	analyzer/otf2/otf2_records.c \
	analyzer/otf2/otf2_select.c \
	analyzer/otf2/otf2_records.h
