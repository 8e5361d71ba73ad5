/* control.c - reads RUN/control, see control.h. Nothing is opened before there is something new. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/control.h"
#include "core/process.h"
#include "core/sys.h"

enum { CHANGES_MOST = 256, READ_MOST = 4096 };

static struct {
	int64_t at; /* in the file: the first byte that was not read */
	struct control_change changes[CHANGES_MOST];
	_Atomic uint32_t n;
	_Atomic uint32_t followed;
} control;

static void line_take(const char *line)
{
	uint32_t n = atomic_load_explicit(&control.n, memory_order_relaxed);
	char *end;
	unsigned long long at = strtoull(line, &end, 10);
	bool stops = !strcmp(end, " stop");

	if (end == line || (!stops && strcmp(end, " start")) || n == CHANGES_MOST)
		return;
	control.changes[n] = (struct control_change){ at, stops };
	atomic_store_explicit(&control.n, n + 1, memory_order_release);
}

/* Takes the lines that are whole. */
static void text_take(char *text, size_t n)
{
	char *end;

	text[n] = '\0';
	for (; (end = strchr(text, '\n')); text = end + 1) {
		*end = '\0';
		line_take(text);
		control.at += end + 1 - text;
	}
}

static void file_read(const char *path)
{
	int fd = sys_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	char text[READ_MOST + 1];
	ssize_t n = 0;

	if (fd < 0)
		return;
	do {
		int64_t before = control.at;

		n = syscall(SYS_pread64, fd, text, READ_MOST, control.at);
		if (n > 0)
			text_take(text, (size_t)n);
		if (control.at == before && n == READ_MOST)
			control.at += n; /* no line of ours is as long */
	} while (n == READ_MOST);
	sys_close(fd);
}

bool control_read(void)
{
	const char *dir = tacho_process.asked.run;
	int saved = errno;
	char path[PATH_MAX];
	struct stat st;

	if (*dir && snprintf(path, sizeof(path), "%s/control", dir) < (int)sizeof(path) &&
		!syscall(SYS_newfstatat, AT_FDCWD, path, &st, 0) && S_ISREG(st.st_mode) &&
		st.st_size > control.at)
		file_read(path);
	errno = saved;
	return control_next() != NULL;
}

const struct control_change *control_next(void)
{
	uint32_t followed = atomic_load_explicit(&control.followed, memory_order_relaxed);

	return followed < atomic_load_explicit(&control.n, memory_order_acquire)
		? &control.changes[followed]
		: NULL;
}

void control_follow(void)
{
	atomic_fetch_add_explicit(&control.followed, 1, memory_order_relaxed);
}

uint32_t control_followed(void)
{
	return atomic_load_explicit(&control.followed, memory_order_relaxed);
}
