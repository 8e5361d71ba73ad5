# Data of the reports, installed as they are.
reportsdir = $(pkgdatadir)/reports
dist_reports_DATA =
