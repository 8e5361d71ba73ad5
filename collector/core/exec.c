/*
 * exec.c - wrappers of the calls that start another program. A recorded
 * process names the program whose descendant it is, in TACHO_PARENT of the
 * new environment; its own environment stays as it is. All of it lives on the
 * stack: under vfork the child works in its parent's memory, and a successful
 * exec never returns.
 *
 * An exec that succeeds leaves no end behind, and the new program may be one that is not
 * recorded. So the process's state says that exec was called, and where it fails that it was not.
 */
#include "config.h"

#include <alloca.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/join.h"
#include "core/process.h"
#include "core/real.h"
#include "core/sandbox.h"
#include "core/span.h"
#include "core/sys.h"
#include "tacho/launcher.h"

#define PARENT "TACHO_PARENT="

extern char **environ;

/* Whether the calling process, or the one whose memory it borrows, is recorded. */
static bool recorded(void)
{
	return atomic_load_explicit(tacho_gate, memory_order_relaxed) == GATE_OPEN ||
		tacho_process.pid;
}

/*
 * Not in a child made by vfork: the state is its parent's. Nor in a forked one that has none yet.
 */
static void replaced_note(uint64_t ticks)
{
	if (!sandbox_is_on() && tacho_process.is_open && tacho_process.state &&
		tacho_process.pid == sys_pid())
		atomic_store_explicit(&tacho_process.state->replaced, ticks, memory_order_release);
}

/* It has come back, so it has failed. */
static int replaced_not(int ret)
{
	replaced_note(0);
	return ret;
}

static void replaced_now(void)
{
	if (!sandbox_is_on())
		replaced_note(clock_ticks());
}

#define REPLACED(call) (replaced_now(), replaced_not(call))

static size_t count(char *const list[])
{
	size_t n = 0;

	while (list && list[n])
		n++;
	return n;
}

static char parent_kind(void)
{
	const struct process *p = &tacho_process;

	return (char)(p->is_child	    ? PARENT_CHILD
			: p->ranks.rank < 0 ? PARENT_UNRANKED
					    : PARENT_RANK);
}

/* Fills `copy`, of count(envp) + 2 pointers, with `envp` and the variable. */
static char **with_parent(char **copy, char *variable, size_t size, char *const envp[])
{
	const char *name = strrchr(tacho_process.folder, '/');
	size_t n = 0;

	process_count_jailed();
	snprintf(variable, size, PARENT "%s:%c", name ? name + 1 : "", parent_kind());
	for (size_t i = 0; envp && envp[i]; i++)
		if (strncmp(envp[i], PARENT, sizeof(PARENT) - 1))
			copy[n++] = envp[i];
	copy[n++] = variable;
	copy[n] = NULL;
	return copy;
}

/* The environment for a new program, on the caller's stack. */
#define CHILD_ENVIRONMENT(envp)                                                                    \
	(recorded() ? with_parent(alloca((count(envp) + 2) * sizeof(char *)), alloca(PARENT_SIZE), \
			      PARENT_SIZE, envp)                                                   \
		    : (char **)(uintptr_t)(envp))
#define PARENT_SIZE (sizeof(PARENT) + NAME_MAX + 4)

/*
 * The arguments for a new program, on the caller's stack: Open MPI's launcher is given what to hand
 * on.
 */
#define ARGUMENTS(file, search, argv, envp)                                                        \
	arguments(alloca_room(launcher_room(file, search, argv, envp)), argv, envp)
#define alloca_room(n)                                                                             \
	__extension__({                                                                            \
		size_t n_ = (n);                                                                   \
		n_ ? (char **)alloca(n_ * sizeof(char *)) : NULL;                                  \
	})

static char *const *arguments(char **room, char *const argv[], char *const envp[])
{
	return room ? launcher_arguments(room, argv, envp) : argv;
}

/*
 * Looked up each time: exec is slow, and a table shared with a vfork parent is one thing less to
 * think of.
 */
#define NEXT(name) ((__typeof__(&name))real_libc(#name))

TACHO_WRAP(execve)
int execve(const char *path, char *const argv[], char *const envp[])
{
	return REPLACED(
		NEXT(execve)(path, ARGUMENTS(path, false, argv, envp), CHILD_ENVIRONMENT(envp)));
}

TACHO_WRAP(execv)
int execv(const char *path, char *const argv[])
{
	return REPLACED(NEXT(
		execve)(path, ARGUMENTS(path, false, argv, environ), CHILD_ENVIRONMENT(environ)));
}

