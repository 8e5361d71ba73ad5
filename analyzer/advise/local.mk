# The advisor.
EXTRA_DIST += analyzer/advise/README.md
noinst_LIBRARIES += analyzer/advise/libadvise.a
analyzer_advise_libadvise_a_CPPFLAGS = $(analyzer_cppflags)
analyzer_advise_libadvise_a_CFLAGS = $(analyzer_cflags)
analyzer_advise_libadvise_a_SOURCES = \
	analyzer/advise/finding.c \
	analyzer/advise/finding.h \
	analyzer/advise/finding_units.c \
	analyzer/advise/finding_units.h \
	analyzer/advise/finding_words.c \
	analyzer/advise/finding_words.h

# Rules travel inside the program: all NAME.rule.
findings = $(top_srcdir)/reports/findings
# Tables that rules share, in the order in which they are made.
finding_tables_first = units readers starting nodes ran limits cores alone waits devices parts collectives links \
	phases unseen_alone serial launch input files late fetching
# What findings share, once all are there.
finding_tables_shared = times kinds together yields shared
nodist_analyzer_advise_libadvise_a_SOURCES = analyzer/advise/findings_sql.h
BUILT_SOURCES += analyzer/advise/findings_sql.h
CLEANFILES += analyzer/advise/findings_sql.h analyzer/advise/rule_keys.sql
EXTRA_DIST += reports/findings
finding_constants = $(top_srcdir)/analyzer/metrics/noise.def $(findings)/constants.def
analyzer/advise/findings_sql.h: $(findings)/rules.awk $(finding_constants) $(wildcard $(findings)/*.sql $(findings)/*.rule) \
		$(top_srcdir)/analyzer/advise/local.mk
	@$(MKDIR_P) analyzer/advise
	$(AM_V_GEN)$(AWK) -v keys=analyzer/advise/rule_keys.sql -f $(findings)/rules.awk $(finding_constants) \
		part=first $(finding_tables_first:%=$(findings)/%.sql) \
		part=shared $(finding_tables_shared:%=$(findings)/%.sql) \
		$(wildcard $(findings)/*.rule) >$@.tmp && mv $@.tmp $@
