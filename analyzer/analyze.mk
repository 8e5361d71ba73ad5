# tacho analyze and stats: OTF2 in, SQLite out.
analyzer_tacho_SOURCES += analyzer/analyze.c analyzer/analyze.h analyzer/analyze_run.c analyzer/analyze_job.h analyzer/guard.c analyzer/guard.h analyzer/analysis.h analyzer/table.c analyzer/table.h \
	analyzer/reading.c analyzer/reading.h analyzer/link.c analyzer/link.h analyzer/crew.c analyzer/crew.h analyzer/shard.c analyzer/shard.h \
	analyzer/core.c analyzer/core.h analyzer/shard_plan.c analyzer/shard_plan.h analyzer/shard_replay.c analyzer/shard_pack.c analyzer/shard_device.c \
	analyzer/otf2_in.c analyzer/otf2_event.c analyzer/otf2_cursor.c analyzer/otf2_in.h analyzer/otf2_others.def analyzer/otf2_records.c analyzer/otf2_records.h analyzer/otf2_file.c analyzer/otf2_file.h analyzer/otf2_defs.c analyzer/otf2_defs.h \
	analyzer/model.c analyzer/model.h analyzer/region.c analyzer/region.h \
	analyzer/tape.c analyzer/tape.h analyzer/track.c analyzer/track.h analyzer/window.c analyzer/window.h \
	analyzer/step_row.c analyzer/step_row.h analyzer/window_row.c analyzer/window_row.h analyzer/location_row.c analyzer/location_row.h \
	analyzer/replay.c analyzer/replay_mpi.c analyzer/replay_row.c analyzer/replay_gate.c analyzer/replay_match.c analyzer/replay_collective.c analyzer/scorep.c analyzer/scorep.h analyzer/replay_held.c analyzer/replay.h \
	analyzer/device.c analyzer/device.h analyzer/ledger.c analyzer/ledger.h analyzer/sweep.c analyzer/sweep_gap.c analyzer/sweep.h \
	analyzer/replay_process.c analyzer/replay_device.c analyzer/replay_launch.c analyzer/replay_mark.c \
	analyzer/replay_stream.c analyzer/replay_wait.c analyzer/replay_ahead.c analyzer/replay_late.c analyzer/replay_device.h \
	analyzer/replay_nccl.c analyzer/replay_nccl_op.c analyzer/replay_nccl_ready.c analyzer/replay_nccl_row.c analyzer/replay_nccl.h \
	analyzer/timeline.c analyzer/timeline_look.c analyzer/timeline_step.c analyzer/timeline_choose.c analyzer/timeline_path.c analyzer/timeline.h analyzer/timeline_step.h \
	analyzer/kernel.c analyzer/kernel.h analyzer/copy.c analyzer/copy.h analyzer/metric_device.c analyzer/call.c analyzer/call.h analyzer/db_rows.c \
	analyzer/rate.c analyzer/rate.h analyzer/io_file.c analyzer/io_file.h \
	analyzer/metric_host.c analyzer/metric_rate.c analyzer/metric_threads.c analyzer/metric.h analyzer/result.c analyzer/result.h \
	analyzer/db.c analyzer/db.h analyzer/db_merge.c analyzer/db_merge.h analyzer/db_migrate.c analyzer/db_migrate.h \
	analyzer/print.c analyzer/print.h analyzer/cmd_analyze.c analyzer/cmd_stats.c analyzer/stats_db.c analyzer/stats_db.h analyzer/cmd_dump.c
nodist_analyzer_tacho_SOURCES = analyzer/schema_sql.h
analyzer_tacho_CPPFLAGS += -I$(top_builddir)/analyzer

# The schema travels inside the program.
BUILT_SOURCES += analyzer/schema_sql.h
CLEANFILES += analyzer/schema_sql.h
analyzer/tacho-db.$(OBJEXT): analyzer/schema_sql.h
EXTRA_DIST += analyzer/schema.sql
analyzer/schema_sql.h: $(top_srcdir)/analyzer/schema.sql
	@$(MKDIR_P) analyzer
	$(AM_V_GEN){ echo 'static const char schema_sql[] ='; \
	$(SED) -e 's/[\\"]/\\&/g' -e 's/.*/"&\\n"/' $(top_srcdir)/analyzer/schema.sql; echo ';'; } > $@.tmp && mv $@.tmp $@
BUILT_SOURCES += analyzer/stats_sql.h
CLEANFILES += analyzer/stats_sql.h
analyzer/tacho-cmd_stats.$(OBJEXT): analyzer/stats_sql.h
EXTRA_DIST += analyzer/stats.sql analyzer/stats_sql.awk
analyzer/stats_sql.h: $(top_srcdir)/analyzer/stats.sql $(top_srcdir)/analyzer/stats_sql.awk
	@$(MKDIR_P) analyzer
	$(AM_V_GEN)$(AWK) -f $(top_srcdir)/analyzer/stats_sql.awk $(top_srcdir)/analyzer/stats.sql >$@.tmp && mv $@.tmp $@
dist_man_MANS += analyzer/tacho-db.5
