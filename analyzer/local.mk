# The tacho program. Each folder is a floor of it (floors.txt): a library that uses only those below.
bin_PROGRAMS += analyzer/tacho
EXTRA_DIST += analyzer/floors.txt
analyzer_cppflags = $(AM_CPPFLAGS) -I$(top_srcdir)/analyzer -I$(top_builddir)/analyzer $(OTF2_CFLAGS) $(SQLITE_CFLAGS) $(HWLOC_CFLAGS) $(ZLIB_CFLAGS) \
	-DBINDIR='"$(bindir)"' -DPKGLIBDIR='"$(pkglibdir)"' -DPKGDATADIR='"$(pkgdatadir)"' -DTOP_SRCDIR='"$(abs_top_srcdir)"'
analyzer_cflags = $(AM_CFLAGS) -pthread
analyzer_tacho_CPPFLAGS = $(analyzer_cppflags)
analyzer_tacho_CFLAGS = $(analyzer_cflags)
analyzer_tacho_LDADD = $(analyzer_link)
analyzer_link = $(analyzer_libraries) \
	$(OTF2_LIBS) $(SQLITE_LIBS) $(HWLOC_LIBS) $(ZLIB_LIBS) $(DEMANGLE_LIBS) -lm -ldl
analyzer_tacho_LDFLAGS = $(AM_LDFLAGS) -pthread
analyzer_tacho_DEPENDENCIES = $(analyzer_libraries)

include analyzer/base/local.mk
include analyzer/result/local.mk
include analyzer/spool/local.mk
include analyzer/db/local.mk
include analyzer/otf2/local.mk
include analyzer/kineto/local.mk
include analyzer/flight/local.mk
include analyzer/model/local.mk
include analyzer/merge/local.mk
include analyzer/watch/local.mk
include analyzer/tables/local.mk
include analyzer/timeline/local.mk
include analyzer/engine/local.mk
include analyzer/parallel/local.mk
include analyzer/metrics/local.mk
include analyzer/advise/local.mk
include analyzer/whatif/local.mk
include analyzer/report/local.mk
include analyzer/compare/local.mk
include analyzer/export/local.mk
include analyzer/analyze/local.mk
include analyzer/record/local.mk
include analyzer/serve/local.mk
include analyzer/doctor/local.mk
include analyzer/sweep/local.mk
include analyzer/cli/local.mk

# The uppermost first, as the linker wants them.
analyzer_libraries = \
	analyzer/sweep/libsweep.a \
	analyzer/doctor/libdoctor.a \
	analyzer/serve/libserve.a \
	analyzer/record/librecord.a \
	analyzer/analyze/libanalyze.a \
	analyzer/export/libexport.a \
	analyzer/compare/libcompare.a \
	analyzer/report/libreport.a \
	analyzer/whatif/libwhatif.a \
	analyzer/advise/libadvise.a \
	analyzer/metrics/libmetrics.a \
	analyzer/parallel/libparallel.a \
	analyzer/engine/libengine.a \
	analyzer/timeline/libtimeline.a \
	analyzer/tables/libtables.a \
	analyzer/watch/libwatch.a \
	analyzer/merge/libmerge.a \
	analyzer/model/libmodel.a \
	analyzer/kineto/libkineto.a \
	analyzer/flight/libflight.a \
	analyzer/otf2/libotf2io.a \
	analyzer/db/libdb.a \
	analyzer/spool/libspool.a \
	analyzer/result/libresult.a \
	analyzer/base/libbase.a
