# tacho export.
EXTRA_DIST += analyzer/export/README.md
noinst_LIBRARIES += analyzer/export/libexport.a
analyzer_export_libexport_a_CPPFLAGS = $(analyzer_cppflags)
analyzer_export_libexport_a_CFLAGS = $(analyzer_cflags)
analyzer_export_libexport_a_SOURCES = \
	analyzer/export/export.h \
	analyzer/export/export_csv.c \
	analyzer/export/export_file.c \
	analyzer/export/export_file.h \
	analyzer/export/export_marks.c \
	analyzer/export/export_marks.h \
	analyzer/export/export_flows.c \
	analyzer/export/export_flows.h \
	analyzer/export/export_gzip.c \
	analyzer/export/export_gzip.h \
	analyzer/export/export_kineto.c \
	analyzer/export/export_kineto.h \
	analyzer/export/export_kineto_events.c \
	analyzer/export/export_kineto_operation.c \
	analyzer/export/export_names.c \
	analyzer/export/export_names.h \
	analyzer/export/export_notes.c \
	analyzer/export/export_notes.h \
	analyzer/export/export_stacks.c \
	analyzer/export/export_json.c \
	analyzer/export/export_json.h \
	analyzer/export/export_perfetto.c
