/*
 * entry.h - the exported names of libc's functions. A library of the program may define a function
 * of the same name that means something else, connect(host, port) for example. So each name is a few
 * instructions of assembly that touch no argument: they jump to the wrapper, which has a hidden name,
 * where the next definition is libc's, and to that definition where it is another's.
 */
#ifndef COLLECTOR_ENTRY_H
#define COLLECTOR_ENTRY_H

#include "core/span.h"

#if defined(__x86_64__) || defined(__aarch64__)
#define TACHO_WRAPPED(name) __asm__("tacho_wrap_" #name) HIDDEN
#else /* nothing is before the wrapper */
#define TACHO_WRAPPED(name) __asm__(#name) TACHO_EXPORT
#endif

/* Before the definition of a wrapper; entry.c exports its name. */
#define TACHO_WRAP(name) extern __typeof__(name) name TACHO_WRAPPED(name);

#if defined(__x86_64__) || defined(__aarch64__)
#define ENTRY_VFORK(ENTRY) ENTRY(vfork)
#else /* no function of C can be before it */
#define ENTRY_VFORK(ENTRY)
#endif

/* Wrappers of libc's functions that no table of calls has. */
#define ENTRY_OTHERS(ENTRY)                                                                        \
	ENTRY(execve)                                                                              \
	ENTRY_VFORK(ENTRY)                                                                         \
	ENTRY(chdir)                                                                               \
	ENTRY(fchdir)                                                                              \
	ENTRY(kill)                                                                                \
	ENTRY(killpg)                                                                              \
	ENTRY(execv)                                                                               \
	ENTRY(execvpe)                                                                             \
	ENTRY(execvp)                                                                              \
	ENTRY(fexecve)                                                                             \
	ENTRY(execveat)                                                                            \
	ENTRY(execl)                                                                               \
	ENTRY(execlp)                                                                              \
	ENTRY(execle)                                                                              \
	ENTRY(posix_spawn)                                                                         \
	ENTRY(posix_spawnp)                                                                        \
	ENTRY(popen)                                                                               \
	ENTRY(prctl)                                                                               \
	ENTRY(syscall)                                                                             \
	ENTRY(exit)                                                                                \
	ENTRY(_exit)                                                                               \
	ENTRY(_Exit)                                                                               \
	ENTRY(quick_exit)                                                                          \
	ENTRY(chroot)                                                                              \
	ENTRY(setuid)                                                                              \
	ENTRY(seteuid)                                                                             \
	ENTRY(setreuid)                                                                            \
	ENTRY(setresuid)                                                                           \
	ENTRY(unshare)                                                                             \
	ENTRY(setns)                                                                               \
	ENTRY(mlockall)                                                                            \
	ENTRY(munlockall)                                                                          \
	ENTRY(longjmp)                                                                             \
	ENTRY(_longjmp)                                                                            \
	ENTRY(siglongjmp)                                                                          \
	ENTRY(__longjmp_chk)

#endif
