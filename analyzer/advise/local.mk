# The advisor.
EXTRA_DIST += analyzer/advise/README.md
noinst_LIBRARIES += analyzer/advise/libadvise.a
analyzer_advise_libadvise_a_CPPFLAGS = $(analyzer_cppflags)
analyzer_advise_libadvise_a_CFLAGS = $(analyzer_cflags)
analyzer_advise_libadvise_a_SOURCES = \
	analyzer/advise/finding.c \
	analyzer/advise/finding.h \
	analyzer/advise/finding_alone.c \
	analyzer/advise/finding_collective.c \
	analyzer/advise/finding_device.c \
	analyzer/advise/finding_stop.c \
	analyzer/advise/finding_times.c \
	analyzer/advise/finding_unit.c \
	analyzer/advise/finding_unit.h \
	analyzer/advise/finding_words.c \
	analyzer/advise/finding_words.h

# Rules and their words travel inside the program: those that reports/findings/rules.def lists.
findings = $(top_srcdir)/reports/findings
# Tables that rules share, in the order in which they are made: before the program adds up steps and walks through
# collectives, and behind both.
finding_tables_first = readers starting nodes ran limits cores alone
finding_tables_last = phases waits unseen_alone serial launch input files gpus late fetching
# What findings share, once all are there.
finding_tables_shared = times kinds together yields shared
nodist_analyzer_advise_libadvise_a_SOURCES = analyzer/advise/findings_sql.h
BUILT_SOURCES += analyzer/advise/findings_sql.h
CLEANFILES += analyzer/advise/findings_sql.h
EXTRA_DIST += reports/findings
finding_constants = $(top_srcdir)/analyzer/metrics/noise.def $(findings)/constants.def
finding_sql = $(AWK) -f $(findings)/constants.awk $(finding_constants)
finding_quote = $(SED) -e 's/[\\"]/\\&/g' -e 's/.*/"&\\n"/'
analyzer/advise/findings_sql.h: $(findings)/rules.def $(findings)/words.txt $(findings)/constants.awk \
		$(finding_constants) \
		$(wildcard $(top_srcdir)/reports/findings/*.sql) $(top_srcdir)/analyzer/advise/local.mk
	@$(MKDIR_P) analyzer/advise
	$(AM_V_GEN)set -e; { \
	tables() { echo "static const char *const finding_tables_$$1[] = {"; shift; \
		for table; do $(finding_sql) $(findings)/$$table.sql || exit 1; echo ','; done; \
		echo 'NULL };'; }; \
	tables first $(finding_tables_first); \
	tables last $(finding_tables_last); \
	tables shared $(finding_tables_shared); \
	echo 'static const char finding_words_txt[] ='; \
	$(finding_quote) $(findings)/words.txt; echo ';'; \
	echo 'const struct finding_rule finding_rules[] = {'; \
	$(AWK) '!/^#/ && NF { print $$1, toupper($$2), $$3, $$4 }' $(findings)/rules.def | \
	while read -r rule asked account of; do echo "{ \"$$rule\", FINDING_$$asked, \"$$account\", \"$$of\","; \
		$(finding_sql) $(findings)/$$rule.sql || exit 1; echo '},'; done || exit 1; \
	echo '{ 0 } };'; } > $@.tmp && mv $@.tmp $@
