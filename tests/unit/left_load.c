/*
 * Calls that are left without a return, and some that are not: `left_load WAY`. Writes to the file
 * "left" follow from deeper frames, and one of 100 bytes from that of main.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

enum { ROUNDS = 1000 /* every 10th writes 10 bytes: 1,000, and the last 100 */, STACK = 64 << 10 };

static sigjmp_buf back;
static int ends[2], file;
static char byte;

static void handler(int sig)
{
	(void)sig;
	siglongjmp(back, 1);
}

/* Deep enough that the frames of the left calls are above. */
static __attribute__((noinline)) void write_deep(int depth, size_t n)
{
	volatile char room[200];

	memset((char *)room, depth, sizeof(room));
	if (depth)
		write_deep(depth - 1, n);
	else if (write(file, (const char *)room, n) != (ssize_t)n)
		exit(1);
	room[0] = 1;
}

static __attribute__((noinline)) void read_until_alarm(void)
{
	struct itimerval soon = { .it_value = { .tv_usec = 100 } };

	setitimer(ITIMER_REAL, &soon, NULL);
	for (;;)
		if (read(ends[0], &byte, 1) <
			0) /* the handler leaves from here, or from just before */
			exit(1);
}

static void jump(int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
	static char other[STACK];
	stack_t stack = { .ss_sp = other, .ss_size = sizeof(other) };

	sigaltstack(&stack, NULL);
	sigaction(SIGALRM, &action, NULL);
	for (volatile int i = 0; i < ROUNDS; i++) {
		if (!sigsetjmp(back, 1))
			read_until_alarm();
		if (i % 10 == 0)
			write_deep(3, 10);
	}
}

/* A handler on a separate stack that writes and returns: the call around it continues. */
static void write_in_handler(int sig)
{
	(void)sig;
	write_deep(3, 1000);
}

static void nest(void)
{
	struct sigaction action = { .sa_handler = write_in_handler,
		.sa_flags = SA_ONSTACK | SA_RESTART };
	static char other[STACK];
	stack_t stack = { .ss_sp = other, .ss_size = sizeof(other) };
	struct itimerval soon = { .it_value = { .tv_usec = 50000 } };

	sigaltstack(&stack, NULL);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	usleep(200000);
}

/* Two coroutines take turns; one is in a call, sleeping, when a handler runs the other. */
static ucontext_t here, there;

static void coroutine(void)
{
	for (;;) {
		write_deep(2, 500);
		swapcontext(&there, &here);
	}
}

static void run_other(int sig)
{
	(void)sig;
	swapcontext(&here, &there);
}

static void coroutines(void)
{
	struct sigaction action = { .sa_handler = run_other, .sa_flags = SA_RESTART };
	char *stack = malloc(4 * STACK);

	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = 4 * STACK;
	makecontext(&there, coroutine, 0);
	sigaction(SIGALRM, &action, NULL);
	for (int i = 0; i < 2; i++) {
		struct itimerval soon = { .it_value = { .tv_usec = 50000 } };

		setitimer(ITIMER_REAL, &soon, NULL);
		usleep(200000);
	}
}

static void *reader(void *arg)
{
	(void)arg;
	return (void *)(intptr_t)read(ends[0], &byte, 1);
}

static void cleanup(void *arg)
{
	(void)arg;
	write_deep(2, 1000);
}

static void *cancelled(void *arg)
{
	pthread_cleanup_push(cleanup, NULL);
	reader(arg);
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancel(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, cancelled, NULL))
		exit(1);
	usleep(50000);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";

	file = open("left", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (file < 0 || pipe(ends) < 0)
		return 1;
	if (!strcmp(way, "jump"))
		jump(0);
	else if (!strcmp(way, "jump_other_stack"))
		jump(SA_ONSTACK);
	else if (!strcmp(way, "nest"))
		nest();
	else if (!strcmp(way, "coroutines"))
		coroutines();
	else if (!strcmp(way, "cancel"))
		cancel();
	else
		return 2;
	return write(file, argv, 100) == 100 ? 0 : 1;
}
