/*
 * collector_load.c - programs for the collector's tests, one per first argument. Each does a known
 * number of calls and prints its results.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tacho.h"

static char *self;

/* `n` reads of `size` bytes at rising offsets of /dev/zero. */
static void reads(int n, size_t size)
{
	char buf[128];
	int fd = open("/dev/zero", O_RDONLY);

	for (int i = 0; i < n; i++)
		if (pread(fd, buf, size, i) != (ssize_t)size)
			exit(9);
	close(fd);
}

static int do_reads(char **argv)
{
	reads(atoi(argv[0]), 100);
	return 0;
}

static int do_nothing(char **argv)
{
	(void)argv;
	return 0;
}

/* A child by fork, that leaves by _exit as multiprocessing's do. */
static int do_fork(char **argv)
{
	int status;

	(void)argv;
	reads(3, 10);
	if (!fork()) {
		reads(5, 20);
		_exit(7);
	}
	wait(&status);
	return WEXITSTATUS(status) == 7 ? 0 : 1;
}

/* vfork, calls in the child, a failing exec and a good one; then the parent continues. */
static int do_vfork(char **argv)
{
	char *const child[] = { self, (char *)"reads", (char *)"4", NULL };

	(void)argv;
	reads(2, 10);
	if (!vfork()) {
		dup2(2, 1);
		execv("/nowhere/at/all", child);
		execv(self, child);
		_exit(1);
	}
	wait(NULL);
	reads(2, 10);
	return 0;
}

static int do_exec(char **argv)
{
	reads(1, 10);
	return execl(self, self, "reads", argv[0], (char *)NULL);
}

/* A forked child that becomes a program which is not recorded, after an exec that failed. */
static int do_become(char **argv)
{
	char *const shell[] = { (char *)"sh", (char *)"-c", (char *)"exit 0", NULL };
	int status = 0;

	reads(2, 10);
	if (!fork()) {
		reads(2, 20);
		execv("/nowhere/at/all", shell);
		reads(1, 20);
		if (!strcmp(argv[0], "killed"))
			abort();
		execv("/bin/sh", shell);
		_exit(1);
	}
	wait(&status);
	return !!strcmp(argv[0], "killed") == !!status;
}

static int do_system(char **argv)
{
	char command[4200];
	FILE *fp;

	(void)argv;
	reads(1, 10);
	snprintf(command, sizeof(command), "'%s' reads 2; exit 5", self);
	if (WEXITSTATUS(system(command)) != 5)
		return 1;
	fp = popen("printf out; exit 3", "r");
	return fp && fgetc(fp) == 'o' && WEXITSTATUS(pclose(fp)) == 3 ? 0 : 1;
}

static int do_leave(char **argv)
{
	reads(2, 10);
	if (!strcmp(argv[0], "_exit"))
		_exit(4);
	if (!strcmp(argv[0], "quick_exit"))
		quick_exit(4);
	if (!strcmp(argv[0], "exit"))
		exit(4);
	if (!strcmp(argv[0], "abort"))
		abort();
	return 4;
}

static void *thread_reads(void *arg)
{
	reads(*(int *)arg, 10);
	return NULL;
}

