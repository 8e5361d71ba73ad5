/* options_help.c - see options.h: the help of a command, from its table. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/terminal.h"
#include "cli/options.h"

enum {
	HELP_WIDTH = 90,
	LABEL_MOST = 26, /* columns of an option before its help; a longer one has its own line */
};

static bool has_value(const struct option *option)
{
	return option->argument != NULL;
}

/* "  -o, --output DIR" */
static int label_print(const struct option *option, const char *indent)
{
	int n = printf("%s", indent);

	if (option->letter)
		n += printf("-%c, ", option->letter);
	n += printf("--%s", option->name);
	if (has_value(option))
		n += printf(" %s", option->argument);
	return n;
}

static int label_columns(const struct option *option)
{
	return (int)(2 + (option->letter ? 4 : 0) + 2 + strlen(option->name) +
		(has_value(option) ? 1 + strlen(option->argument) : 0));
}

static void table_print(const struct option *options)
{
	int column = 0;

	for (const struct option *option = options; option->name; option++)
		if (label_columns(option) <= LABEL_MOST && label_columns(option) > column)
			column = label_columns(option);
	column += 2;
	for (const struct option *option = options; option->name; option++) {
		int n = label_print(option, "  ");

		if (n + 2 > column) {
			putchar('\n');
			n = 0;
		}
		printf("%*s", column - n, "");
		text_wrap(option->help, column, HELP_WIDTH);
	}
}

static void usage_print(const struct command *command)
{
	printf("usage: tacho%s%s%s %s\n", command->name ? " " : "",
		command->name ? command->name : "", command->options ? " [OPTIONS]" : "",
		command->arguments);
}

void options_help(const struct command *command)
{
	usage_print(command);
	printf("\n%s.\n", command->summary);
	if (command->about)
		printf("\n%s", command->about);
	for (const struct command **c = command->commands; c && *c; c++) {
		if ((*c)->group)
			printf("\n%s:\n", (*c)->group);
		printf("  %-10s %s\n", (*c)->name, (*c)->summary);
	}
	if (command->options) {
		putchar('\n');
		table_print(command->options);
	}
	if (command->notes)
		printf("\n%s", command->notes);
}
