/*
 * par_files.c - processes that exchange data by files: all data arrives; a process that works for longer than the
 * silence allowed is awaited, and a process that is stopped or has left is not.
 */
#include "config.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/par.h"
#include "base/par_files.h"

enum { SILENCE_S = 4, WORK_S = 7, SIZE = 3, MOST = 1 << 20 };

static char path[] = "/tmp/tacho-files.XXXXXX", parts[sizeof(path) + 8];

enum how { TALKS, WORKS, STOPS, LEAVES };

/* The data of a rank: rank 1 sends nothing. */
static size_t said_size(int rank)
{
	return rank == 1 ? 0 : MOST / (size_t)(rank + 1) - 1;
}

static char said(int rank, size_t i)
{
	return (char)(i * 31 + (size_t)rank);
}

/* Whether every rank gets the data of every other. */
static bool talk(void)
{
	static char mine[MOST];
	size_t n = said_size(par_rank()), *sizes = NULL, total, at = 0;
	char *all = NULL;
	bool right;

	for (size_t i = 0; i < n; i++)
		mine[i] = said(par_rank(), i);
	right = par_allgather(mine, n, &all, &sizes) == 0;
	for (int r = 0; right && r < SIZE; at += sizes[r++]) {
		right = sizes[r] == said_size(r);
		for (size_t i = 0; right && i < sizes[r]; i++)
			right = all[at + i] == said(r, i);
	}
	free(all);
	free(sizes);
	right = right && par_collect(mine, n, &all, &total) == 0 &&
		(par_rank() ? !all : total == at && all[at - 1] == said(2, said_size(2) - 1));
	free(all);
	return right && par_any_failed(par_rank() == 2) == 1 && par_any_failed(0) == 0;
}

static void follow(int rank, enum how how)
{
	bool right = files_join(parts, rank, SIZE, NULL) == 0 && par_join(&par_files) == 0 &&
		par_rank() == rank && par_size() == SIZE;

	if (how == TALKS)
		right = right && talk();
	if (how == WORKS)
		nanosleep(&(struct timespec){ .tv_sec = WORK_S }, NULL);
	if (how == STOPS)
		raise(SIGSTOP);
	if (how != LEAVES && how != TALKS)
		right = right && par_any_failed(0) == 0;
	par_end();
	files_leave();
	_exit(right ? 0 : 1);
}

enum { HEARD, NOT_HEARD, BROKEN };

/* The last follower is as asked for, the others work. Whether rank 0 was heard by all. */
static int lead(enum how how)
{
	const char *const names[SIZE] = { "a", "b", "c" };
	pid_t pids[SIZE] = { 0 };
	bool heard, right;
	int status;

	if (files_make(parts, SIZE) < 0)
		return BROKEN;
	for (int r = 1; r < SIZE; r++) {
		pids[r] = fork();
		if (pids[r] == 0)
			follow(r, how == TALKS || r == SIZE - 1 ? how : WORKS);
	}
	right = files_join(parts, 0, SIZE, names) == 0 && par_join(&par_files) == 0;
	heard = right && (how == TALKS ? talk() : par_any_failed(0) == 0);
	par_end();
	files_leave();
	for (int r = 1; r < SIZE; r++) {
		if (how == STOPS)
			kill(pids[r], SIGKILL);
		right = waitpid(pids[r], &status, 0) == pids[r] && (how > WORKS || status == 0) &&
			right;
	}
	files_remove(parts, SIZE);
	return !right ? BROKEN : heard ? HEARD : NOT_HEARD;
}

/* A case in a separate process and folder, as most of each is waiting. */
static pid_t start(enum how how)
{
	pid_t pid = fork();
	int result;

	if (pid != 0)
		return pid;
	if (!mkdtemp(path))
		_exit(BROKEN);
	snprintf(parts, sizeof(parts), "%s/parts", path);
	result = lead(how);
	rmdir(path);
	_exit(result);
}

int main(void)
{
	static const struct {
		enum how how;
		int result;
		const char *what;
	} cases[] = { { TALKS, HEARD, "the data of each rank arrives at all ranks" },
		{ WORKS, HEARD,
			"a process that works for longer than the silence allowed is awaited" },
		{ STOPS, NOT_HEARD, "a process that is stopped is lost after that time" },
		{ LEAVES, NOT_HEARD, "a process that has left is lost" } };
	enum { N = sizeof(cases) / sizeof(cases[0]) };
	pid_t pids[N];

	setvbuf(stdout, NULL, _IONBF, 0);
	files_silence_ns = SILENCE_S * INT64_C(1000000000);
	printf("1..%d\n", N);
	for (int i = 0; i < N; i++)
		pids[i] = start(cases[i].how);
	for (int i = 0; i < N; i++) {
		int status = 0;
		bool right = waitpid(pids[i], &status, 0) == pids[i] && WIFEXITED(status) &&
			WEXITSTATUS(status) == cases[i].result;

		printf("%sok %d - %s\n", right ? "" : "not ", i + 1, cases[i].what);
	}
	return 0;
}
