analyzer_tacho_SOURCES += analyzer/cmd_report.c analyzer/report.c analyzer/report.h analyzer/report_sections.def analyzer/report_runs.def \
	analyzer/report_page.h analyzer/student.h analyzer/report_plot.c analyzer/report_sections.c analyzer/report_svg.c analyzer/report_table.c \
	analyzer/report_db.c analyzer/report_db.h analyzer/report_median.c analyzer/report_median.h analyzer/report_sums.c analyzer/report_sums.h analyzer/report_text.c analyzer/report_text.h \
	analyzer/cmd_export.c analyzer/export.h analyzer/export_csv.c analyzer/export_file.c analyzer/export_file.h analyzer/export_json.c analyzer/export_json.h \
	analyzer/export_perfetto.c \
	analyzer/summary.c analyzer/summary.h \
	analyzer/cmd_scaling.c analyzer/scaling.c analyzer/scaling.h \
	analyzer/cmd_compare.c analyzer/compare.c analyzer/compare.h analyzer/compare_gate.c analyzer/compare_json.c analyzer/compare_print.c \
	analyzer/compare_print.h analyzer/compare_tables.c analyzer/grid.c analyzer/grid.h
