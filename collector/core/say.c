/* say.c - the library's own messages: one per kind of trouble, on the program's standard error. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/process.h"
#include "core/sys.h"

static struct stat standard_error;

void say_start(void)
{
	if (sys_fstat(2, &standard_error) < 0)
		standard_error.st_ino = 0;
}

/* Whether descriptor 2 is still the same file. */
static bool can_say(void)
{
	struct stat st;

	return !sys_fstat(2, &st) && st.st_ino && st.st_ino == standard_error.st_ino &&
		st.st_dev == standard_error.st_dev;
}

/*
 * Writes a line. A pipe without a reader, or a limit on file size, would end the program by a signal
 * for a write that the program has not made: the thread that writes takes this signal away.
 */
static void line_write(const char *line, size_t n)
{
	uint64_t mask = sys_signals_block(), pending = 0, raised;
	struct timespec at_once = { 0 };

	syscall(SYS_rt_sigpending, &pending, sizeof(pending));
	if (sys_write(2, line, n) < 0 && (errno == EPIPE || errno == EFBIG)) {
		raised = UINT64_C(1) << ((errno == EPIPE ? SIGPIPE : SIGXFSZ) - 1);
		raised &= ~pending; /* one that waited before is the program's */
		syscall(SYS_rt_sigtimedwait, &raised, NULL, &at_once, sizeof(raised));
	}
	sys_signals_restore(mask);
}

/* A line of a task, for the next thread that can print it; the first one stays. */
static char kept[512];
static _Atomic uint32_t nkept; /* bytes */

static void line_keep(const char *line, size_t n)
{
	static _Atomic bool is_taken;

	if (atomic_exchange(&is_taken, true))
		return;
	memcpy(kept, line, n);
	atomic_store(&nkept, (uint32_t)n);
}

void say_kept(void)
{
	int saved = errno;
	uint32_t n = task_is_here() || tacho_table_is_own ? 0 : atomic_exchange(&nkept, 0);

	if (n && can_say())
		line_write(kept, n);
	errno = saved;
}

void say_once(enum say_kind kind, const char *format, ...)
{
	static _Atomic uint32_t said[SAY_KIND_COUNT];
	char line[512];
	va_list args;
	int n, saved = errno;

	if (atomic_exchange(&said[kind], 1))
		return;
	n = tacho_process.ranks.rank < 0
		? snprintf(line, sizeof(line), "tacho: ")
		: snprintf(line, sizeof(line), "tacho[%d]: ", tacho_process.ranks.rank);
	va_start(args, format);
	n += vsnprintf(line + n, sizeof(line) - (size_t)n - 1, format, args);
	va_end(args);
	if (n > (int)sizeof(line) - 2)
		n = (int)sizeof(line) - 2;
	line[n++] = '\n';
	if (task_is_here() || tacho_table_is_own)
		line_keep(line, (size_t)n);
	else if (kind == SAY_SANDBOX && can_say())
		sys_write(2, line, (size_t)n); /* a filter may kill for any other call */
	else if (can_say())
		line_write(line, (size_t)n);
	errno = saved;
}
