/*
 * exec.c - wrappers of the calls that start another program. A recorded process names itself as the
 * parent of the new program, in TACHO_PARENT of the new environment; its own environment stays as
 * it is. All of it lives on the stack: under vfork the child works in its parent's memory, and a
 * successful exec never returns.
 *
 * An exec that succeeds leaves no end behind, and the new program may be one that is not
 * recorded. So the process's state states that exec was called, and where it fails that it was not.
 */
#include "config.h"

#include <alloca.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/rule.h"
#include "core/helper.h"
#include "core/process.h"
#include "core/real.h"
#include "core/sandbox.h"
#include "core/source.h"
#include "core/span.h"
#include "core/sys.h"
#include "tacho/launcher.h"
#include "tacho/loader.h"

#define PARENT	    "TACHO_PARENT="
#define PARENT_SIZE (sizeof(PARENT) + NAME_MAX + 64) /* with four numbers */
#define PRELOAD	    "LD_PRELOAD="

enum { KEPT_MOST = 48 }; /* variables: there are half as many */

extern char **environ;

/* Whether the calling process is recorded, or (under vfork) the process that lends its memory. */
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

static _Atomic bool has_paused;

/* It has come back, so it has failed. */
static int replaced_not(int ret)
{
	int saved = errno;

	replaced_note(0);
	if (tacho_process.pid == sys_pid() && atomic_exchange(&has_paused, false))
		helper_resume();
	errno = saved;
	return ret;
}

static void replaced_now(void)
{
	if (sandbox_is_on())
		return;
	SOURCES_CALL(exec, );
	replaced_note(clock_ticks());
	if (helper_pause()) /* the new program shall not find a child that it has not made */
		atomic_store(&has_paused, true);
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

/* Fills `text`, of PARENT_SIZE. */
static void parent_write(char *text, const char *quote)
{
	const struct process *p = &tacho_process;
	const char *name = strrchr(p->folder, '/');

	snprintf(text, PARENT_SIZE, PARENT "%s%s:%c:%d:%d:%d:%d%s", quote, name ? name + 1 : "",
		parent_kind(), p->ranks.rank, p->ranks.size, p->ranks.local_rank,
		p->ranks.local_size, quote);
}

/* The library's start variables, for programs that start others with a new environment. */
static char kept_text[4 * PATH_MAX], *kept[KEPT_MOST + 1];
static size_t nkept, kept_bytes;

__attribute__((constructor)) static void variables_keep(void)
{
	size_t n;

	if (!launcher_library(environ, &n))
		return;
	for (char **at = environ; *at && nkept < KEPT_MOST; at++) {
		size_t size = strlen(*at) + 1;

		if (!launcher_variable(*at) || size > sizeof(kept_text) - kept_bytes)
			continue;
		kept[nkept++] = memcpy(kept_text + kept_bytes, *at, size);
		kept_bytes += size;
	}
}

static bool has_variable(char *const envp[], const char *entry)
{
	size_t n = strcspn(entry, "=") + 1;

	for (size_t i = 0; envp && envp[i]; i++)
		if (!strncmp(envp[i], entry, n))
			return true;
	return false;
}

/*
 * Fills `text` with an LD_PRELOAD that has this library in front, or with the one of `entry`
 * without it.
 */
static char *preload_change(char *text, const char *entry, bool is_with)
{
	char *at = text + sizeof(PRELOAD) - 1, *const own[] = { (char *)(uintptr_t)entry, NULL };
	const char *list = entry + sizeof(PRELOAD) - 1, *library;
	size_t n = 0;

	memcpy(text, PRELOAD, sizeof(PRELOAD));
	if (is_with) {
		library = launcher_library(kept, &n);
		memcpy(at, library, n);
		at[n] = ':';
		strcpy(at + n + (*list != '\0'), list);
		return text;
	}
	library = launcher_library(own, &n);
	memcpy(at, list, (size_t)(library - list));
	strcpy(at + (library - list), library + n + (library[n] != '\0'));
	return text;
}

/*
 * Fills `copy` with `envp` for a program: with the name of the process that starts it, and whatever
 * of the library's variables is missing, where that is recorded; without the library where it
 * cannot be loaded. `text` has room for an LD_PRELOAD and TACHO_PARENT.
 */
static char **environment_for(char **copy, char *text, char *const envp[], enum loader loader)
{
	size_t n = 0, length;

	for (size_t i = 0; envp && envp[i]; i++) {
		char *const one[] = { envp[i], NULL };
		bool is_preload = !strncmp(envp[i], PRELOAD, sizeof(PRELOAD) - 1);
		bool has_us = is_preload && launcher_library(one, &length);

		if (recorded() && !strncmp(envp[i], PARENT, sizeof(PARENT) - 1))
			continue;
		copy[n++] = envp[i];
		if (is_preload && has_us == (loader == LOADER_MUSL) && (has_us || recorded()))
			copy[n - 1] = preload_change(text + PARENT_SIZE, envp[i], !has_us);
	}
	for (size_t i = 0; recorded() && i < nkept; i++)
		if (!has_variable(envp, kept[i]) &&
			(loader != LOADER_MUSL || strncmp(kept[i], PRELOAD, sizeof(PRELOAD) - 1)))
			copy[n++] = kept[i];
	if (recorded()) {
		process_count_jailed();
		parent_write(text, "");
		copy[n++] = text;
	}
	copy[n] = NULL;
	return copy;
}

/*
 * How a program is loaded; one that a recorded process starts and that cannot be recorded is
 * counted.
 */
static enum loader loader_for(const char *file, bool search)
{
	const char *path = search ? launcher_value(environ, "PATH") : NULL;
	enum loader loader;

	if (!nkept)
		return LOADER_GLIBC;
	loader = loader_of(file, path);
	if (loader != LOADER_GLIBC && recorded() && !sandbox_is_on() &&
		!program_is_ignored(launcher_basename(file)))
		process_lose(LOSS_NOT_PRELOADED);
	return loader;
}

static size_t preload_bytes(char *const envp[])
{
	const char *preload = launcher_value(envp, "LD_PRELOAD");

	return preload ? sizeof(PRELOAD) + strlen(preload) + kept_bytes + 1 : 0;
}

/* The environment for a new program, on the caller's stack. */
#define CHILD_ENVIRONMENT(file, search, envp)                                                      \
	(recorded() || nkept ? environment_for(alloca((count(envp) + nkept + 2) * sizeof(char *)), \
				       alloca(PARENT_SIZE + preload_bytes(envp)), envp,            \
				       loader_for(file, search))                                   \
			     : (char **)(uintptr_t)(envp))

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
	return REPLACED(NEXT(execve)(path, ARGUMENTS(path, false, argv, envp),
		CHILD_ENVIRONMENT(path, false, envp)));
}

