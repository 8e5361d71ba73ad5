# Slow ranks, steps without marks, critical path.
analyzer_tacho_SOURCES += analyzer/straggler.c analyzer/straggler_series.c analyzer/straggler.h
