# The tacho program. Each stage lists its files in a part of its own.
bin_PROGRAMS += analyzer/tacho
analyzer_tacho_CPPFLAGS = $(AM_CPPFLAGS) $(OTF2_CFLAGS) $(SQLITE_CFLAGS) $(HWLOC_CFLAGS) \
	-DPKGLIBDIR='"$(pkglibdir)"' -DPKGDATADIR='"$(pkgdatadir)"' -DTOP_SRCDIR='"$(abs_top_srcdir)"'
analyzer_tacho_CFLAGS = $(AM_CFLAGS) -pthread
analyzer_tacho_LDADD = $(OTF2_LIBS) $(SQLITE_LIBS) $(HWLOC_LIBS) $(DEMANGLE_LIBS) -lm -ldl
analyzer_tacho_LDFLAGS = $(AM_LDFLAGS) -pthread
analyzer_tacho_SOURCES = analyzer/main.c analyzer/cmd.h analyzer/log.c analyzer/log.h \
	analyzer/rundir.c analyzer/rundir.h

include analyzer/record.mk
include analyzer/merge.mk
include analyzer/analyze.mk
include analyzer/insight.mk
include analyzer/finding.mk
include analyzer/counters.mk
include analyzer/report.mk

dist_man_MANS += analyzer/tacho.1