TACHO_WRAP(execv)
int execv(const char *path, char *const argv[])
{
	return REPLACED(NEXT(execve)(path, ARGUMENTS(path, false, argv, environ),
		CHILD_ENVIRONMENT(path, false, environ)));
}

TACHO_WRAP(execvpe)
int execvpe(const char *file, char *const argv[], char *const envp[])
{
	return REPLACED(NEXT(execvpe)(file, ARGUMENTS(file, true, argv, envp),
		CHILD_ENVIRONMENT(file, true, envp)));
}

TACHO_WRAP(execvp)
int execvp(const char *file, char *const argv[])
{
	return REPLACED(NEXT(execvpe)(file, ARGUMENTS(file, true, argv, environ),
		CHILD_ENVIRONMENT(file, true, environ)));
}

TACHO_WRAP(fexecve)
int fexecve(int fd, char *const argv[], char *const envp[])
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return REPLACED(NEXT(fexecve)(fd, argv, CHILD_ENVIRONMENT(path, false, envp)));
}

TACHO_WRAP(execveat)
int execveat(int dir, const char *path, char *const argv[], char *const envp[], int flags)
{
	char at[PATH_MAX];

	if (dir == AT_FDCWD || *path == '/')
		snprintf(at, sizeof(at), "%s", path);
	else
		snprintf(at, sizeof(at), "/proc/self/fd/%d%s%s", dir, *path ? "/" : "", path);
	return REPLACED(NEXT(execveat)(dir, path, argv, CHILD_ENVIRONMENT(at, false, envp), flags));
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
	return REPLACED(NEXT(execve)(path, ARGUMENTS(path, false, argv, environ),
		CHILD_ENVIRONMENT(path, false, environ)));
}

TACHO_WRAP(execlp)
int execlp(const char *file, const char *arg, ...)
{
	va_list list;
	char **argv;

	LIST(list, argv, arg);
	va_end(list);
	return REPLACED(NEXT(execvpe)(file, ARGUMENTS(file, true, argv, environ),
		CHILD_ENVIRONMENT(file, true, environ)));
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
	return REPLACED(NEXT(execve)(path, ARGUMENTS(path, false, argv, envp),
		CHILD_ENVIRONMENT(path, false, envp)));
}

TACHO_WRAP(posix_spawn)
int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	return NEXT(posix_spawn)(pid, path, actions, attr, ARGUMENTS(path, false, argv, envp),
		CHILD_ENVIRONMENT(path, false, envp));
}

TACHO_WRAP(posix_spawnp)
int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	return NEXT(posix_spawnp)(pid, file, actions, attr, ARGUMENTS(file, true, argv, envp),
		CHILD_ENVIRONMENT(file, true, envp));
}

/*
 * libc starts the shell of these internally, past the wrappers: the shell gets the variables in its
 * first words.
 */
static const char *shell_command(char *text, const char *command)
{
	char parent[PARENT_SIZE], *at;

	parent_write(parent, "'");
	at = stpcpy(stpcpy(text, "export "), parent);
	for (size_t i = 0; i < nkept; i++)
		if (!has_variable(environ, kept[i]) && !strchr(kept[i], '\'')) {
			const char *value = strchr(kept[i], '=') + 1;

			*at++ = ' ';
			at = mempcpy(at, kept[i], (size_t)(value - kept[i]));
			at = stpcpy(stpcpy(stpcpy(at, "'"), value), "'");
		}
	strcpy(stpcpy(at, "; "), command);
	return text;
}

#define SHELL_COMMAND(command)                                                                     \
	(recorded() && (command) ? shell_command(alloca(strlen(command) + SHELL_SIZE +             \
							 kept_bytes + 3 * nkept),                  \
					   command)                                                \
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