TACHO_WRAP(execvpe)
int execvpe(const char *file, char *const argv[], char *const envp[])
{
	return REPLACED(
		NEXT(execvpe)(file, ARGUMENTS(file, true, argv, envp), CHILD_ENVIRONMENT(envp)));
}

TACHO_WRAP(execvp)
int execvp(const char *file, char *const argv[])
{
	return REPLACED(NEXT(
		execvpe)(file, ARGUMENTS(file, true, argv, environ), CHILD_ENVIRONMENT(environ)));
}

TACHO_WRAP(fexecve)
int fexecve(int fd, char *const argv[], char *const envp[])
{
	return REPLACED(NEXT(fexecve)(fd, argv, CHILD_ENVIRONMENT(envp)));
}

TACHO_WRAP(execveat)
int execveat(int dir, const char *path, char *const argv[], char *const envp[], int flags)
{
	return REPLACED(NEXT(execveat)(dir, path, argv, CHILD_ENVIRONMENT(envp), flags));
}

/*
 * The arguments of execl and its kin become an array on the caller's stack;
 * `list` is left after the NULL that ends them.
 */
static size_t list_count(const char *first, va_list *list)
{
	size_t n = 0;

	for (const char *arg = first; arg; arg = va_arg(*list, const char *))
		n++;
	return n;
}

static void list_fill(char **argv, const char *first, va_list *list)
{
	size_t n = 0;

	for (const char *arg = first; arg; arg = va_arg(*list, const char *))
		argv[n++] = (char *)(uintptr_t)arg;
	argv[n] = NULL;
}

#define LIST(list, argv, first)                                                                    \
	va_start(list, first);                                                                     \
	argv = alloca((list_count(first, &list) + 1) * sizeof(char *));                            \
	va_end(list);                                                                              \
	va_start(list, first);                                                                     \
	list_fill(argv, first, &list)

TACHO_WRAP(execl)
int execl(const char *path, const char *arg, ...)
{
	va_list list;
	char **argv;

	LIST(list, argv, arg);
	va_end(list);
	return REPLACED(NEXT(
		execve)(path, ARGUMENTS(path, false, argv, environ), CHILD_ENVIRONMENT(environ)));
}

TACHO_WRAP(execlp)
int execlp(const char *file, const char *arg, ...)
{
	va_list list;
	char **argv;

	LIST(list, argv, arg);
	va_end(list);
	return REPLACED(NEXT(
		execvpe)(file, ARGUMENTS(file, true, argv, environ), CHILD_ENVIRONMENT(environ)));
}

TACHO_WRAP(execle)
int execle(const char *path, const char *arg, ...)
{
	char *const *envp;
	va_list list;
	char **argv;

	LIST(list, argv, arg);
	envp = va_arg(list, char *const *);
	va_end(list);
	return REPLACED(
		NEXT(execve)(path, ARGUMENTS(path, false, argv, envp), CHILD_ENVIRONMENT(envp)));
}

TACHO_WRAP(posix_spawn)
int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	return NEXT(posix_spawn)(pid, path, actions, attr, ARGUMENTS(path, false, argv, envp),
		CHILD_ENVIRONMENT(envp));
}

TACHO_WRAP(posix_spawnp)
int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	return NEXT(posix_spawnp)(pid, file, actions, attr, ARGUMENTS(file, true, argv, envp),
		CHILD_ENVIRONMENT(envp));
}

/*
 * libc starts the shell of these by itself, past the wrappers: the shell gets it in its first
 * words.
 */
static const char *shell_command(char *text, size_t size, const char *command)
{
	const char *name = strrchr(tacho_process.folder, '/');

	snprintf(text, size, "export " PARENT "'%s:%c'; %s", name ? name + 1 : "", parent_kind(),
		command);
	return text;
}

#define SHELL_COMMAND(command)                                                                     \
	(recorded() && (command) ? shell_command(alloca(strlen(command) + SHELL_SIZE),             \
					   strlen(command) + SHELL_SIZE, command)                  \
				 : (command))
#define SHELL_SIZE (PARENT_SIZE + sizeof("export ''; "))

TACHO_WRAP(system)
int system(const char *command)
{
	struct span span = span_enter(REGION_system, 0);
	int ret = NEXT(system)(SHELL_COMMAND(command));

	span_leave(&span, SPOOL_SYNC, SPOOL_SYNC_MISS, (uint64_t[]){ 0 }, 1); /* for its child */
	return ret;
}

TACHO_WRAP(popen)
FILE *popen(const char *command, const char *mode)
{
	return NEXT(popen)(SHELL_COMMAND(command), mode);
}
