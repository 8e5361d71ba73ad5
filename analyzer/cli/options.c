/* options.c - see options.h: the command line. */
#include "config.h"

#include <errno.h>
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/rundir.h"
#include "base/text.h"
#include "cli/near.h"
#include "cli/options.h"

int usage_error(const struct command *command, const char *format, ...)
{
	const char *name = command->name ? command->name : "";
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	log_error("%s%s%s (see tacho %s%s--help)", name, *name ? ": " : "", text ? text : "usage",
		name, *name ? " " : "");
	free(text);
	return EXIT_USAGE;
}

static bool has_value(const struct option *option)
{
	return option->argument != NULL;
}

/* --- values --- */

/* A number that is at least `least`. False: it is none, or is too large. */
static bool number_parse(const char *text, int64_t least, int64_t most, int64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoll(text, &end, 10);
	return !errno && end != text && !*end && *number >= least && *number <= most;
}

static bool choice_parse(const char *words, const char *text, unsigned *choice)
{
	size_t n = strlen(text);

	for (unsigned i = 0; *words; i++) {
		size_t length = strcspn(words, "|");

		if (length == n && strncmp(words, text, n) == 0) {
			*choice = i;
			return true;
		}
		words += length + (words[length] == '|');
	}
	return false;
}

static bool pattern_matches(const char *pattern, const char *text)
{
	regex_t compiled;
	bool matches;

	if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB) != 0)
		return true;
	matches = regexec(&compiled, text, 0, NULL, 0) == 0;
	regfree(&compiled);
	return matches;
}

/* Whether the value is one; it goes to its place. Options with `take` are asked later. */
static bool value_parse(const struct option *option, const char *text)
{
	int64_t number;

	if (option->pattern && *text && !pattern_matches(option->pattern, text))
		return false;
	if (option->text)
		*option->text = text;
	if (option->choice)
		return choice_parse(option->argument, text, option->choice);
	if (option->time)
		return text_time(text, option->time);
	if (option->number)
		return number_parse(text, 0, INT64_MAX, option->number);
	if (option->count) {
		if (!number_parse(text, 1, INT32_MAX, &number))
			return false;
		*option->count = (int)number;
	}
	return true;
}

/* table|csv|json → "table, csv or json" */
static void choices_print(char *to, size_t size, const char *words)
{
	size_t n = 0;

	while (*words && n < size) {
		size_t length = strcspn(words, "|");
		const char *next = words + length + (words[length] == '|');

		n += (size_t)snprintf(to + n, size - n, "%.*s%s", (int)length, words,
			!*next			    ? ""
				: strchr(next, '|') ? ", "
						    : " or ");
		words = next;
	}
}

static int value_wrong(const struct command *command, const struct option *option, const char *name,
	const char *text)
{
	char words[128] = "a value of another form";

	if (option->choice)
		choices_print(words, sizeof(words), option->argument);
	else if (option->time)
		snprintf(words, sizeof(words), "a time with its unit, like 1.5s, 20ms or 10m");
	else if (option->count || option->number)
		snprintf(words, sizeof(words), "a number, %d or more", option->count ? 1 : 0);
	return usage_error(command, "%s%s: expected %s", name, text,
		option->wanted ? option->wanted : words);
}

bool option_value_check(const struct command *command, const struct option *option,
	const char *name, const char *text)
{
	if (!option->pattern || !*text || pattern_matches(option->pattern, text))
		return true;
	value_wrong(command, option, name, text);
	return false;
}

/* --- the command line --- */

static const struct option help = { "help", 'h', NULL, NULL, .value = 0 };

struct command_line {
	const struct command *command;
	int argc;
	char **argv;
	int at; /* the next to be read */
	int n;	/* arguments found, at the front of argv */
};

static const struct option *first_of(const struct command *command)
{
	static const struct option none;

	return command->options ? command->options : &none;
}

static const struct option *letter_find(const struct command *command, char letter)
{
	for (const struct option *option = first_of(command); option->name; option++)
		if (option->letter == letter)
			return option;
	return letter == help.letter ? &help : NULL;
}

/* By its name, or by the beginning of it that no other one has; `also` is one that has it as well. */
static const struct option *name_find(const struct command *command, const char *name, size_t n,
	const struct option **also)
{
	const struct option *found = NULL;

	*also = NULL;
	for (const struct option *option = first_of(command);; option++) {
		const struct option *one = option->name ? option : &help;

		if (strncmp(one->name, name, n) == 0) {
			if (!one->name[n]) {
				*also = NULL;
				return one;
			}
			*also = found;
			found = one;
		}
		if (!option->name)
			return found;
	}
}