static int do_threads(char **argv)
{
	int n = atoi(argv[0]), each = atoi(argv[1]);
	pthread_t thread[64];

	for (int i = 0; i < n; i++)
		pthread_create(&thread[i], NULL, thread_reads, &each);
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

/* Calls for ever; shared memory, in the file named, has the number of calls that returned. */
static int do_count(char **argv)
{
	int fd = open(argv[0], O_RDWR), zero = open("/dev/zero", O_RDONLY);
	_Atomic unsigned long *done = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	char buf[16];

	for (;;) {
		if (pread(zero, buf, sizeof(buf), 0) < 0)
			return 1;
		++*done;
	}
}

/* Blocks in a read for ever. */
static int do_hang(char **argv)
{
	int ends[2];
	char c;

	(void)argv;
	reads(1, 10);
	return pipe(ends) || read(ends[0], &c, 1) != 1;
}

static int handled;
static int null_fd;

static void on_alarm(int number)
{
	int saved = errno;

	(void)number;
	for (int i = 0; i < 3; i++)
		if (write(null_fd, "x", 1) == 1)
			handled++;
	errno = saved;
}

/* A signal handler that writes, fired as often as the timer can, over a tight loop of calls. */
static int do_signals(char **argv)
{
	struct itimerval timer = { { 0, 100 }, { 0, 100 } };
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	int n = atoi(argv[0]);

	null_fd = open("/dev/null", O_WRONLY);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	reads(n, 10);
	memset(&timer, 0, sizeof(timer));
	setitimer(ITIMER_REAL, &timer, NULL);
	printf("%d\n", handled);
	return 0;
}

/* errno and results; run with and without the library the output must be the same. */
static int do_results(char **argv)
{
	char buf[64] = "";
	FILE *fp;
	int fd;

	(void)argv;
	errno = 77;
	fd = open("/nowhere", O_RDONLY);
	printf("open %d %d\n", fd, errno);
	errno = 77;
	printf("read %zd %d\n", read(-1, buf, 1), errno);
	errno = 77;
	printf("pread %zd %d\n", pread(12345, buf, 1, 0), errno);
	errno = 77;
	printf("close %d %d\n", close(-1), errno);
	errno = 77;
	fd = open("/proc/self/status", O_RDONLY);
	printf("open %d %d\n", fd, errno);
	printf("read %zd %d\n", read(fd, buf, 5), errno);
	printf("lseek %ld %d\n", (long)lseek(fd, 3, SEEK_SET), errno);
	printf("dup2 %d %d\n", dup2(fd, 40), errno);
	printf("fcntl %d %d\n", fcntl(fd, F_DUPFD, 60), errno);
	printf("close %d %d\n", close(fd), errno);
	fp = fopen("/nowhere", "r");
	printf("fopen %d %d\n", fp != NULL, errno);
	errno = 77;
	fp = fopen("/proc/self/cmdline", "r");
	printf("fread %zu %d\n", fread(buf, 1, 1, fp), errno);
	printf("fclose %d %d\n", fclose(fp), errno);
	printf("sprintf %d\n", fprintf(stdout, "%d %s\n", 5, "x"));
	printf("close_range %d\n", close_range(3, 2000, 0));
	fd = open("/dev/zero", O_RDONLY);
	printf("open %d\n", fd);
	return 0;
}

/* Closes everything it can, its standard streams too, then works on. */
static int do_close_all(char **argv)
{
	(void)argv;
	reads(2, 10);
	for (int fd = 0; fd < 1024; fd++)
		close(fd);
	reads(2, 10);
	return 0;
}

static int do_marks(char **argv)
{
	int n = atoi(argv[0]);

	tacho_phase_begin("train");
	for (int i = 0; i < n; i++) {
		tacho_step_begin((uint64_t)i);
		reads(1, 10);
		tacho_step_end(32);
	}
	tacho_phase_end();
	return 0;
}

/* The initial thread ends first; the process must end with the last of the others. */
static int do_main_first(char **argv)
{
	static int n = 3;
	pthread_t thread;

	(void)argv;
	tacho_phase_begin("train"); /* the library's own thread runs from here on */
	pthread_create(&thread, NULL, thread_reads, &n);
	pthread_exit(NULL);
}

static void *thread_lingers(void *arg)
{
	usleep(300000);
	return thread_reads(arg);
}

static void *thread_stays(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/*
 * The initial thread leaves by a system call, which runs no destructor; with "thread" another one
 * continues. The process must end with the last of them, with the initial thread's status. With
 * "stays" it continues until a signal.
 */
static int do_main_leaves(char **argv)
{
	static int n = 3;
	pthread_t thread;

	tacho_phase_begin("train"); /* the library's own thread runs from here on */
	if (!strcmp(argv[0], "thread"))
		pthread_create(&thread, NULL, thread_lingers, &n);
	if (!strcmp(argv[0], "stays"))
		pthread_create(&thread, NULL, thread_stays, NULL);
	return (int)syscall(SYS_exit, 5);
}

/*
 * How many descriptors the program gets while the library's own thread runs: the most of several
 * times, since that thread opens files for some microseconds each.
 */
static int do_descriptors(char **argv)
{
	int fd[4096], n, most = 0;

	(void)argv;
	tacho_phase_begin("train");
	for (int round = 0; round < 8; round++) {
		usleep(50000);
		for (n = 0; n < 4096 && (fd[n] = open("/dev/zero", O_RDONLY)) >= 0; n++)
			;
		most = n > most ? n : most;
		while (n > 0)
			close(fd[--n]);
	}
	printf("%d\n", most);
	return 0;
}

/* Children that make 100 reads themselves and 200 in a thread. */
static void *thread_forks(void *arg)
{
	static int each = 200;
	pthread_t thread;

	for (int i = 0; i < 5; i++) {
		pid_t pid = fork();

		if (!pid) {
			reads(100, 10);
			pthread_create(&thread, NULL, thread_reads, &each);
			pthread_join(thread, NULL);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	return arg;
}

/* Ten threads that come, read 1,000 times and go, while two others fork. Three times. */
static int do_storm(char **argv)
{
	static int each = 1000;
	pthread_t thread[12];

	(void)argv;
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 12; i++)
			pthread_create(&thread[i], NULL, i % 6 ? thread_reads : thread_forks,
				&each);
		for (int i = 0; i < 12; i++)
			pthread_join(thread[i], NULL);
	}
	return 0;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void unlock(void *arg)
{
	pthread_mutex_unlock(arg);
}

static void *thread_waits(void *arg)
{
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(unlock, &mutex);
	for (;;)
		pthread_cond_wait(&never, &mutex);
	pthread_cleanup_pop(1);
	return arg;
}

/* A thread is cancelled inside a wrapped call. */
static int do_cancel(char **argv)
{
	pthread_t thread;
	void *value;

	(void)argv;
	reads(1, 10);
	pthread_create(&thread, NULL, thread_waits, NULL);
	usleep(20000);
	pthread_cancel(thread);
	pthread_join(thread, &value);
	return value != PTHREAD_CANCELED || pthread_mutex_trylock(&mutex);
}

/* A thread with the smallest stack makes the process join. */
static int do_small_stack(char **argv)
{
	static int each = 5;
	pthread_attr_t attr;
	pthread_t thread;

	(void)argv;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 16384);
	return pthread_create(&thread, &attr, thread_reads, &each) || pthread_join(thread, NULL);
}

/* A child connects after 20 ms. */
static int do_accept(char **argv)
{
	struct sockaddr_un name = { AF_UNIX, "" }; /* the kernel gives it one */
	socklen_t size = sizeof(name);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)argv;
	if (bind(fd, (struct sockaddr *)&name, sizeof(name.sun_family)) || listen(fd, 1) ||
		getsockname(fd, (struct sockaddr *)&name, &size))
		return 1;
	if (!fork()) {
		usleep(20000);
		_exit(connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&name, size));
	}
	return accept(fd, NULL, NULL) < 0;
}

