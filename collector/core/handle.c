/* handle.c - the table of descriptors and their definitions. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "core/capture.h"
#include "core/handle.h"
#include "core/known.h"
#include "core/define.h"
#include "core/process.h"
#include "core/sys.h"

_Atomic uint32_t tacho_handles[HANDLE_FDS];
#define PEERS 65536 /* of definitions with higher numbers it is not known here */

static _Atomic uint64_t peers[PEERS / 64];
static _Atomic uint32_t fd_highest; /* that had an entry */

/*
 * Pairs of sockets, by inode; of very many the last ones. A forked child knows its parent's; a
 * program that inherits one through exec does not, but its maker does.
 */
enum { PAIRS = 1 << 10 };

static struct {
	_Atomic uint64_t ends[2];
} pairs[PAIRS];
static _Atomic uint32_t npairs;

void handle_pair(const int ends[2])
{
	int saved = errno;
	struct stat one, other;

	if (sys_fstat(ends[0], &one) >= 0 && sys_fstat(ends[1], &other) >= 0) {
		uint32_t place = atomic_fetch_add(&npairs, 1) % PAIRS;

		atomic_store(&pairs[place].ends[0], one.st_ino);
		atomic_store(&pairs[place].ends[1], other.st_ino);
	}
	errno = saved;
}

/* The other end of a pair of sockets, 0 when it is not one. */
static uint64_t peer_of(uint64_t inode)
{
	uint32_t n = atomic_load(&npairs);

	for (uint32_t i = 0; i < n && i < PAIRS; i++)
		for (int end = 0; end < 2; end++)
			if (atomic_load(&pairs[i].ends[end]) == inode)
				return atomic_load(&pairs[i].ends[!end]);
	return 0;
}

#define ANY_MINOR UINT32_MAX

/* Character devices of which a read waits for a person, another program or the kernel. */
static bool device_waits(uint64_t device)
{
	static const struct {
		uint32_t major, minor;
	} waiting[] = {
		{ 1, 8 },			    /* random */
		{ 1, 11 },			    /* kmsg */
		{ 4, ANY_MINOR }, { 5, ANY_MINOR }, /* terminals */
		{ 10, ANY_MINOR },		    /* userfaultfd, fuse, rtc… */
		{ 13, ANY_MINOR },		    /* input */
		{ 166, ANY_MINOR }, { 188, ANY_MINOR }, { 204, ANY_MINOR }, /* serial lines */
	};
	uint32_t number = major(device);

	if (number >= 136 && number <= 143) /* pseudo-terminals */
		return true;
	for (size_t i = 0; i < sizeof(waiting) / sizeof(*waiting); i++)
		if (waiting[i].major == number &&
			(waiting[i].minor == ANY_MINOR || waiting[i].minor == minor(device)))
			return true;
	return false;
}

/*
 * What has no file: eventfd, timerfd, signalfd, inotify, pidfd, userfaultfd, perf events… A test
 * hook makes a timer represent storage that is slow.
 */
static uint32_t kind_of_nameless(const char *path)
{
	return getenv("TACHO_TEST_TIMER_IS_STORAGE") && !strcmp(path, "anon_inode:[timerfd]")
		? HANDLE_OTHER
		: HANDLE_EVENT;
}

