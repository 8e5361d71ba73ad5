# Sums become figures.
EXTRA_DIST += analyzer/metrics/README.md
noinst_LIBRARIES += analyzer/metrics/libmetrics.a
analyzer_metrics_libmetrics_a_CPPFLAGS = $(analyzer_cppflags)
analyzer_metrics_libmetrics_a_CFLAGS = $(analyzer_cflags)
analyzer_metrics_libmetrics_a_SOURCES = \
	analyzer/metrics/metric.h \
	analyzer/metrics/metrics.def \
	analyzer/metrics/metric_account.c \
	analyzer/metrics/metric_counters.c \
	analyzer/metrics/metric_ledger.c \
	analyzer/metrics/metric_critical.c \
	analyzer/metrics/metric_device.c \
	analyzer/metrics/metric_disturbance.c \
	analyzer/metrics/metric_host.c \
	analyzer/metrics/metric_waits.c \
	analyzer/metrics/metric_hw.c \
	analyzer/metrics/metric_lacks.c \
	analyzer/metrics/metric_mfu.c \
	analyzer/metrics/metric_target.c \
	analyzer/metrics/metric_names.c \
	analyzer/metrics/metric_put.c \
	analyzer/metrics/metric_rate.c \
	analyzer/metrics/metric_threads.c \
	analyzer/metrics/noise.c \
	analyzer/metrics/noise.def \
	analyzer/metrics/noise.h \
	analyzer/metrics/noise_chance.c \
	analyzer/metrics/step_device.c \
	analyzer/metrics/straggler.c \
	analyzer/metrics/straggler.h \
	analyzer/metrics/straggler_crowd.c \
	analyzer/metrics/straggler_series.c \
	analyzer/metrics/straggler_steps.c
