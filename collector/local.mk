# libtacho.so: preloaded, links nothing but libc.
pkglib_LTLIBRARIES += collector/libtacho.la
collector_libtacho_la_LDFLAGS = -module -avoid-version -shared -Wl,-z,defs -Wl,-z,lazy
collector_libtacho_la_CFLAGS = $(PLAIN_CFLAGS) -O2 -fvisibility=hidden -fno-plt -fno-math-errno
collector_libtacho_la_LIBADD = -ldl -lpthread
collector_libtacho_la_SOURCES = collector/span.h

include collector/core.mk
include collector/mpi.mk
include collector/cuda.mk
include collector/counters.mk
include collector/nccl.mk
