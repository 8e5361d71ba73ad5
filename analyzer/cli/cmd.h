/*
 * cmd.h - the subcommands of tacho; the file cmd_NAME.c describes each. Exit statuses are 0, 1
 * failure, 2 usage, 3 gate failed (`tacho record` returns the command's). The function that detects
 * a failure reports it.
 */
#ifndef ANALYZER_CMD_H
#define ANALYZER_CMD_H

#include "cli/options.h"

/* COMMAND(name) of each, in the order of the help: made from the definitions in cmd_*.c. */
#define COMMAND(name) extern const struct command command_##name;
#include "cli/commands.h"
#undef COMMAND

#endif
