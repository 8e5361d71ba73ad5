/* command.c - see command.h. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "record/command.h"
#include "tacho/secrets.h"

static void quoted_print(FILE *out, const char *text, const char *plain)
{
	if (text[0] && text[strspn(text, plain)] == '\0')
		fputs(text, out);
	else
		text_quote(out, text);
}

/* The longest that a text may become: each character a mask, or an escaped one. */
static size_t room_for(const char *text)
{
	return 4 * strlen(text) + 16;
}

static int argument_print(FILE *out, const char *argument, struct secret_before *before)
{
	static const char plain[] =
		"*abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%^";
	struct secret_out masked = { malloc(room_for(argument)), room_for(argument), 0, *before };
	bool is_same;

	if (!masked.at)
		return -1;
	masked.at[0] = '\0';
	secret_argument(&masked, argument, strlen(argument));
	*before = masked.before;
	is_same = strcmp(masked.at, argument) == 0;
	quoted_print(out, masked.at, plain + is_same); /* a star is a mask, or the program's */
	free(masked.at);
	return 0;
}

char *command_text(char *const *argv)
{
	struct secret_before before = { 0 };
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int ret = out ? 0 : -1;

	for (int i = 0; ret == 0 && argv[i]; i++) {
		if (i)
			fputc(' ', out);
		ret = argument_print(out, argv[i], &before);
	}
	if (out && (fclose(out) < 0 || ret < 0)) {
		free(text);
		return NULL;
	}
	return text;
}
