/*
 * end.c - the orderly ends of a process: exit, quick_exit, _exit, return from
 * main. Each writes DEF_END once. Whatever ends otherwise (a signal, abort)
 * leaves none, and needs none: the spools are complete at any time.
 */
#include "config.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/process.h"
#include "core/real.h"
#include "core/sandbox.h"
#include "core/sys.h"

static int exit_status;
static bool exit_called;

/*
 * Notes the status of a return from main, which passes no wrapper; the C library reports it.
 * Registered before everything else, so called last, after finish().
 */
static void status_note(int status, void *unused)
{
	struct process *p = &tacho_process;

	(void)unused;
	if (!sandbox_is_on() && p->state && p->pid == sys_pid())
		atomic_store(&p->state->exited, 1 + (uint32_t)(status & 0xff));
}

__attribute__((constructor)) static void watch(void)
{
	on_exit(status_note, NULL);
}

/* Only notes the status: handlers of atexit still run, and their calls are recorded. */
TACHO_WRAP(exit)
void exit(int status)
{
	__typeof__(&exit) real = (__typeof__(&exit))real_libc("exit");

	exit_status = status;
	exit_called = true;
	real(status);
	__builtin_unreachable();
}

TACHO_WRAP(_exit)
void _exit(int status)
{
	__typeof__(&_exit) real = (__typeof__(&_exit))real_libc("_exit");

	process_end(END_QUICK_EXIT, status);
	real(status);
	__builtin_unreachable();
}

TACHO_WRAP(_Exit)
void _Exit(int status)
{
	_exit(status);
}

TACHO_WRAP(quick_exit)
void quick_exit(int status)
{
	__typeof__(&quick_exit) real = (__typeof__(&quick_exit))real_libc("quick_exit");

	process_end(END_QUICK_EXIT, status);
	real(status);
	__builtin_unreachable();
}

/* A preloaded library is finished late. The status of a return from main comes later still. */
__attribute__((destructor)) static void finish(void)
{
	process_end(exit_called ? END_EXIT : END_RETURN, exit_status);
}
