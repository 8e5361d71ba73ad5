/*
 * torch_fiber.c - a call on the stack of a coroutine, with no memory behind its end; see
 * torch_bytes.sh.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { SIZE = 1 << 16, STEP = 16 << 20 };

static ucontext_t here, there;
static int fd;

static void body(void)
{
	(void)!write(fd, "x", 1);
	swapcontext(&there, &here);
}

/* Below the thread's own stack. */
static void *run(void *failed)
{
	uintptr_t below = (uintptr_t)pthread_self() & -(uintptr_t)SIZE;
	void *memory = MAP_FAILED;

	for (int i = 0; i < 1000 && memory == MAP_FAILED; i++)
		memory = mmap((void *)(below -= STEP), 2 * SIZE, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (memory == MAP_FAILED || mprotect(memory, SIZE, PROT_READ | PROT_WRITE))
		return failed;
	getcontext(&there);
	there.uc_stack.ss_sp = memory;
	there.uc_stack.ss_size = SIZE;
	makecontext(&there, body, 0);
	swapcontext(&here, &there);
	return NULL;
}

/* The first call of a thread. 0, or another number: it failed. */
int fiber_write(int to)
{
	pthread_t thread;
	void *failed = NULL;

	fd = to;
	return pthread_create(&thread, NULL, run, &fd) || pthread_join(thread, &failed) || failed;
}