static bool begins(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

static uint32_t kind_of(const struct stat *st, const char *path)
{
	if (begins(path, "anon_inode:") || begins(path, "pidfd:"))
		return kind_of_nameless(path);
	switch (st->st_mode & S_IFMT) {
	case S_IFREG: return HANDLE_FILE;
	case S_IFDIR: return HANDLE_DIR;
	case S_IFIFO: return HANDLE_PIPE;
	case S_IFSOCK: return HANDLE_SOCKET;
	case S_IFCHR: return device_waits(st->st_rdev) ? HANDLE_EVENT : HANDLE_DEVICE;
	case S_IFBLK: return HANDLE_DEVICE;
	default: return HANDLE_OTHER;
	}
}

#define EVENT_OBJECT ((uint64_t)1 << 62) /* apart from inodes */

/*
 * The eventfd of a descriptor: all of them share an inode, and the kernel reports their number
 * elsewhere. 0: it is none, or the kernel does not report it.
 */
static uint64_t event_object(int fd)
{
	static const char key[] = "eventfd-id:";
	char path[PROC_ROOM + 32], text[512], *at;
	snprintf(path, sizeof(path), "%s/fdinfo/%d", tacho_process.proc, fd);
	if (task_read(path, text, sizeof(text)) <= 0)
		return 0;
	at = strstr(text, key);
	return at ? EVENT_OBJECT | strtoull(at + sizeof(key) - 1, NULL, 10) : 0;
}

static uint64_t peer_find(uint32_t kind, int fd, const struct stat *st, const char *path)
{
	if (kind == HANDLE_SOCKET)
		return peer_of(st->st_ino);
	return kind == HANDLE_EVENT && begins(path, "anon_inode:[eventfd") ? event_object(fd) : 0;
}

/* Whether a path has no empty, "." or ".." part. */
static bool path_is_plain(const char *path)
{
	const char *part = path + (*path == '/');

	for (size_t n; *part; part += n + (part[n] == '/')) {
		n = strcspn(part, "/");
		if (!n || (*part == '.' && (n == 1 || (n == 2 && part[1] == '.'))))
			return false;
	}
	return true;
}

bool path_make_absolute(char full[PATH_MAX], const char *path)
{
	ssize_t n = 0;

	if (!path_is_plain(path))
		return false;
	if (*path != '/') {
		/* counts the NUL; "/" takes its byte */
		n = syscall(SYS_getcwd, full, PATH_MAX);
		if (n > 0)
			full[n - 1] = '/';
	}
	if (n < 0 || n + strlen(path) >= PATH_MAX)
		return false;
	memcpy(full + n, path, strlen(path) + 1);
	return true;
}

/*
 * The absolute path. Asking the kernel costs 3 us, more than opening a cached file, so it is asked
 * only when the program's path does not suffice: symbolic links stay as the program named them,
 * device and inode identify the file.
 */
static void path_find(char full[PATH_MAX], int fd, const char *path)
{
	char link[32];
	ssize_t n;

	if (path && path_make_absolute(full, path))
		return;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = sys_readlink(link, full, PATH_MAX - 1);
	full[n < 0 ? 0 : n] = '\0';
}

static void highest_raise(unsigned fd)
{
	uint32_t highest = atomic_load(&fd_highest);

	while (highest < fd && !atomic_compare_exchange_weak(&fd_highest, &highest, fd))
		;
}

/*
 * Handles defined last, by the common properties of a folder's files: names in a data set differ by
 * a few letters. If the entry is taken (by another thread, or by the code that a handler
 * interrupts), the caller does without.
 */
static struct last {
	_Atomic bool is_taken;
	uint32_t number; /* 0: there is none */
	struct spool_def_handle body;
	char path[HANDLE_SAME_MOST + 1]; /* its begin */
} lasts[16];

static bool is_like(const struct last *last, const struct spool_def_handle *body)
{
	return last->number && last->body.kind == body->kind && last->body.dev == body->dev &&
		last->body.flags == body->flags && last->body.peer == body->peer;
}

static uint32_t define_as(struct last *last, const struct spool_def_handle *body, const char *path)
{
	struct spool_def_handle_like like = { .ino = body->ino, .like = last->number };
	uint32_t number;

	while (like.same < HANDLE_SAME_MOST && path[like.same] &&
		path[like.same] == last->path[like.same])
		like.same++;
	number = is_like(last, body) && like.same
		? process_define_handle_like(&like, path + like.same)
		: process_define_handle(body, path);
	if (!number)
		return 0;
	last->number = number;
	last->body = *body;
	memccpy(last->path, path, 0, HANDLE_SAME_MOST); /* the last byte stays 0 */
	return number;
}

static uint32_t define_handle(const struct spool_def_handle *body, const char *path)
{
	uint64_t common = body->kind + body->dev + (body->flags ^ body->flags >> 6);
	struct last *last = &lasts[(common ^ common >> 4) % (sizeof(lasts) / sizeof(*lasts))];
	uint32_t number;

	if (atomic_exchange(&last->is_taken, true))
		return process_define_handle(body, path);
	number = define_as(last, body, path);
	atomic_store(&last->is_taken, false);
	return number;
}

/*
 * When the budget has no more space for names, one handle represents all of a kind that are opened
 * in the same way: their sums stay exact.
 */
static _Atomic uint32_t others[HANDLE_EVENT + 1][O_ACCMODE + 1];

static uint32_t define_others(struct spool_def_handle body)
{
	_Atomic uint32_t *other = &others[body.kind][body.flags & O_ACCMODE];
	uint32_t number = atomic_load(other), seen = 0;

	if (number)
		return number;
	body.dev = body.ino = body.peer = 0;
	number = process_define_others(&body, HANDLE_OTHERS);
	if (number && !atomic_compare_exchange_strong(other, &seen, number))
		number = seen;
	return number;
}

/* Seldom written: a child of a fork shares the page, and numbers its definitions anew. */
static void peer_note(uint32_t number, uint32_t kind)
{
	bool has_peer = kind == HANDLE_PIPE || kind == HANDLE_SOCKET || kind == HANDLE_EVENT;
	uint64_t bit = UINT64_C(1) << number % 64;

	if (number >= PEERS || handle_has_peer(number) == has_peer)
		return;
	if (has_peer)
		atomic_fetch_or(&peers[number / 64], bit);
	else
		atomic_fetch_and(&peers[number / 64], ~bit);
}

/* Defines the object of a descriptor with the kernel's `st`. Returns the entry. */
static uint32_t define_new(int fd, const struct stat *st, int flags, const char *path)
{
	struct spool_def_handle body = { .dev = st->st_dev, .ino = st->st_ino };
	char full[PATH_MAX];
	uint32_t number;
	bool is_other;

	path_find(full, fd, path);
	body.kind = kind_of(st, full);
	body.peer = peer_find(body.kind, fd, st, full);
	body.flags = (uint64_t)(flags < 0 ? sys_fcntl(fd, F_GETFL, 0) : flags);
	if (path_is_excluded(full))
		return HANDLE_EXCLUDED << HANDLE_KIND_SHIFT;
	number = define_handle(&body, full);
	is_other = !number && errno == EDQUOT;
	if (is_other)
		number = define_others(body);
	/* the program has all its descriptors open: without one it cannot be named, nor soon */
	if (!number && errno != EMFILE)
		return 0;
	if (number > HANDLE_NUMBER)
		return 0;
	if (number && !is_other && body.kind == HANDLE_SOCKET)
		socket_define(number, fd);
	peer_note(number, body.kind);
	return number | body.kind << HANDLE_KIND_SHIFT;
}

/* Whether a file that is opened so may be one that was opened before. */
static bool may_be_known(int flags, const char *path)
{
	return path && flags >= 0 && !(flags & (O_EXCL | __O_TMPFILE));
}

static uint32_t define(int fd, int flags, const char *path)
{
	struct known *known = NULL;
	uint32_t entry = 0;
	struct stat st;

	/* a signal handler forked, or between vfork and exec */
	if (atomic_load(tacho_gate) == GATE_UNDECIDED || !vfork_is_over() || sys_fstat(fd, &st) < 0)
		return 0;
	if (may_be_known(flags, path))
		known = known_take(&st, flags, path, &entry);
	if (!entry)
		entry = define_new(fd, &st, flags, path);
	if (known && entry & HANDLE_NUMBER)
		known_put(known, fd, entry);
	else if (known)
		known_drop(known);
	if (entry) {
		highest_raise((unsigned)fd);
		atomic_store(&tacho_handles[fd], entry);
	}
	return entry;
}

bool handle_has_peer(uint32_t number)
{
	return number < PEERS && atomic_load(&peers[number / 64]) >> number % 64 & 1;
}

uint32_t handle_define(int fd, int flags, const char *path)
{
	int saved = errno;
	uint32_t entry = (unsigned)fd < HANDLE_FDS ? define(fd, flags, path) : 0;

	errno = saved;
	return entry;
}

/*
 * Between vfork and exec this clears the parent's entries as well: they are made again when next
 * used.
 */
void handle_clear(unsigned first, unsigned last)
{
	unsigned highest = atomic_load(&fd_highest);

	for (unsigned fd = first; fd <= last && fd <= highest; fd++)
		handle_forget((int)fd);
}

void handle_forked(void)
{
	for (unsigned fd = 0; fd <= fd_highest; fd++)
		tacho_handles[fd] = 0;
	fd_highest = 0;
	memset((void *)others, 0, sizeof(others));
	memset(lasts, 0, sizeof(lasts));
}
