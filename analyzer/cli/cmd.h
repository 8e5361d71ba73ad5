/*
 * cmd.h - the subcommands of tacho. Each gets its own arguments (argv[0] is
 * its name) and returns the exit status: 0, 1 failure, 2 usage, 3 gate failed
 * (`tacho record` returns the command's). A failure has been reported by whoever met it.
 */
#ifndef ANALYZER_CMD_H
#define ANALYZER_CMD_H

#include <stdint.h>

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_GATE = 3 };

/* COMMAND(name, arguments, one line of help) */
#define COMMANDS(COMMAND)                                                                          \
	COMMAND(record, "[OPTIONS] [--] COMMAND...",                                               \
		"Runs a command, records it, merges, analyses and sums up")                        \
	COMMAND(merge, "[OPTIONS] RUN", "Puts the spools of a run together into one OTF2 archive") \
	COMMAND(analyze, "[OPTIONS] RUN|ARCHIVE.otf2",                                             \
		"Computes the figures of a run, or of any OTF2 archive, into a database")          \
	COMMAND(stats, "[OPTIONS] RUN [TABLE]",                                                    \
		"Prints the figures of a run as tables, csv or json")                              \
	COMMAND(info, "[--run LABEL] RUN",                                                         \
		"Says what is in a run's trace, what is lost, and what recording cost")            \
	COMMAND(dump, "[OPTIONS] RUN|ARCHIVE.otf2",                                                \
		"Prints the events of a run, or of any OTF2 archive, as text")                     \
	COMMAND(export, "[OPTIONS] RUN|ARCHIVE.otf2",                                              \
		"Writes a trace for Perfetto and Chrome, or a database as CSV")                    \
	COMMAND(report, "[OPTIONS] RUN...",                                                        \
		"Writes the report of a run, or of several, as one HTML page")                     \
	COMMAND(scaling, "[OPTIONS] RUN...",                                                       \
		"Compares runs of several sizes: speed-up, POP's scalabilities, laws")             \
	COMMAND(compare, "[OPTIONS] BASE RUN",                                                     \
		"Says what changed from one run to another, with a gate for CI")

#define COMMAND(name, arguments, help) int cmd_##name(int argc, char **argv);
COMMANDS(COMMAND)
#undef COMMAND

/* Prints "usage: tacho NAME ARGUMENTS" and `options` (may be NULL) to stdout; returns EXIT_OK. */
int cmd_help(const char *name, const char *options);

/*
 * Time of an option, 12, 1.5s, 20ms, 3us or 7ns, in ns. 0, or -1 for anything else (not reported).
 */
int cmd_time(const char *text, int64_t *ns);

/* Reports a wrong option or argument in one sentence; returns EXIT_USAGE. */
int cmd_usage(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
