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

static int exit_status;
static bool exit_called;

/* Only notes the status: handlers of atexit still run, and what they do is recorded. */
TACHO_EXPORT void exit(int status)
{
	__typeof__(&exit) real = (__typeof__(&exit))real_symbol("exit");

	exit_status = status;
	exit_called = true;
	real(status);
	__builtin_unreachable();
}

TACHO_EXPORT void _exit(int status)
{
	__typeof__(&_exit) real = (__typeof__(&_exit))real_symbol("_exit");

	process_end(END_QUICK_EXIT, status);
	real(status);
	__builtin_unreachable();
}

TACHO_EXPORT void _Exit(int status)
{
	_exit(status);
}

TACHO_EXPORT void quick_exit(int status)
{
	__typeof__(&quick_exit) real = (__typeof__(&quick_exit))real_symbol("quick_exit");

	process_end(END_QUICK_EXIT, status);
	real(status);
	__builtin_unreachable();
}

/* A preloaded library is finished late. A return from main does not pass the wrapper of exit. */
__attribute__((destructor)) static void finish(void)
{
	process_end(exit_called ? END_EXIT : END_RETURN, exit_status);
}
