/* interrupt.c - see interrupt.h. */
#include "config.h"

#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "record/interrupt.h"

static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

/* Two, so that a handler always finds a complete one. */
static char sentences[2][2 * PATH_MAX + 256];
static volatile sig_atomic_t current;

static void on_end(int number)
{
	const char *sentence = sentences[current];

	if (*sentence && write(STDERR_FILENO, sentence, strlen(sentence)) < 0)
		sentence = NULL; /* stderr has no reader */
	raise(number);		 /* SA_RESETHAND: now it ends the process */
}

void interrupt_take(void)
{
	struct sigaction action = { .sa_handler = on_end, .sa_flags = SA_RESETHAND | SA_NODEFER };

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct sigaction before;

		if (sigaction(ends[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
			sigaction(ends[i], &action, NULL);
	}
}

void interrupt_say(const char *format, ...)
{
	char *next = sentences[!current], *clean;
	va_list args;
	size_t n;

	*next = '\0';
	if (format) {
		va_start(args, format);
		n = (size_t)snprintf(next, sizeof(sentences[0]), "tacho: ");
		vsnprintf(next + n, sizeof(sentences[0]) - n - 1, format, args);
		va_end(args);
		clean = text_clean(next, strlen(next));
		if (clean)
			snprintf(next, sizeof(sentences[0]) - 1, "%s", clean);
		free(clean);
		strcat(next, "\n");
	}
	current = !current;
}
