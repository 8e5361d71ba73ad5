/*
 * folds_load.c - makes very many short calls one after the other, which a signal handler with calls
 * of its own interrupts, and prints how many: "CALL COUNT". Then it ends, or is killed
 * (folds_load kill). `folds_load slow` makes few calls, 1 ms or more after each other, `folds_load io`
 * wakes no thread before and after each call of I/O, and sometimes a thread that waits, `folds_load files`
 * opens, inspects, reads and closes files, and prints bytes as well.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static sem_t semaphore;
static volatile long nposts;

static void post(int signal)
{
	(void)signal;
	sem_post(&semaphore);
	nposts++;
}

static void handler_start(void)
{
	struct sigaction action = { .sa_handler = post };
	struct itimerval often = { { 0, 50 }, { 0, 50 } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
}

static void handler_stop(void)
{
	struct itimerval never = { { 0, 0 }, { 0, 0 } };

	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_IGN);
}

static int slow(void)
{
	for (int i = 0; i < 1200; i++)
		usleep(1000);
	return 0;
}

static struct {
	pthread_mutex_t mutex;
	pthread_cond_t woken;
	int waits, ends;
} waiter = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0 };

static void *wait_often(void *unused)
{
	pthread_mutex_lock(&waiter.mutex);
	while (!waiter.ends) {
		waiter.waits = 1;
		while (waiter.waits)
			pthread_cond_wait(&waiter.woken, &waiter.mutex);
	}
	pthread_mutex_unlock(&waiter.mutex);
	return unused;
}

/* Once the thread waits. */
static void wake(int ends)
{
	pthread_mutex_lock(&waiter.mutex);
	while (!waiter.waits) {
		pthread_mutex_unlock(&waiter.mutex);
		sched_yield();
		pthread_mutex_lock(&waiter.mutex);
	}
	waiter.waits = 0;
	waiter.ends = ends;
	pthread_cond_signal(&waiter.woken);
	pthread_mutex_unlock(&waiter.mutex);
}

static void compute(long ns)
{
	struct timespec began, now;

	clock_gettime(CLOCK_MONOTONIC, &began);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - began.tv_sec) * 1000000000 + now.tv_nsec - began.tv_nsec < ns);
}

/* As an interpreter does with its lock. */
static int io(void)
{
	pthread_cond_t free = PTHREAD_COND_INITIALIZER, taken = PTHREAD_COND_INITIALIZER;
	static pthread_cond_t files[5]; /* which have a lock each */
	int fd = open("/dev/zero", O_RDONLY);
	struct stat status;
	pthread_t thread;

	pthread_create(&thread, NULL, wait_often, NULL);
	for (int i = 1; i <= 20000; i++) {
		pthread_cond_signal(&taken);
		pthread_cond_signal(&free);
		pthread_cond_signal(&files[i % 5]);
		compute(2000);
		if (i % 2)
			lseek(fd, 0, SEEK_SET);
		else
			stat("/", &status);
		if (i % 100)
			continue;
		wake(i == 20000);
		lseek(fd, 0, SEEK_SET);
	}
	pthread_join(thread, NULL);
	printf("pthread_cond_signal 60200\n");
	return 0;
}

static volatile long nseeks;

static void seek(int signal)
{
	(void)signal;
	lseek(STDOUT_FILENO, 0, SEEK_CUR);
	nseeks++;
}

/* Calls of few and of many bytes, that succeed and fail, on one file and in turn on two. */
static int files(int is_killed)
{
	static char buffer[100000];
	struct itimerval often = { { 0, 100 }, { 0, 100 } };
	struct sigaction action = { .sa_handler = seek, .sa_flags = SA_RESTART };
	int other = open("two", O_RDWR | O_CREAT, 0600);
	long n = 0, written = 0, got = 0, moved = 0, failed = 0;
	struct stat status;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (; n < 2000 || nseeks < 100; n++) {
		static const size_t sizes[] = { 1, 8190, 8191, sizeof(buffer) };
		int fd = open("one", O_RDWR | O_CREAT, 0600);

		fstat(fd, &status);
		written += write(fd, buffer, sizes[n % 4]);
		lseek(fd, 0, SEEK_SET);
		got += read(fd, buffer, sizeof(buffer));
		got += read(fd, buffer, sizeof(buffer));
		moved += write(other, buffer, 10);
		failed += read(-1, buffer, 1);
		stat("/", &status);
		close(fd);
		unlink("one");
	}
	handler_stop();
	printf("close %ld\nfstat %ld\nlseek %ld\nopen %ld\nread %ld\nstat %ld\nunlink %ld\nwrite %ld\n",
		n, n, n + nseeks, n + 1, 2 * n - failed, n, n, 2 * n);
	printf("one %ld %ld %ld %ld %ld\ntwo 1 0 %ld 0 %ld\n", n, 2 * n, n, got, written, n, moved);
	fflush(stdout);
	if (is_killed)
		raise(SIGKILL);
	return 0;
}

int main(int argc, char **argv)
{
	pthread_cond_t one = PTHREAD_COND_INITIALIZER, two = PTHREAD_COND_INITIALIZER;
	static pthread_cond_t many[100];
	struct epoll_event event;
	int fd = epoll_create1(0);
	long n = 0;

	if (argc > 1 && strcmp(argv[1], "slow") == 0)
		return slow();
	if (argc > 1 && strcmp(argv[1], "io") == 0)
		return io();
	if (argc > 1 && strcmp(argv[1], "files") == 0)
		return files(argc > 2);
	sem_init(&semaphore, 0, 0);
	handler_start();
	for (; n < 60000 || nposts < 100; n++) {
		epoll_wait(fd, &event, 1, 0);
		pthread_cond_broadcast(&one);
	}
	handler_stop();
	/* of three kinds, of two, then of more than a record has */
	for (int i = 0; i < 20000; i++) {
		pthread_cond_signal(&one);
		pthread_cond_signal(&two);
		poll(NULL, 0, 0);
	}
	for (int i = 0; i < 18000; i++)
		pthread_cond_signal(&one + i % 2 * (&two - &one));
	for (int i = 0; i < 2000; i++)
		pthread_cond_signal(&many[i % 100]);
	printf("epoll_wait %ld\npoll 20000\npthread_cond_broadcast %ld\npthread_cond_signal 60000\n",
		n, n);
	fflush(stdout);
	if (argc > 1 && strcmp(argv[1], "kill") == 0)
		raise(SIGKILL);
	return 0;
}
