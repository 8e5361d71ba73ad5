/*
 * cmd.h - the subcommands of tacho: what each is stands in its cmd_NAME.c. Exit statuses are 0, 1
 * failure, 2 usage, 3 gate failed (`tacho record` returns the command's). A failure has been reported
 * by whoever met it.
 */
#ifndef ANALYZER_CMD_H
#define ANALYZER_CMD_H

#include "cli/options.h"

/* In the order of the help. */
#define COMMANDS(COMMAND)                                                                          \
	COMMAND(record)                                                                            \
	COMMAND(where)                                                                             \
	COMMAND(merge)                                                                             \
	COMMAND(analyze)                                                                           \
	COMMAND(stats)                                                                             \
	COMMAND(info)                                                                              \
	COMMAND(dump)                                                                              \
	COMMAND(export)                                                                            \
	COMMAND(report)                                                                            \
	COMMAND(scaling)                                                                           \
	COMMAND(compare)

#define COMMAND(name) extern const struct command command_##name;
COMMANDS(COMMAND)
#undef COMMAND

#endif
