/* main.c - the tacho program: its commands, and the options before them. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "cli/cmd.h"
#include "cli/near.h"

static const struct command *commands[] = {
#define COMMAND(name) &command_##name,
#include "cli/commands.h"
#undef COMMAND
	NULL
};

/* A failed write is a failure, unless the status is the one of the user's program. */
static int output_end(const struct command *command, int status)
{
	if ((fflush(stdout) == 0 && !ferror(stdout)) || status != EXIT_OK || command->wraps)
		return status;
	log_error("cannot write the output of tacho %s: %s", command->name,
		errno ? strerror(errno) : "an error on its way");
	return EXIT_FAILED;
}

static int command_run(const struct command *command, int argc, char **argv)
{
	int status;

	if (options_read(command, &argc, argv, &status))
		status = command->run(argc, argv);
	return output_end(command, status);
}

static bool version;
static int program_run(int argc, char **argv);

static const struct option option_table[] = { { "verbose", 'v', NULL,
						      "print more messages on standard error",
						      .set = &log_level, .value = LOG_VERBOSE },
	{ "quiet", 'q', NULL, "print errors only", .set = &log_level, .value = LOG_QUIET },
	{ "version", 0, NULL, "print the version", .flag = &version }, { 0 } };

static const struct command program = {
	.summary = "Record every rank, thread, GPU stream and file of a distributed training, and\n"
		   "report where the time went",
	.arguments = "COMMAND ...",
	.wraps = true,
	.notes = "`tacho help COMMAND` explains a command.\n",
	.options = option_table,
	.commands = commands,
	.run = program_run,
};

/* The command of a name; NULL, which is reported: there is none. */
static const struct command *command_find(const char *name)
{
	struct near near = { .word = name };

	for (const struct command **command = commands; *command; command++) {
		if (strcmp((*command)->name, name) == 0)
			return *command;
		near_try(&near, (*command)->name);
	}
	usage_error(&program, "unknown command %s%s", name, near_words(&near, ""));
	return NULL;
}

static int help(const char *name)
{
	const struct command *command = name ? command_find(name) : &program;

	if (!command)
		return EXIT_USAGE;
	options_help(command);
	return EXIT_OK;
}

static int program_run(int argc, char **argv)
{
	const struct command *command;

	if (version) {
		puts(PACKAGE_STRING);
		return EXIT_OK;
	}
	if (!argc)
		return usage_error(&program, "a command is missing");
	if (strcmp(argv[0], "help") == 0 && argc <= 2)
		return help(argv[1]);
	command = command_find(argv[0]);
	return command ? command_run(command, argc, argv) : EXIT_USAGE;
}

int main(int argc, char **argv)
{
	return command_run(&program, argc, argv);
}
