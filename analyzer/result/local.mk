# Tables for people and programs, and their writers.
EXTRA_DIST += analyzer/result/README.md
noinst_LIBRARIES += analyzer/result/libresult.a
analyzer_result_libresult_a_CPPFLAGS = $(analyzer_cppflags)
analyzer_result_libresult_a_CFLAGS = $(analyzer_cflags)
analyzer_result_libresult_a_SOURCES = \
	analyzer/result/format.c \
	analyzer/result/format.h \
	analyzer/result/result.c \
	analyzer/result/result.h \
	analyzer/result/result_csv.c \
	analyzer/result/result_html.c \
	analyzer/result/result_html.h \
	analyzer/result/result_json.c \
	analyzer/result/result_markdown.c \
	analyzer/result/result_print.c
