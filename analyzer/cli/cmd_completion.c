/*
 * cmd_completion.c - tacho completion: prints the data by which a shell completes tacho's command
 * lines.
 */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"

static const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "cli/commands.h"
#undef COMMAND
	NULL
};

enum value { VALUE_NONE, VALUE_FILE, VALUE_WORDS, VALUE_OTHER };

/* What an option's value is: a file, one of some words, or something that no shell knows. */
static enum value value_of(const struct option *option)
{
	static const char *const files[] = { "FILE", "DIR", "RUN", "FOLDER", "SNAP", "DB", "PATH" };

	if (!option->argument)
		return VALUE_NONE;
	if (strchr(option->argument, '|') || option->choice)
		return VALUE_WORDS;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (strstr(option->argument, files[i]))
			return VALUE_FILE;
	return VALUE_OTHER;
}

static const struct option *options_of(const struct command *command)
{
	static const struct option none = { 0 };

	return command->options ? command->options : &none;
}

/* The words of "a|b|c", with blanks between them. */
static void words_print(const char *argument)
{
	for (const char *c = argument; *c; c++)
		if (isalnum((unsigned char)*c) || strchr("-_.,", *c))
			putchar(*c);
		else if (*c == '|')
			putchar(' ');
}

/* Text within single quotes of a shell; `special` characters get a backslash. */
static void quoted_print(const char *text, const char *special)
{
	for (const char *c = text; *c; c++) {
		if (*c == '\'') {
			fputs("'\\''", stdout);
			continue;
		}
		if (strchr(special, *c))
			putchar('\\');
		putchar(*c == '\n' ? ' ' : *c);
	}
}

/* ---- bash */

static void bash_options(const struct command *command)
{
	printf("\t%s)\n\t\twords='--help", command->name);
	for (const struct option *option = options_of(command); option->name; option++) {
		printf(" --%s", option->name);
		if (option->letter)
			printf(" -%c", option->letter);
	}
	fputs("'\n\t\tcase $prev in\n", stdout);
	for (const struct option *option = options_of(command); option->name; option++) {
		enum value value = value_of(option);

		if (value == VALUE_NONE)
			continue;
		printf("\t\t--%s", option->name);
		if (option->letter)
			printf(" | -%c", option->letter);
		fputs(") value=", stdout);
		if (value == VALUE_WORDS) {
			fputs("words words='", stdout);
			words_print(option->argument);
			putchar('\'');
		} else {
			fputs(value == VALUE_FILE ? "file" : "none", stdout);
		}
		fputs(" ;;\n", stdout);
	}
	fputs("\t\tesac ;;\n", stdout);
}

static void bash_print(void)
{
	fputs("# Completion of tacho for bash: source <(tacho completion bash)\n"
	      "_tacho()\n{\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= "
	      "words= value= i\n"
	      "\t[ \"$cur\" != = ] || cur=\n"
	      "\t[ \"$prev\" != = ] || prev=${COMP_WORDS[COMP_CWORD-2]}\n"
	      "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	      "\t\tcase ${COMP_WORDS[i]} in\n\t\t-*) ;;\n\t\t*) command=${COMP_WORDS[i]}; break "
	      ";;\n\t\tesac\n"
	      "\tdone\n"
	      "\tCOMPREPLY=()\n"
	      "\tcase $command in\n\t'') words='",
		stdout);
	for (size_t i = 0; commands[i]; i++)
		printf("%s ", commands[i]->name);
	puts("--verbose --quiet --version --help' value=words ;;");
	for (size_t i = 0; commands[i]; i++)
		bash_options(commands[i]);
	fputs("\tesac\n"
	      "\tcase $value:$cur in\n"
	      "\tnone:*) ;;\n"
	      "\twords:* | :-*) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\") ;;\n"
	      "\t*) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "
	      "\"$cur\") ;;\n"
	      "\tesac\n}\n"
	      "complete -F _tacho tacho\n",
		stdout);
}

/* ---- zsh */

