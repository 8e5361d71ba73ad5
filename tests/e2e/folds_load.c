/*
 * folds_load.c - makes very many short calls one after the other, which a signal handler with calls
 * of its own interrupts, and prints how many: "CALL COUNT". Then it ends by itself, or as killed
 * (folds_load kill). `folds_load slow` makes few calls, 1 ms or more after each other.
 */
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/time.h>
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

int main(int argc, char **argv)
{
	pthread_cond_t one = PTHREAD_COND_INITIALIZER, two = PTHREAD_COND_INITIALIZER;
	struct epoll_event event;
	int fd = epoll_create1(0);
	long n = 0;

	if (argc > 1 && strcmp(argv[1], "slow") == 0)
		return slow();
	sem_init(&semaphore, 0, 0);
	handler_start();
	for (; n < 60000 || nposts < 100; n++) {
		epoll_wait(fd, &event, 1, 0);
		pthread_cond_broadcast(&one);
	}
	handler_stop();
	for (int i = 0; i < 20000; i++) { /* of three kinds, then of more than a record has */
		pthread_cond_signal(&one);
		pthread_cond_signal(&two);
		poll(NULL, 0, 0);
	}
	for (int i = 0; i < 20000; i++)
		pthread_cond_signal(&one + i % 2 * (&two - &one));
	printf("epoll_wait %ld\npoll 20000\npthread_cond_broadcast %ld\npthread_cond_signal 60000\n",
		n, n);
	fflush(stdout);
	if (argc > 1 && strcmp(argv[1], "kill") == 0)
		raise(SIGKILL);
	return 0;
}
