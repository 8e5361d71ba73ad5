# The program: subcommands and their options.
EXTRA_DIST += analyzer/cli/README.md
# The subcommands, in the order in which the help lists them.
commands = \
	analyzer/cli/cmd_record.c \
	analyzer/cli/cmd_finish.c \
	analyzer/cli/cmd_sweep.c \
	analyzer/cli/cmd_doctor.c \
	analyzer/cli/cmd_watch.c \
	analyzer/cli/cmd_where.c \
	analyzer/cli/cmd_snapshot.c \
	analyzer/cli/cmd_view.c \
	analyzer/cli/cmd_control.c \
	analyzer/cli/cmd_report.c \
	analyzer/cli/cmd_explain.c \
	analyzer/cli/cmd_stats.c \
	analyzer/cli/cmd_whatif.c \
	analyzer/cli/cmd_dump.c \
	analyzer/cli/cmd_export.c \
	analyzer/cli/cmd_compare.c \
	analyzer/cli/cmd_scaling.c \
	analyzer/cli/cmd_history.c \
	analyzer/cli/cmd_merge.c \
	analyzer/cli/cmd_analyze.c \
	analyzer/cli/cmd_completion.c
analyzer_tacho_SOURCES = $(commands) \
	analyzer/cli/cmd.h \
	analyzer/cli/main.c \
	analyzer/cli/near.c \
	analyzer/cli/near.h \
	analyzer/cli/options.c \
	analyzer/cli/options.h \
	analyzer/cli/options_help.c \
	analyzer/cli/print.c \
	analyzer/cli/print.h \
	analyzer/cli/stats_db.c \
	analyzer/cli/stats_db.h
nodist_analyzer_tacho_SOURCES = analyzer/cli/commands.h analyzer/cli/stats_sql.h

BUILT_SOURCES += analyzer/cli/commands.h analyzer/cli/stats_sql.h
CLEANFILES += analyzer/cli/commands.h analyzer/cli/stats_sql.h
analyzer/cli/commands.h: $(commands) $(top_srcdir)/analyzer/cli/local.mk
	@$(MKDIR_P) analyzer/cli
	$(AM_V_GEN)(cd $(top_srcdir) && $(SED) -n 's/^const struct command command_\([a-z]*\) =.*/COMMAND(\1)/p' $(commands)) >$@.tmp && mv $@.tmp $@
EXTRA_DIST += analyzer/cli/stats.sql analyzer/cli/stats_sql.awk
analyzer/cli/stats_sql.h: $(top_srcdir)/analyzer/cli/stats.sql $(top_srcdir)/analyzer/cli/stats_sql.awk
	@$(MKDIR_P) analyzer/cli
	$(AM_V_GEN)$(AWK) -f $(top_srcdir)/analyzer/cli/stats_sql.awk $(top_srcdir)/analyzer/cli/stats.sql >$@.tmp && mv $@.tmp $@
dist_man_MANS += analyzer/cli/tacho.1

# A page for each command, out of its part of tacho.1: man tacho-record.
EXTRA_DIST += analyzer/cli/man_pages.awk
noinst_DATA += analyzer/cli/pages.stamp
CLEANFILES += analyzer/cli/pages.stamp
analyzer/cli/pages.stamp: $(commands) analyzer/cli/tacho.1 analyzer/cli/man_pages.awk
	@rm -rf analyzer/cli/pages && $(MKDIR_P) analyzer/cli/pages
	$(AM_V_GEN)$(AWK) -v folder=analyzer/cli/pages -v version=$(PACKAGE_VERSION) -f $(top_srcdir)/analyzer/cli/man_pages.awk \
		$(filter %.c,$^) $(top_srcdir)/analyzer/cli/tacho.1 && touch $@
install-data-local: install-pages
install-pages: analyzer/cli/pages.stamp
	$(MKDIR_P) "$(DESTDIR)$(man1dir)"
	$(INSTALL_DATA) analyzer/cli/pages/*.1 "$(DESTDIR)$(man1dir)"
uninstall-local: uninstall-pages
uninstall-pages:
	cd analyzer/cli/pages && for page in *.1; do rm -f "$(DESTDIR)$(man1dir)/$$page"; done
clean-local: clean-pages
clean-pages:
	rm -rf analyzer/cli/pages
.PHONY: install-pages uninstall-pages clean-pages

# Completions of shells, which the program writes: of a build for another machine there are none.
bashcompdir = $(datadir)/bash-completion/completions
zshcompdir = $(datadir)/zsh/vendor-completions
fishcompdir = $(datadir)/fish/vendor_completions.d
if RUNS_HERE
noinst_DATA += analyzer/cli/completions.stamp
CLEANFILES += analyzer/cli/completions.stamp analyzer/cli/tacho.bash analyzer/cli/_tacho analyzer/cli/tacho.fish
analyzer/cli/completions.stamp: analyzer/tacho$(EXEEXT)
	$(AM_V_GEN)analyzer/tacho$(EXEEXT) completion bash >analyzer/cli/tacho.bash && analyzer/tacho$(EXEEXT) completion zsh >analyzer/cli/_tacho && \
		analyzer/tacho$(EXEEXT) completion fish >analyzer/cli/tacho.fish && touch $@
install-data-local: install-completions
install-completions: analyzer/cli/completions.stamp
	$(MKDIR_P) "$(DESTDIR)$(bashcompdir)" "$(DESTDIR)$(zshcompdir)" "$(DESTDIR)$(fishcompdir)"
	$(INSTALL_DATA) analyzer/cli/tacho.bash "$(DESTDIR)$(bashcompdir)/tacho"
	$(INSTALL_DATA) analyzer/cli/_tacho "$(DESTDIR)$(zshcompdir)/_tacho"
	$(INSTALL_DATA) analyzer/cli/tacho.fish "$(DESTDIR)$(fishcompdir)/tacho.fish"
uninstall-local: uninstall-completions
uninstall-completions:
	rm -f "$(DESTDIR)$(bashcompdir)/tacho" "$(DESTDIR)$(zshcompdir)/_tacho" "$(DESTDIR)$(fishcompdir)/tacho.fish"
.PHONY: install-completions uninstall-completions
endif
