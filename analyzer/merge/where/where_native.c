/*
 * where_native.c - the native functions in which a thread of a living rank waits. A child process loads
 * libtacho.so, which reads the stack from outside (include/tacho/attach.h): the library works for one
 * process, and a read that does not return is given up.
 */
#include "config.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock_now.h"
#include "base/guard.h"
#include "base/text_function.h"
#include "merge/where/where.h"
#include "model/device.h"
#include "tacho/attach.h"

enum {
	PATIENCE_MS = 5000, /* for one rank */
	TEXT_MOST = 1 << 18,
	REFUSED = 2, /* exit status of the child */
};

/* In the child: "function TAB file" for each frame. */
static _Noreturn void frames_write(const char *library, struct attach_stack *stack, int fd)
{
	attach_stack_function *function = NULL;
	FILE *out = fdopen(fd, "w");
	void *loaded;
	int n;

	/* the library is no part of a run */
	clearenv();
	loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (loaded)
		function = (attach_stack_function *)dlsym(loaded, ATTACH_STACK_FUNCTION);
	if (!out || !function)
		guard_leave(1);
	n = function(stack);
	for (int i = 0; i < n; i++)
		fprintf(out, "%s\t%s\n", stack->frames[i].function, stack->frames[i].file);
	guard_leave(fflush(out) == 0 && n >= 0 ? 0 : REFUSED);
}

/* What the child writes, until it ends or PATIENCE_MS are over. False: they are. */
static bool text_read(int fd, char *text, size_t size)
{
	int64_t end = clock_now_ns(CLOCK_MONOTONIC) + PATIENCE_MS * 1000000ll;
	struct pollfd from = { .fd = fd, .events = POLLIN };
	ssize_t n = 1;
	size_t done = 0;

	while (n > 0 && done < size - 1) {
		int64_t left = (end - clock_now_ns(CLOCK_MONOTONIC)) / 1000000;

		if (left <= 0 || poll(&from, 1, (int)left) == 0)
			return false;
		n = read(fd, text + done, size - 1 - done);
		if (n < 0 && errno == EINTR)
			n = 1;
		else
			done += n > 0 ? (size_t)n : 0;
	}
	text[done] = '\0';
	return true;
}

/* Length of the class before the function `name` of `plain`, with its "::"; 0: it has none, or a template. */
static size_t class_length(const char *plain, const char *name, const char **class)
{
	const char *at = strstr(plain, name), *begin = at;

	if (!at || at - plain < 3 || memcmp(at - 2, "::", 2) != 0)
		return 0;
	for (begin = at - 2;
		begin > plain && (isalnum((unsigned char)begin[-1]) || begin[-1] == '_');)
		begin--;
	*class = begin;
	return (size_t)(at - begin) > 2 ? (size_t)(at - begin) : 0;
}

/* "Work::wait" of c10d::Work::wait(std::chrono::duration<long>); to be freed. */
static char *function_text(const char *name)
{
	static const char wrapper[] = "tacho_wrap_";
	const size_t nwrapper = strncmp(name, wrapper, sizeof(wrapper) - 1) ? 0
									    : sizeof(wrapper) - 1;
	char *plain = kernel_name(name + nwrapper), *text = plain ? text_function(plain) : NULL,
	     *whole;
	const char *class = "";
	size_t n = text ? class_length(plain, text, &class) : 0;

	if (n && asprintf(&whole, "%.*s%s", (int)n, class, text) >= 0) {
		free(text);
		text = whole;
	}
	free(plain);
	return text;
}

void where_native_free(struct where_native *native)
{
	for (uint32_t i = 0; i < native->n; i++) {
		free(native->frames[i].function);
		free(native->frames[i].file);
	}
	native->n = 0;
}

static void frames_take(struct where_native *native, char *text)
{
	for (char *line = text, *tab, *end; native->n < WHERE_FRAMES && (end = strchr(line, '\n'));
		line = end + 1) {
		struct where_frame *frame = &native->frames[native->n];
		const char *base;

		*end = '\0';
		if (!(tab = strchr(line, '\t')))
			continue;
		*tab = '\0';
		base = strrchr(tab + 1, '/');
		/* wrappers are not the program's; the innermost may make the system call */
		if (native->n && base && strncmp(base, "/libtacho", 9) == 0)
			continue;
		*frame = (struct where_frame){ function_text(line),
			strdup(base ? base + 1 : tab + 1) };
		native->n++;
		if (!frame->function || !frame->file)
			return where_native_free(native);
	}
}

/* The thread to be looked at: the one that represents the rank. */
static struct attach_stack stack_of(const struct where *where, const struct where_rank *rank)
{
	const struct process *p = where_process(where, rank);
	uint32_t pid = p->spool->def.pid;

	return (struct attach_stack){ .pid = pid,
		.tid = rank->thread ? rank->thread->location->thread->head.tid : pid };
}

bool where_native_read(struct where_native *native, const char *library, const struct where *where,
	const struct where_rank *rank)
{
	struct attach_stack stack = stack_of(where, rank);
	char *text = calloc(1, TEXT_MOST);
	int ends[2] = { -1, -1 }, status = 0;
	bool is_read = false;
	pid_t pid = -1;

	*native = (struct where_native){ 0 };
	if (text && pipe(ends) == 0 && (pid = fork()) == 0) {
		close(ends[0]);
		frames_write(library, &stack, ends[1]);
	}
	close(ends[1]);
	if (pid > 0) {
		is_read = text_read(ends[0], text, TEXT_MOST);
		if (!is_read)
			kill(pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	close(ends[0]);
	if (is_read && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		frames_take(native, text);
	free(text);
	return !is_read || !WIFEXITED(status) || WEXITSTATUS(status) != REFUSED;
}

/* Whether a frame is Python's interpreter: what is outside of it is Python's stack. */
static bool is_python(const struct where_frame *frame)
{
	return strncmp(frame->file, "python", 6) == 0 || strncmp(frame->file, "libpython", 9) == 0;
}

static bool has_file(const struct where_native *native, uint32_t i, const char *file)
{
	return i < native->n && strcmp(native->frames[i].file, file) == 0;
}

/* A frame without a name stands for its file: once, and not beside named ones of it. */
static bool tells(const struct where_native *native, uint32_t i)
{
	const char *file = native->frames[i].file;
	uint32_t named = i;

	if (native->frames[i].function[0])
		return true;
	while (has_file(native, named, file) && !native->frames[named].function[0])
		named++;
	return !has_file(native, i - 1, file) && !has_file(native, named, file);
}

void where_native_print(FILE *out, const struct where_native *native)
{
	uint32_t shown = 0;

	for (uint32_t i = 0; i < native->n && shown < WHERE_FRAMES_SHOWN; i++) {
		const struct where_frame *frame = &native->frames[i];

		if (is_python(frame) && shown)
			return;
		if (!tells(native, i))
			continue;
		fprintf(out, "%s%s%s%s%s", shown ? " < " : "", frame->function,
			frame->function[0] ? " (" : "", frame->file, frame->function[0] ? ")" : "");
		shown++;
	}
}
