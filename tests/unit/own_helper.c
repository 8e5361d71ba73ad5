/*
 * own_helper.c - a program that would notice the library's helper, and one that harms it.
 *
 * usage: own_helper alone: the process has one thread and no child that a wait would find. namespaces: one
 * of users may be entered, and of processes: its first process is the program's child, which lives on.
 * killed: the helper is killed, which keeps nobody waiting. exec PROGRAM ARGUMENT…, raw PROGRAM ARGUMENT…:
 * it becomes another program, by libc's call or a system call. die: SIGKILL. The last three print the
 * helper's number first. 0: all was right; else a sentence names the first fault.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLS = 20000, TRIES = 1000 };

extern char **environ;

static int file;

static void fail(const char *what, long value)
{
	printf("%s %ld\n", what, value);
	exit(1);
}

static void read_some(long calls)
{
	char byte;

	for (long i = 0; i < calls; i++)
		if (pread(file, &byte, 1, 0) != 1)
			fail("pread() fails:", errno);
}

/* Whether a process of this number is a task of the library's that this process has made. */
static bool is_helper(const char *number)
{
	char path[300], text[300], name[32], state;
	int fd, pid, parent;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%s/stat", number);
	fd = open(path, O_RDONLY);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	if (n < 0)
		return false;
	text[n] = '\0';
	return sscanf(text, "%d (%31[^)]) %c %d", &pid, name, &state, &parent) == 4 &&
		parent == getpid() && !strcmp(name, "tacho") && state != 'Z';
}

/* The helper's number; 0: there is none. */
static int helper_look(void)
{
	DIR *folder = opendir("/proc");
	struct dirent *entry;
	int pid = 0;

	while (!pid && (entry = readdir(folder)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && is_helper(entry->d_name))
			pid = atoi(entry->d_name);
	closedir(folder);
	return pid;
}

static int helper_find(void)
{
	int pid = 0;

	for (int i = 0; i < TRIES && !(pid = helper_look()); i++) {
		read_some(CALLS / 20);
		usleep(10000);
	}
	if (!pid)
		fail("there is no helper as a task after", TRIES);
	return pid;
}

static int entries(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	int n = 0;

	while ((entry = readdir(folder)))
		n += entry->d_name[0] != '.';
	closedir(folder);
	return n;
}

static void alone(void)
{
	helper_find();
	if (entries("/proc/self/task") != 1)
		fail("threads:", entries("/proc/self/task"));
	if (waitpid(-1, NULL, 0) != -1 || errno != ECHILD)
		fail("waitpid() found a child or failed with", errno);
	errno = 0;
	if (waitpid(-1, NULL, __WALL) != -1 || errno != ECHILD)
		fail("waitpid() with __WALL found a child or failed with", errno);
	if (setsid() < 0 && getsid(0) != getpid())
		fail("setsid() fails:", errno);
}

/* A further process of the namespace. */
static void child_check(void)
{
	int status = 0;
	pid_t child = fork();

	if (child < 0)
		fail("fork() fails:", errno);
	if (!child) {
		read_some(CALLS);
		_exit(getpid() == 1);
	}
	if (waitpid(child, &status, 0) != child || status != 0)
		fail("the child in the namespace ended with", status);
}

static void namespaces(void)
{
	int status = 0;
	pid_t first;

	helper_find();
	if (unshare(CLONE_NEWUSER | CLONE_NEWPID) < 0) {
		if (errno == EPERM || errno == ENOSPC)
			exit(77);
		fail("unshare() fails:", errno);
	}
	read_some(CALLS); /* new chunks, by tasks or without */
	first = fork();
	if (!first) {
		if (getpid() != 1)
			_exit(1);
		pause();
	}
	read_some(CALLS);
	child_check();
	read_some(CALLS);
	child_check();
	kill(first, SIGKILL);
	if (waitpid(first, &status, 0) != first || !WIFSIGNALED(status))
		fail("the first process of the namespace ended with", status);
}

static void killed(void)
{
	int pid = helper_find();

	for (int i = 0; i < 20; i++) {
		read_some(CALLS / 2);
		if (i == 3)
			kill(pid, SIGKILL);
	}
	if (waitpid(-1, NULL, 0) != -1 || errno != ECHILD)
		fail("waitpid() found a child or failed with", errno);
}

static void become(char **argv, bool is_raw)
{
	printf("%d\n", helper_find());
	fflush(stdout);
	if (is_raw)
		syscall(SYS_execve, argv[0], argv, environ);
	else
		execv(argv[0], argv);
	fail("exec fails:", errno);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	file = open(argv[0], O_RDONLY);
	if (!strcmp(mode, "alone"))
		alone();
	else if (!strcmp(mode, "namespaces"))
		namespaces();
	else if (!strcmp(mode, "killed"))
		killed();
	else if (argc > 2 && (!strcmp(mode, "exec") || !strcmp(mode, "raw")))
		become(argv + 2, !strcmp(mode, "raw"));
	else if (!strcmp(mode, "die")) {
		printf("%d\n", helper_find());
		fflush(stdout);
		kill(getpid(), SIGKILL);
	} else {
		return 2;
	}
	return 0;
}