static void zsh_option(const struct option *option)
{
	enum value value = value_of(option);

	if (option->letter)
		printf(" \\\n\t\t\t'(-%c --%s)'{-%c,--%s}'[", option->letter, option->name,
			option->letter, option->name);
	else
		printf(" \\\n\t\t\t'--%s[", option->name);
	quoted_print(option->help, "[]:\\");
	putchar(']');
	if (value != VALUE_NONE) {
		putchar(':');
		quoted_print(option->argument, "[]:\\");
		putchar(':');
	}
	if (value == VALUE_FILE)
		fputs("_files", stdout);
	else if (value == VALUE_WORDS) {
		putchar('(');
		words_print(option->argument);
		putchar(')');
	}
	putchar('\'');
}

static void zsh_print(void)
{
	fputs("#compdef tacho\n"
	      "# Completion of tacho for zsh: tacho completion zsh >DIR/_tacho, where DIR is in "
	      "$fpath\n"
	      "_tacho()\n{\n"
	      "\tlocal -a commands=(",
		stdout);
	for (size_t i = 0; commands[i]; i++) {
		printf("\n\t\t'%s:", commands[i]->name);
		quoted_print(commands[i]->summary, ":\\");
		putchar('\'');
	}
	fputs("\n\t)\n"
	      "\tif ((CURRENT == 2)); then\n\t\t_describe command commands\n\t\treturn\n\tfi\n"
	      "\tshift words\n\t((CURRENT--))\n"
	      "\tcase $words[1] in\n",
		stdout);
	for (size_t i = 0; commands[i]; i++) {
		printf("\t%s)\n\t\t_arguments '--help[explain it]'", commands[i]->name);
		for (const struct option *option = options_of(commands[i]); option->name; option++)
			zsh_option(option);
		printf(" \\\n\t\t\t%s ;;\n",
			commands[i]->wraps ? "'*::command:_normal'" : "'*:file:_files'");
	}
	fputs("\tesac\n}\n_tacho \"$@\"\n", stdout);
}

/* ---- fish */

static void fish_option(const struct command *command, const struct option *option)
{
	enum value value = value_of(option);

	printf("complete -c tacho -n '__fish_seen_subcommand_from %s' -l %s", command->name,
		option->name);
	if (option->letter)
		printf(" -s %c", option->letter);
	if (value == VALUE_FILE)
		fputs(" -r -F", stdout);
	else if (value != VALUE_NONE)
		fputs(" -x", stdout);
	if (value == VALUE_WORDS) {
		fputs(" -a '", stdout);
		words_print(option->argument);
		putchar('\'');
	}
	fputs(" -d '", stdout);
	quoted_print(option->help, "\\");
	puts("'");
}

static void fish_print(void)
{
	puts("# Completion of tacho for fish: tacho completion fish | source");
	for (size_t i = 0; commands[i]; i++) {
		printf("complete -c tacho -n __fish_use_subcommand -f -a %s -d '",
			commands[i]->name);
		quoted_print(commands[i]->summary, "\\");
		puts("'");
		for (const struct option *option = options_of(commands[i]); option->name; option++)
			fish_option(commands[i], option);
	}
}

static int completion(int argc, char **argv)
{
	(void)argc;
	if (strcmp(argv[0], "bash") == 0)
		bash_print();
	else if (strcmp(argv[0], "zsh") == 0)
		zsh_print();
	else if (strcmp(argv[0], "fish") == 0)
		fish_print();
	else
		return usage_error(&command_completion, "%s: bash, zsh or fish", argv[0]);
	return EXIT_OK;
}

const struct command command_completion = {
	.name = "completion",
	.summary = "Print the completion script of a shell",
	.arguments = "bash|zsh|fish",
	.least = 1,
	.most = 1,
	.about = "For this shell, or for good in its start-up file:\n"
		 "  source <(tacho completion bash)\n"
		 "  tacho completion zsh >~/.zfunc/_tacho      (a folder of $fpath)\n"
		 "  tacho completion fish | source\n",
	.run = completion,
};
