# Counters in analyze.
analyzer_tacho_SOURCES += analyzer/counters_series.c analyzer/counters_series.h analyzer/metric_counters.c analyzer/work.c analyzer/work.h
