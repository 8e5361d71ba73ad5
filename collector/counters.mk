# The sampler and what it reads.
collector_libtacho_la_SOURCES += collector/sampler.c collector/sampler.h collector/sources.c collector/sources.h \
	collector/sources_file.c collector/sources_file.h collector/sources_net.c collector/sources_storage.c \
	collector/nvml.c collector/nvml.h collector/sources_nvml.c
