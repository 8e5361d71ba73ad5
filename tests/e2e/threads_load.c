/*
 * threads_load.c - threads that make no call that is recorded, as OpenMP's do: each burns CPU time
 * of its own that it says, in ms; the main thread the first of them.
 *
 *	threads_load MS...
 *
 * Instead of a thread, -1: one that waits in none that is recorded, between two that are; -2: one that
 * sends 4 MB to a child, and computes for 20 ms.
 */
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double ran_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static _Atomic int nready, never;

static void carry(void)
{
	static char bytes[1 << 20];
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t room = sizeof(at);
	int door = socket(AF_INET, SOCK_STREAM, 0), to;
	size_t sent = 0;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(door, (struct sockaddr *)&at, room) || listen(door, 1) ||
		getsockname(door, (struct sockaddr *)&at, &room))
		exit(1);
	if (!fork()) {
		to = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(to, (struct sockaddr *)&at, room))
			_exit(1);
		while (read(to, bytes, sizeof(bytes)) > 0)
			;
		_exit(0);
	}
	to = accept(door, NULL, NULL);
	for (ssize_t n = 1; n > 0 && sent < 4 * sizeof(bytes); sent += (size_t)n)
		n = write(to, bytes, 1 << 16);
	close(to);
	while (ran_ms() < 20)
		;
	close(door);
}

static void *burn(void *ms)
{
	if (atof(ms) == -2)
		carry();
	else if (atof(ms) < 0) {
		fflush(stdout);
		syscall(SYS_nanosleep, &(struct timespec){ .tv_nsec = 300000000 }, NULL);
		fflush(stdout);
	}
	while (ran_ms() < atof(ms))
		;
	nready++;
	for (;;) /* a pool's threads stay */
		syscall(SYS_futex, &never, 0, 0, NULL, NULL, 0);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[16];
	FILE *out = fopen("/dev/null", "w");

	/* calls enough for the library to begin its own thread */
	for (int i = 0; i < 200 && out; i++)
		fprintf(out, "%d", i), fflush(out);
	for (int i = 2; i < argc; i++)
		if (pthread_create(&threads[i], NULL, burn, argv[i]))
			return 1;
	while (ran_ms() < atof(argv[1]))
		;
	while (nready < argc - 2)
		syscall(SYS_nanosleep, &(struct timespec){ .tv_nsec = 1000000 }, NULL);
	return 0;
}
