# Slow ranks, steps without marks, critical path.
analyzer_tacho_SOURCES += analyzer/straggler.c analyzer/straggler_series.c analyzer/straggler_device.c analyzer/straggler_crowd.c analyzer/straggler_sums.c analyzer/straggler.h \
	analyzer/step_find.c analyzer/step_period.c analyzer/step_find.h \
	analyzer/critical.c analyzer/critical.h