/* EXIT_OK, or the status (reported). */
static int option_take(const struct command_line *line, const struct option *option,
	const char *name, const char *text)
{
	char before[64];

	if (option->flag)
		*option->flag = true;
	if (option->set)
		*option->set = option->value;
	snprintf(before, sizeof(before), "%s ", name);
	if (has_value(option) && !value_parse(option, text))
		return value_wrong(line->command, option, before, text);
	if (option->writes && path_lacks(text))
		return EXIT_FAILED;
	return option->take ? option->take(option, text) : EXIT_OK;
}

/* The value in the next word, if it was not given with the option. */
static int value_take(struct command_line *line, const struct option *option, const char *name,
	const char *text)
{
	if (has_value(option) && !text) {
		if (line->at == line->argc)
			return usage_error(line->command, "%s needs a value: %s %s", name, name,
				option->argument);
		text = line->argv[line->at++];
	}
	return option_take(line, option, name, text);
}

static int unknown(const struct command_line *line, const char *word)
{
	struct near near = { .word = word + strspn(word, "-") };

	for (const struct option *option = first_of(line->command); option->name; option++)
		near_try(&near, option->name);
	return usage_error(line->command, "unknown option %s%s", word, near_words(&near, "--"));
}

/* --name, --name=value, or --name and its value as the next word. */
static int name_take(struct command_line *line, char *word, bool *helped)
{
	char *equals = strchr(word, '=');
	const struct option *also, *option;

	if (equals)
		*equals++ = '\0';
	option = name_find(line->command, word + 2, strlen(word + 2), &also);
	if (!option)
		return unknown(line, word);
	if (also)
		return usage_error(line->command, "%s may be --%s or --%s", word, also->name,
			option->name);
	if (equals && !has_value(option))
		return usage_error(line->command, "--%s takes no value", option->name);
	*helped = option == &help;
	return value_take(line, option, word, equals);
}

/* -a, -abc, -ovalue, or -o and its value as the next word. */
static int letters_take(struct command_line *line, const char *word, bool *helped)
{
	int status = EXIT_OK;

	for (const char *at = word + 1; *at && status == EXIT_OK && !*helped; at++) {
		const struct option *option = letter_find(line->command, *at);
		char name[] = { '-', *at, '\0' };

		if (!option)
			return unknown(line, word);
		*helped = option == &help;
		if (has_value(option))
			return value_take(line, option, name, at[1] ? at + 1 : NULL);
		status = option_take(line, option, name, NULL);
	}
	return status;
}

static int line_read(struct command_line *line, bool *helped)
{
	bool only_arguments = false;
	int status = EXIT_OK;

	while (line->at < line->argc && status == EXIT_OK && !*helped) {
		char *word = line->argv[line->at++];

		if (!only_arguments && strcmp(word, "--") == 0) {
			only_arguments = true;
		} else if (only_arguments || word[0] != '-' || !word[1]) {
			line->argv[line->n++] = word;
			only_arguments |= line->command->wraps;
		} else if (word[1] == '-') {
			status = name_take(line, word, helped);
		} else {
			status = letters_take(line, word, helped);
		}
	}
	return status;
}

static int arguments_check(const struct command_line *line)
{
	const struct command *command = line->command;
	const char *name = command->name ? command->name : "";
	bool many = command->most && line->n > command->most;

	if (line->n >= command->least && !many)
		return EXIT_OK;
	if (many)
		return usage_error(command, "%s is one argument too many: tacho %s %s",
			line->argv[command->most], name, command->arguments);
	return usage_error(command, "an argument is missing: tacho %s%s%s", name, *name ? " " : "",
		command->arguments);
}

bool options_read(const struct command *command, int *argc, char **argv, int *status)
{
	struct command_line line = { .command = command, .argc = *argc, .argv = argv, .at = 1 };
	bool helped = false;

	*status = line_read(&line, &helped);
	if (*status == EXIT_OK && helped)
		options_help(command);
	else if (*status == EXIT_OK)
		*status = arguments_check(&line);
	argv[line.n] = NULL;
	*argc = line.n;
	return *status == EXIT_OK && !helped;
}
