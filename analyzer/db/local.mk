# The database: schema, writing, queries.
EXTRA_DIST += analyzer/db/README.md
noinst_LIBRARIES += analyzer/db/libdb.a
analyzer_db_libdb_a_CPPFLAGS = $(analyzer_cppflags)
analyzer_db_libdb_a_CFLAGS = $(analyzer_cflags)
analyzer_db_libdb_a_SOURCES = \
	analyzer/db/db.c \
	analyzer/db/db_schema.c \
	analyzer/db/db.h \
	analyzer/db/db_leftover.c \
	analyzer/db/db_leftover.h \
	analyzer/db/db_merge.c \
	analyzer/db/db_merge.h \
	analyzer/db/db_migrate.c \
	analyzer/db/db_migrate.h \
	analyzer/db/db_rows.c \
	analyzer/db/db_sum.c \
	analyzer/db/db_sum.h \
	analyzer/db/query.c \
	analyzer/db/query.h
nodist_analyzer_db_libdb_a_SOURCES = analyzer/db/schema_sql.h

# The schema travels inside the program.
BUILT_SOURCES += analyzer/db/schema_sql.h
CLEANFILES += analyzer/db/schema.sql analyzer/db/schema_sql.h
# Its parts: a table stands after those that it refers to.
schema = \
	analyzer/db/schema/run.sql \
	analyzer/db/schema/step.sql \
	analyzer/db/schema/metric.sql \
	analyzer/db/schema/timeline.sql \
	analyzer/db/schema/call.sql \
	analyzer/db/schema/communication.sql \
	analyzer/db/schema/file.sql \
	analyzer/db/schema/python.sql \
	analyzer/db/schema/counter.sql \
	analyzer/db/schema/quality.sql \
	analyzer/db/schema/finding.sql
EXTRA_DIST += $(schema)
analyzer/db/schema.sql: $(schema) $(top_srcdir)/analyzer/db/local.mk
	@$(MKDIR_P) analyzer/db
	$(AM_V_GEN)(cd $(top_srcdir) && cat $(schema)) >$@.tmp && mv $@.tmp $@
analyzer/db/schema_sql.h: analyzer/db/schema.sql
	$(AM_V_GEN){ echo 'static const char schema_sql[] ='; \
	$(SED) -e 's/[\\"]/\\&/g' -e 's/.*/"&\\n"/' analyzer/db/schema.sql; echo ';'; } > $@.tmp && mv $@.tmp $@

# The manual page, with the metrics as their list has them.
man_MANS += analyzer/db/tacho-db.5
CLEANFILES += analyzer/db/tacho-db.5
EXTRA_DIST += analyzer/db/tacho-db.5.in analyzer/metrics/metrics_man.awk
analyzer/db/tacho-db.5: $(top_srcdir)/analyzer/db/tacho-db.5.in $(top_srcdir)/analyzer/metrics/metrics.def $(top_srcdir)/analyzer/metrics/metrics_man.awk
	@$(MKDIR_P) analyzer/db
	$(AM_V_GEN)$(AWK) -f $(top_srcdir)/analyzer/metrics/metrics_man.awk $(top_srcdir)/analyzer/metrics/metrics.def $(top_srcdir)/analyzer/db/tacho-db.5.in >$@.tmp && mv $@.tmp $@
