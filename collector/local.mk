# libtacho.so: preloaded, links nothing but libc.
pkglib_LTLIBRARIES += collector/libtacho.la
collector_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)/collector
collector_libtacho_la_CPPFLAGS = $(collector_cppflags) -DTACHO_LIBRARY
collector_libtacho_la_LDFLAGS = -module -avoid-version -shared -Wl,-z,defs -Wl,-z,relro -Wl,-z,now \
	-Wl,-Bsymbolic-functions
collector_libtacho_la_CFLAGS = $(PLAIN_CFLAGS) -O2 -fvisibility=hidden -fno-plt -fno-math-errno \
	-Wno-redundant-decls
collector_libtacho_la_LIBADD = -ldl -lpthread
collector_libtacho_la_SOURCES = collector/entry.c collector/sources.c
EXTRA_DIST += collector/README.md

include collector/core/local.mk
include collector/io/local.mk
include collector/mpi/local.mk
include collector/cuda/local.mk
include collector/nccl/local.mk
include collector/torch/local.mk
include collector/nvtx/local.mk
include collector/counters/local.mk
include collector/python/local.mk
include collector/attach/local.mk
