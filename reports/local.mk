# Data of the reports, installed as they are: a new file needs no line here. findings/ is built into tacho.
nobase_dist_pkgdata_DATA = $(filter-out $(srcdir)/reports/findings/%,$(wildcard $(srcdir)/reports/*/*.sql \
	$(srcdir)/reports/*/*.gp $(srcdir)/reports/*/*.js $(srcdir)/reports/*/*.html)) \
	reports/page/style.css

EXTRA_DIST += reports/README.md analyzer/README.md
