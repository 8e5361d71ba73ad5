/*
 * sweep_left.c - processes that a killed sweep left: they would disturb the next measurements, and
 * write to the same files. They are known by a variable of their environment.
 */
#include "config.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "sweep/sweep_state.h"

enum { LEFT_WAIT_S = 10, ENVIRONMENT_MOST = 1 << 20 };

/* Whether the process was started by this study's sweep. */
static bool is_left(const char *pid, const char *mark)
{
	char path[64], *text = malloc(ENVIRONMENT_MOST);
	size_t n = 0, length = strlen(mark) + 1;
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.20s/environ", pid);
	file = text ? fopen(path, "re") : NULL;
	if (file) {
		n = fread(text, 1, ENVIRONMENT_MOST - 1, file);
		text[n] = '\0';
		fclose(file);
	}
	for (size_t i = 0; i + length <= n + 1 && !found; i += strlen(text + i) + 1)
		found = strcmp(text + i, mark) == 0;
	free(text);
	return found;
}

/* Sends them a signal; how many there are. */
static int left_signal(const char *mark, int sig)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	int n = 0;

	while (dir && (entry = readdir(dir))) {
		pid_t pid = (pid_t)atoi(entry->d_name);

		if (!isdigit((unsigned char)entry->d_name[0]) || pid == getpid() ||
			!is_left(entry->d_name, mark))
			continue;
		n++;
		if (sig)
			kill(pid, sig);
	}
	if (dir)
		closedir(dir);
	return n;
}

/* Whether they are gone after at most so long. */
static bool left_wait(const char *mark)
{
	struct timespec nap = { .tv_nsec = 50000000 };

	for (int i = 0; i < LEFT_WAIT_S * 20; i++) {
		if (!left_signal(mark, 0))
			return true;
		nanosleep(&nap, NULL);
	}
	return false;
}

void sweep_left_end(const struct sweep *sweep)
{
	char *mark;

	if (asprintf(&mark, SWEEP_VARIABLE "=%s", sweep->folder) < 0)
		return;
	if (left_signal(mark, SIGTERM) && !left_wait(mark)) {
		left_signal(mark, SIGKILL);
		if (!left_wait(mark))
			log_warn("processes of an earlier sweep still run and disturb this one");
	}
	free(mark);
}
