/* main.c - the tacho program: a table of subcommands and the options before them. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "base/log.h"

static const struct command {
	const char *name, *arguments, *help;
	int (*run)(int argc, char **argv);
} commands[] = {
#define COMMAND(name, arguments, help) { #name, arguments, help, cmd_##name },
	COMMANDS(COMMAND)
#undef COMMAND
		{ 0 }
};

static const struct command *command_find(const char *name)
{
	for (const struct command *c = commands; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

int cmd_help(const char *name, const char *options)
{
	const struct command *c = command_find(name);

	printf("usage: tacho %s %s\n\n%s.\n", c->name, c->arguments, c->help);
	if (options)
		printf("\n%s", options);
	return EXIT_OK;
}

int cmd_usage(const char *name, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	log_error("%s: %s (see tacho %s --help)", name, text ? text : "usage", name);
	free(text);
	return EXIT_USAGE;
}

int cmd_time(const char *text, int64_t *ns)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {
		{ "", 1 },
		{ "ns", 1 },
		{ "us", 1e3 },
		{ "ms", 1e6 },
		{ "s", 1e9 },
	};
	char *end;
	double number = strtod(text, &end);

	for (size_t i = 0; end != text && i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(end, units[i].unit) == 0 && number * units[i].ns < 9e18 &&
			number * units[i].ns > -9e18) {
			*ns = (int64_t)(number * units[i].ns);
			return 0;
		}
	return -1;
}

static int usage(FILE *to)
{
	fputs("usage: tacho [-v|-q] COMMAND ...\n\n"
	      "Records what every rank, thread, GPU stream and file of a distributed\n"
	      "training did, and says where the time went.\n\n",
		to);
	for (const struct command *c = commands; c->name; c++)
		fprintf(to, "  %-9s %s\n", c->name, c->help);
	fputs("\ntacho COMMAND --help explains one; tacho --version.\n", to);
	return to == stdout ? EXIT_OK : EXIT_USAGE;
}

/* What could not be written is a failure, unless the status is that of the user's own program. */
static int output_end(const struct command *command, int status)
{
	if ((fflush(stdout) == 0 && !ferror(stdout)) || status != EXIT_OK ||
		strcmp(command->name, "record") == 0)
		return status;
	log_error("cannot write the output of tacho %s: %s", command->name,
		errno ? strerror(errno) : "an error on its way");
	return EXIT_FAILED;
}

int main(int argc, char **argv)
{
	const struct command *command;
	int i;

	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		if (strcmp(argv[i], "-v") == 0) {
			log_level = LOG_VERBOSE;
		} else if (strcmp(argv[i], "-q") == 0) {
			log_level = LOG_QUIET;
		} else if (strcmp(argv[i], "--version") == 0) {
			puts(PACKAGE_STRING);
			return EXIT_OK;
		} else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
			return usage(stdout);
		} else {
			log_error("unknown option %s (see tacho --help)", argv[i]);
			return EXIT_USAGE;
		}
	}
	if (i == argc)
		return usage(stderr);
	command = command_find(argv[i]);
	if (!command) {
		log_error("unknown command %s (see tacho --help)", argv[i]);
		return EXIT_USAGE;
	}
	return output_end(command, command->run(argc - i, argv + i));
}
