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
	analyzer/advise/finding_uneven.c \
	analyzer/advise/finding_unit.c \
	analyzer/advise/finding_unit.h

# The advisor: rules are files, in the order of their names here; they travel inside the program.
# Those of devices have nothing to say where there are none.
finding_rules = serial_phase input_storage input_preparing input_waiting input_between_steps output_between_steps input_small_reads \
	input_same_files small_collectives exposed_communication slow_rank load_imbalance unseen_communication sleep lock blocked pinning without_core \
	blocking_checkpoint validation_share late_start serial_end serialisation transfer
finding_device_rules = launch_bound synchronisations host_starves exposed_nccl slow_link slow_transport \
	tensor_cores gpu_imbalance pageable_copies gpu_clock unused_gpu gpu_pinning
# Asked behind all others, as it tells of checks that these break.
finding_last_rules = quality
finding_tables = readers cores alone uneven views
finding_files = $(finding_rules:%=$(top_srcdir)/reports/findings/%.sql) \
	$(finding_device_rules:%=$(top_srcdir)/reports/findings/%.sql) \
	$(finding_last_rules:%=$(top_srcdir)/reports/findings/%.sql)
nodist_analyzer_advise_libadvise_a_SOURCES = analyzer/advise/findings_sql.h
BUILT_SOURCES += analyzer/advise/findings_sql.h
CLEANFILES += analyzer/advise/findings_sql.h
EXTRA_DIST += reports/findings/README.md reports/findings/views.sql reports/findings/readers.sql reports/findings/cores.sql reports/findings/alone.sql reports/findings/uneven.sql \
	reports/findings/serial_phase.sql reports/findings/input_storage.sql \
	reports/findings/input_preparing.sql reports/findings/input_waiting.sql reports/findings/sleep.sql reports/findings/lock.sql reports/findings/blocked.sql reports/findings/input_between_steps.sql reports/findings/output_between_steps.sql \
	reports/findings/input_small_reads.sql reports/findings/input_same_files.sql \
	reports/findings/small_collectives.sql reports/findings/exposed_communication.sql \
	reports/findings/slow_rank.sql reports/findings/load_imbalance.sql reports/findings/unseen_communication.sql \
	reports/findings/pinning.sql reports/findings/without_core.sql reports/findings/blocking_checkpoint.sql \
	reports/findings/validation_share.sql reports/findings/launch_bound.sql \
	reports/findings/synchronisations.sql reports/findings/host_starves.sql \
	reports/findings/exposed_nccl.sql reports/findings/slow_link.sql reports/findings/slow_transport.sql \
	reports/findings/tensor_cores.sql reports/findings/gpu_imbalance.sql \
	reports/findings/pageable_copies.sql reports/findings/gpu_clock.sql \
	reports/findings/unused_gpu.sql reports/findings/gpu_pinning.sql \
	reports/findings/late_start.sql reports/findings/serial_end.sql reports/findings/serialisation.sql reports/findings/transfer.sql reports/findings/quality.sql
finding_quote = $(SED) -e 's/[\\"]/\\&/g' -e 's/.*/"&\\n"/'
analyzer/advise/findings_sql.h: $(finding_files) $(finding_tables:%=$(top_srcdir)/reports/findings/%.sql) $(top_srcdir)/analyzer/advise/local.mk
	@$(MKDIR_P) analyzer/advise
	$(AM_V_GEN){ for table in $(finding_tables); do echo "static const char finding_$${table}_sql[] ="; \
		$(finding_quote) $(top_srcdir)/reports/findings/$$table.sql; echo ';'; done; \
	echo 'const struct finding_rule finding_rules[] = {'; \
	for rule in $(finding_rules); do echo "{ \"$$rule\","; \
		$(finding_quote) $(top_srcdir)/reports/findings/$$rule.sql; echo ', false },'; done; \
	for rule in $(finding_device_rules); do echo "{ \"$$rule\","; \
		$(finding_quote) $(top_srcdir)/reports/findings/$$rule.sql; echo ', true },'; done; \
	for rule in $(finding_last_rules); do echo "{ \"$$rule\","; \
		$(finding_quote) $(top_srcdir)/reports/findings/$$rule.sql; echo ', false },'; done; \
	echo '{ 0 } };'; } > $@.tmp && mv $@.tmp $@
