/*
 * cmd.h - the subcommands of tacho: what each is stands in its cmd_NAME.c. Exit statuses are 0, 1
 * failure, 2 usage, 3 gate failed (`tacho record` returns the command's). A failure has been reported
 * by whoever met it.
 */
#ifndef ANALYZER_CMD_H
#define ANALYZER_CMD_H

#include "cli/options.h"

/* COMMAND(name) of each, in the order of the help: made from the definitions in cmd_*.c. */
#define COMMAND(name) extern const struct command command_##name;
#include "cli/commands.h"
#undef COMMAND

#endif
