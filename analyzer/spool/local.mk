# Reading the spools of one process.
EXTRA_DIST += analyzer/spool/README.md
noinst_LIBRARIES += analyzer/spool/libspool.a
analyzer_spool_libspool_a_CPPFLAGS = $(analyzer_cppflags)
analyzer_spool_libspool_a_CFLAGS = $(analyzer_cflags)
analyzer_spool_libspool_a_SOURCES = \
	analyzer/spool/spool_buckets.c \
	analyzer/spool/spool_defs.c \
	analyzer/spool/spool_in.c \
	analyzer/spool/spool_python.c \
	analyzer/spool/spool_ranks.c \
	analyzer/spool/spool_ranks.h \
	analyzer/spool/spool_kept.c \
	analyzer/spool/spool_map.c \
	analyzer/spool/spool_lives.c \
	analyzer/spool/spool_lives.h \
	analyzer/spool/spool_pack.c \
	analyzer/spool/spool_pack.h \
	analyzer/spool/spool_place.c \
	analyzer/spool/spool_place.h \
	analyzer/spool/spool_process.c \
	analyzer/spool/spool_ring.c \
	analyzer/spool/spool_sums.c \
	analyzer/spool/spool_in.h