static void spin(int ms)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < ms);
}

/*
 * Works for 150 ms, then reports it by that descriptor. A program that is started begins with its
 * first call.
 */
static int do_handed(char **argv)
{
	if (strcmp(argv[1], "exec") == 0)
		reads(1, 100);
	spin(150);
	return write(atoi(argv[0]), "x", 1) != 1;
}

/*
 * After 60 ms a child that begins without a signal, by fork or as a separate program, and reports
 * by a pipe or a pair of sockets when it is done: "hand pipe|sockets fork|exec".
 */
static int do_hand(char **argv)
{
	char c, fd[16], *handed[] = { self, (char[]){ "handed" }, fd, argv[1], NULL };
	int ends[2];

	if (strcmp(argv[0], "sockets") == 0 ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends)
					    : pipe(ends))
		return 1;
	snprintf(fd, sizeof(fd), "%d", ends[1]);
	reads(1, 100);
	spin(60);
	if (!fork()) {
		if (strcmp(argv[1], "exec") == 0)
			execv(self, handed);
		_exit(do_handed(handed + 2));
	}
	if (read(ends[0], &c, 1) != 1)
		return 1;
	spin(30);
	return wait(NULL) < 0;
}

static const struct {
	const char *name;
	int (*run)(char **argv);
} loads[] = {
	{ "reads", do_reads },
	{ "nothing", do_nothing },
	{ "fork", do_fork },
	{ "vfork", do_vfork },
	{ "hand", do_hand },
	{ "accept", do_accept },
	{ "handed", do_handed },
	{ "exec", do_exec },
	{ "become", do_become },
	{ "system", do_system },
	{ "leave", do_leave },
	{ "threads", do_threads },
	{ "count", do_count },
	{ "hang", do_hang },
	{ "signals", do_signals },
	{ "results", do_results },
	{ "close_all", do_close_all },
	{ "marks", do_marks },
	{ "main_first", do_main_first },
	{ "main_leaves", do_main_leaves },
	{ "descriptors", do_descriptors },
	{ "storm", do_storm },
	{ "cancel", do_cancel },
	{ "small_stack", do_small_stack },
};

int main(int argc, char **argv)
{
	self = realpath("/proc/self/exe", NULL);
	for (size_t i = 0; argc > 1 && i < sizeof(loads) / sizeof(*loads); i++)
		if (!strcmp(argv[1], loads[i].name))
			return loads[i].run(argv + 2);
	fprintf(stderr, "usage: collector_load LOAD [ARGUMENT…]\n");
	return 2;
}
