/* log.c - see log.h. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"

enum log_level log_level = LOG_NORMAL;

/* Messages quote names of unknown origin. */
static void put(enum log_level level, const char *kind, const char *format, va_list args)
{
	char *said = NULL, *clean;
	int n;

	if (log_level < level || (n = vasprintf(&said, format, args)) < 0)
		return;
	clean = text_clean(said, (size_t)n);
	fprintf(stderr, "tacho: %s%s\n", kind, clean ? clean : format);
	free(clean);
	free(said);
}

#define LOG(name, level, kind)                                                                     \
	void log_##name(const char *format, ...)                                                   \
	{                                                                                          \
		va_list args;                                                                      \
                                                                                                   \
		va_start(args, format);                                                            \
		put(level, kind, format, args);                                                    \
		va_end(args);                                                                      \
	}

LOG(error, LOG_QUIET, "")
LOG(warn, LOG_NORMAL, "warning: ")
LOG(debug, LOG_VERBOSE, "")

void log_progress(const char *what, unsigned long done, unsigned long total)
{
	static time_t last;
	/* asking costs a system call, and this may be called for each message of a trace */
	static int terminal = -1;
	time_t now;

	if (terminal < 0)
		terminal = isatty(STDERR_FILENO);
	if (log_level < LOG_NORMAL || !total || !terminal)
		return;
	now = time(NULL);
	if (done >= total) {
		if (last)
			fputs("\r\033[K", stderr);
		last = 0;
	} else if (now != last) {
		fprintf(stderr, "\rtacho: %s %lu %%\033[K", what, 100 * done / total);
		last = now;
	}
}
