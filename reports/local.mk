# Data of the reports, installed as they are: a new file needs no line here.
reportsdir = $(pkgdatadir)/reports
dist_reports_DATA = $(wildcard $(srcdir)/reports/*.sql $(srcdir)/reports/*.gp $(srcdir)/reports/*.js) \
	reports/page.html reports/follow.html reports/style.css

EXTRA_DIST += reports/README.md analyzer/README.md
