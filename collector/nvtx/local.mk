# NVTX ranges.
EXTRA_DIST += collector/nvtx/README.md
collector_libtacho_la_SOURCES += \
	collector/nvtx/nvtx.c \
	collector/nvtx/nvtx.h \
	collector/nvtx/nvtx_name.c \
	collector/nvtx/nvtx_range.c \
	collector/nvtx/nvtx_range.h
