# The sampler and what it reads.
EXTRA_DIST += collector/counters/README.md
collector_libtacho_la_SOURCES += \
	collector/counters/nvml.c \
	collector/counters/nvml.h \
	collector/counters/nvml_gpm.c \
	collector/counters/nvml_gpm.h \
	collector/counters/sampler.c \
	collector/counters/sampler.h \
	collector/counters/sources.c \
	collector/counters/sources.h \
	collector/counters/sources_cuda.c \
	collector/counters/sources_net.c \
	collector/counters/sources_nvml.c \
	collector/counters/sources_quota.c \
	collector/counters/sources_stop.c \
	collector/counters/sources_storage.c \
	collector/counters/sources_table.c \
	collector/counters/sources_threads.c
