# The pages and the summary.
EXTRA_DIST += analyzer/report/README.md
noinst_LIBRARIES += analyzer/report/libreport.a
analyzer_report_libreport_a_CPPFLAGS = $(analyzer_cppflags)
analyzer_report_libreport_a_CFLAGS = $(analyzer_cflags)
analyzer_report_libreport_a_SOURCES = \
	analyzer/report/explain.c \
	analyzer/report/explain.h \
	analyzer/report/history.c \
	analyzer/report/history.h \
	analyzer/report/report.c \
	analyzer/report/report.h \
	analyzer/report/report_compare.def \
	analyzer/report/report_db.c \
	analyzer/report/report_db.h \
	analyzer/report/report_data.c \
	analyzer/report/report_deflate.c \
	analyzer/report/report_deflate.h \
	analyzer/report/report_head.c \
	analyzer/report/report_head.h \
	analyzer/report/report_history.def \
	analyzer/report/report_icicle.c \
	analyzer/report/report_median.c \
	analyzer/report/report_median.h \
	analyzer/report/report_page.h \
	analyzer/report/report_plot.c \
	analyzer/report/report_rules.c \
	analyzer/report/report_rules.h \
	analyzer/report/report_runs.def \
	analyzer/report/report_sections.c \
	analyzer/report/report_sections.def \
	analyzer/report/report_planes.c \
	analyzer/report/report_planes.h \
	analyzer/report/report_sums.c \
	analyzer/report/report_sums.h \
	analyzer/report/report_svg.c \
	analyzer/report/report_table.c \
	analyzer/report/report_view.c \
	analyzer/report/scaling.c \
	analyzer/report/scaling.h \
	analyzer/report/summary.c \
	analyzer/report/summary.h \
	analyzer/report/summary_text.c \
	analyzer/report/summary_text.h \
	analyzer/report/summary_training.c \
	analyzer/report/summary_training.h
