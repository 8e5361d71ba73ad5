/*
 * status.c - see status.h. The terminal belongs to the command: a line of tacho's in between would
 * break its progress bars. So nothing printed moves the cursor: the run's state is in the title of
 * the terminal's window, which is restored at the end. Lines on stderr are optional. A child
 * process does this: the process that waits for the command has no thread when it forks, and an
 * error here affects nothing else.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/guard.h"
#include "base/log.h"
#include "base/text.h"
#include "record/status.h"
#include "watch/watch_hang.h"
#include "watch/watch_view.h"

static const int64_t second_ns = 1000000000, look_ns = 2000000000, hang_ns = 10000000000;

#define TITLE_KEEP "\033[22;2t"
#define TITLE_BACK "\033[23;2t"

/* Terminals that are known to have a title, or to pass over one. */
static bool has_title(void)
{
	static const char *const known[] = { "xterm", "rxvt", "screen", "tmux", "alacritty", "foot",
		"kitty", "konsole", "gnome", "vte", "st-" };
	const char *term = getenv("TERM");

	for (size_t i = 0; term && i < sizeof(known) / sizeof(*known); i++)
		if (strncmp(term, known[i], strlen(known[i])) == 0)
			return isatty(STDERR_FILENO);
	return false;
}

/* In one call, so that it does not come into the middle of something else of ours. */
static void say(const char *before, const char *name, const char *line, const char *after)
{
	char *text, *clean = text_clean(line, strlen(line)),
		    *whose = text_clean(name, strlen(name));

	if (clean && whose && asprintf(&text, "%s%s: %s%s", before, whose, clean, after) >= 0) {
		if (write(STDERR_FILENO, text, strlen(text)) < 0)
			log_debug("the state of the run could not be shown");
		free(text);
	}
	free(clean);
	free(whose);
}

/* The line for one poll, to be freed; NULL: nothing to report yet. */
static char *line_make(struct live *live, const char *run, struct hang *hang, struct keep *keep)
{
	struct view view;
	char *line = NULL;
	size_t size;
	FILE *out = NULL;

	if (view_make(&view, live) == 0 && view.ranks.n) {
		if (keep->on & KEEP_ON_HANG)
			hang_look(hang, &view, run);
		keep_look(keep, &view);
		out = open_memstream(&line, &size);
	}
	if (out) {
		view_line(&view, out);
		fclose(out);
	}
	view_free(&view);
	return line;
}

static _Noreturn void show(const char *run, const char *name, int64_t every, bool title,
	struct keep *keep)
{
	const int64_t pause = every && !title && !keep->on ? every : look_ns;
	const struct timespec rest = { pause / second_ns, pause % second_ns };
	struct hang hang = { .least = hang_ns };
	int64_t passed = 0;
	struct live live;

	log_level = LOG_QUIET;
	if (live_open(&live, run) < 0)
		guard_leave(0);
	for (;;) {
		char *line;

		nanosleep(&rest, NULL);
		if (live_look(&live) < 0)
			break;
		line = line_make(&live, run, &hang, keep);
		if (line && title)
			say("\033]2;", name, line, "\007");
		passed += pause;
		if (line && every && passed >= every) {
			say("tacho: ", name, line, "\n");
			passed = 0;
		}
		free(line);
	}
	guard_leave(0);
}

pid_t status_begin(const char *run, const char *name, int64_t every, struct keep *keep)
{
	bool title = has_title();
	pid_t parent = getpid(), pid;

	if (log_level == LOG_QUIET)
		title = false, every = 0;
	if (!title && !every && !keep->on)
		return -1;
	if (title && write(STDERR_FILENO, TITLE_KEEP, strlen(TITLE_KEEP)) < 0)
		title = false;
	pid = fork();
	if (pid != 0)
		return pid;
	/* Ctrl-C is the command's; this process ends with its parent */
	for (int sig = 1; sig < 32; sig++)
		signal(sig, sig == SIGTERM || sig == SIGKILL ? SIG_DFL : SIG_IGN);
	if (keep->signal)
		signal(keep->signal, keep_ask);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		guard_leave(0);
	show(run, name, every, title, keep);
}

void status_end(pid_t status)
{
	if (status <= 0)
		return;
	kill(status, SIGKILL);
	while (waitpid(status, NULL, 0) < 0 && errno == EINTR)
		continue;
	if (has_title() && write(STDERR_FILENO, TITLE_BACK, strlen(TITLE_BACK)) < 0)
		log_debug("the terminal's title stays");
}
