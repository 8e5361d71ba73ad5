/*
 * doctor_storage.c - storage of a node: writing and reading one file of a folder past the page cache, and opening
 * many small ones. Files are removed again, also when something fails.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock_now.h"
#include "doctor/doctor.h"

enum { ALIGNED = 4096, BLOCK = 1 << 20, FILES = 200, FILES_BRIEF = 50, SMALL = 4096 };
#define MOST_NS	     INT64_C(4000000000)  /* of writing, reading, making and opening, each */
#define BUDGET_NS    INT64_C(60000000000) /* of all of these, in all folders and nodes in turn */
#define MOST_BLOCKS  256
#define BRIEF_BLOCKS 8

struct storage {
	const char *folder;
	char *path;
	char *block;
	bool direct;
	int64_t most_ns;
	int most_blocks, blocks; /* written */
};

static double per_second(double amount, int64_t begun)
{
	int64_t ns = clock_now_ns(CLOCK_MONOTONIC) - begun;

	return ns > 0 ? amount / ((double)ns * 1e-9) : NAN;
}

/* MB/s; NAN: errno states why. */
static double write_rate(struct storage *s)
{
	int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, fd;
	int64_t begun = clock_now_ns(CLOCK_MONOTONIC);
	bool failed = false;

	fd = open(s->path, flags | O_DIRECT, 0600);
	s->direct = fd >= 0;
	if (fd < 0 && errno == EINVAL) {
		unlink(s->path); /* made, and then refused */
		fd = open(s->path, flags, 0600);
	}
	if (fd < 0)
		return NAN;
	while (!failed && s->blocks < s->most_blocks &&
		clock_now_ns(CLOCK_MONOTONIC) - begun < s->most_ns) {
		failed = write(fd, s->block, BLOCK) != BLOCK;
		s->blocks += !failed;
	}
	failed = failed || fdatasync(fd) < 0;
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	close(fd);
	return failed ? NAN : per_second((double)s->blocks * BLOCK * 1e-6, begun);
}

static double read_rate(struct storage *s)
{
	int fd = open(s->path, O_RDONLY | O_CLOEXEC | (s->direct ? O_DIRECT : 0));
	int64_t begun = clock_now_ns(CLOCK_MONOTONIC);
	int blocks = 0;

	while (fd >= 0 && blocks < s->blocks &&
		clock_now_ns(CLOCK_MONOTONIC) - begun < s->most_ns &&
		read(fd, s->block, BLOCK) == BLOCK)
		blocks++;
	if (fd >= 0)
		close(fd);
	return blocks ? per_second((double)blocks * BLOCK * 1e-6, begun) : NAN;
}

static int small_open(const struct storage *s, int number, int flags)
{
	char *path = NULL;
	int fd = asprintf(&path, "%s.%d", s->path, number) < 0
		? -1
		: open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0600);

	free(path);
	return fd;
}

static void small_remove(const struct storage *s, int n)
{
	for (int i = 0; i < n; i++) {
		char *path = NULL;

		if (asprintf(&path, "%s.%d", s->path, i) >= 0)
			unlink(path);
		free(path);
	}
}

/* Small files opened, read and closed per second, as a loader does. */
static double opens_rate(struct storage *s, int n)
{
	int64_t begun = clock_now_ns(CLOCK_MONOTONIC);
	int made = 0, read_ones = 0;
	double rate = NAN;

	for (int fd; made < n && clock_now_ns(CLOCK_MONOTONIC) - begun < s->most_ns; made++) {
		fd = small_open(s, made, O_WRONLY | O_CREAT | O_EXCL);
		if (fd < 0 || write(fd, s->block, SMALL) != SMALL)
			n = 0;
		if (fd >= 0)
			close(fd);
	}
	begun = clock_now_ns(CLOCK_MONOTONIC);
	for (int fd; n && read_ones < made && clock_now_ns(CLOCK_MONOTONIC) - begun < s->most_ns;
		read_ones++) {
		fd = small_open(s, read_ones, O_RDONLY);
		if (fd < 0 || read(fd, s->block, SMALL) != SMALL)
			n = 0;
		if (fd >= 0)
			close(fd);
	}
	if (n && read_ones)
		rate = per_second(read_ones, begun);
	small_remove(s, made);
	return rate;
}

static void folder_measure(struct doctor_node *node, struct storage *s, int at, bool brief)
{
	node->figure[DOCTOR_WRITE][at] = write_rate(s);
	if (isnan(node->figure[DOCTOR_WRITE][at])) {
		doctor_trouble(node, "%.80s cannot be written: %s", s->folder, strerror(errno));
	} else {
		node->figure[DOCTOR_READ][at] = read_rate(s);
		node->figure[DOCTOR_OPENS][at] = opens_rate(s, brief ? FILES_BRIEF : FILES);
		for (int i = DOCTOR_WRITE; i <= DOCTOR_READ && !s->direct; i++)
			snprintf(node->note[i], DOCTOR_TEXT,
				"%.40s takes no O_DIRECT: fsync, cache dropped", s->folder);
		snprintf(node->note[DOCTOR_OPENS], DOCTOR_TEXT, "4 KiB each, just written");
	}
	unlink(s->path);
}

void doctor_storage(struct doctor_node *node, const struct doctor_wanted *wanted)
{
	void *block = NULL;
	int64_t most_ns = BUDGET_NS / (4 * (wanted->nfolders + 1) * wanted->in_turn);

	if (most_ns > MOST_NS)
		most_ns = MOST_NS;
	if (posix_memalign(&block, ALIGNED, BLOCK) != 0)
		return;
	memset(block, 42, BLOCK);
	for (int i = 0; i < wanted->nfolders; i++) {
		struct storage s = { .folder = wanted->folders[i],
			.block = block,
			.most_ns = wanted->brief ? MOST_NS / 10 : most_ns,
			.most_blocks = wanted->brief ? BRIEF_BLOCKS : MOST_BLOCKS };

		if (asprintf(&s.path, "%s/.tacho-doctor.%s.%d", s.folder, node->host,
			    (int)getpid()) < 0)
			continue;
		folder_measure(node, &s, i, wanted->brief);
		free(s.path);
	}
	free(block);
}
