# tacho compare.
EXTRA_DIST += analyzer/compare/README.md
noinst_LIBRARIES += analyzer/compare/libcompare.a
analyzer_compare_libcompare_a_CPPFLAGS = $(analyzer_cppflags)
analyzer_compare_libcompare_a_CFLAGS = $(analyzer_cflags)
analyzer_compare_libcompare_a_SOURCES = \
	analyzer/compare/compare.c \
	analyzer/compare/compare.h \
	analyzer/compare/compare_baseline.c \
	analyzer/compare/compare_baseline.h \
	analyzer/compare/compare_ci.c \
	analyzer/compare/compare_disturbed.c \
	analyzer/compare/compare_gate.c \
	analyzer/compare/compare_json.c \
	analyzer/compare/compare_page.c \
	analyzer/compare/compare_print.c \
	analyzer/compare/compare_print.h \
	analyzer/compare/compare_tables.c
