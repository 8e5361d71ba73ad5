/*
 * launcher.h - Open MPI starts ranks on other nodes with the environment that its daemon found
 * there, OMPI_* and what its options -x name. So that ranks everywhere are recorded, `tacho record`
 * and libtacho's exec wrappers add `-x VARIABLE=value` to its arguments, and put libtacho in front
 * of an LD_PRELOAD that the user hands on. (Setting OMPI_MCA_mca_base_env_list instead would abort
 * jobs whose command line has -x already.)
 *
 * Works on the caller's stack, without allocation, stdio or errno, since it
 * may run between vfork and exec. Launchers that hand on the whole
 * environment (Slurm's srun, Hydra) are left alone.
 */
#ifndef TACHO_LAUNCHER_H
#define TACHO_LAUNCHER_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LAUNCHER_MAX_LINKS 16

/* Whether libtacho is configured by this variable. TACHO_PARENT is each process's own. */
static inline bool launcher_variable(const char *entry)
{
	return !strncmp(entry, "LD_PRELOAD=", 11) ||
		(!strncmp(entry, "TACHO_", 6) && strncmp(entry, "TACHO_PARENT=", 13));
}

static inline const char *launcher_value(char *const envp[], const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; envp && envp[i]; i++)
		if (!strncmp(envp[i], name, n) && envp[i][n] == '=')
			return envp[i] + n + 1;
	return NULL;
}

static inline const char *launcher_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* dir/name in `to`; dir has `n` bytes. False when it does not fit. */
static inline bool launcher_join(char to[PATH_MAX], const char *dir, size_t n, const char *name)
{
	size_t rest = strlen(name);

	if (n + rest + 2 > PATH_MAX)
		return false;
	memmove(to, dir, n);
	to[n] = '/';
	memcpy(to + n + 1, name, rest + 1);
	return true;
}

/* Where the shell would find `file`. */
static inline bool launcher_find(char to[PATH_MAX], const char *file, const char *path)
{
	size_t n;

	if (strchr(file, '/') || !path) {
		if (strlen(file) >= PATH_MAX)
			return false;
		strcpy(to, file);
		return true;
	}
	for (; *path; path += n + (path[n] == ':')) {
		n = strcspn(path, ":");
		if (launcher_join(to, n ? path : ".", n ? n : 1, file) &&
			!syscall(SYS_faccessat, AT_FDCWD, to, X_OK))
			return true;
	}
	return false;
}

/*
 * Whether a program, found along `path` if its name has no slash, is Open MPI's launcher after all
 * links.
 */
static inline bool launcher_is_openmpi(const char *file, const char *path)
{
	static const char *const names[] = { "mpirun", "mpiexec", "orterun", "prterun" };
	char at[PATH_MAX], link[PATH_MAX];
	const char *base = launcher_basename(file);
	bool candidate = false;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		candidate |= !strncmp(base, names[i], strlen(names[i]));
	if (!candidate || !launcher_find(at, file, path))
		return false;
	for (int i = 0; i < LAUNCHER_MAX_LINKS; i++) {
		ssize_t n = syscall(SYS_readlinkat, AT_FDCWD, at, link, sizeof(link) - 1);
		size_t dir = (size_t)(launcher_basename(at) - at);

		if (n <= 0)
			break;
		link[n] = '\0';
		if (*link == '/' || !dir)
			strcpy(at, link);
		else if (!launcher_join(at, at, dir - 1, link))
			return false;
	}
	base = launcher_basename(at);
	return !strcmp(base, "orterun") || !strcmp(base, "prterun");
}

static inline size_t launcher_count(char *const list[])
{
	size_t n = 0;

	while (list && list[n])
		n++;
	return n;
}

/* The entry of LD_PRELOAD that is libtacho, `*n` bytes; NULL: none. */
static inline const char *launcher_library(char *const envp[], size_t *n)
{
	static const char name[] = "libtacho.so";
	const char *at = launcher_value(envp, "LD_PRELOAD");

	for (; at && *at; at += *n + (at[*n] != '\0')) {
		const char *base = at;

		*n = strcspn(at, ": ");
		for (size_t i = 0; i < *n; i++)
			if (at[i] == '/')
				base = at + i + 1;
		if (!strncmp(base, name, sizeof(name) - 1))
			return at;
	}
	return NULL;
}

/* Bytes of an LD_PRELOAD of the user's with libtacho in front, after his "-x"; 0: it stays. */
static inline size_t launcher_joined(const char *before, const char *arg, char *const envp[])
{
	size_t n;

	if (strcmp(before, "-x") != 0 || strncmp(arg, "LD_PRELOAD=", 11) != 0 ||
		strstr(arg, "/libtacho.so") || !launcher_library(envp, &n))
		return 0;
	return strlen(arg) + n + 2;
}

static inline char *launcher_join_preload(char *to, const char *arg, char *const envp[])
{
	size_t n = 0, rest = strlen(arg + 11);
	const char *library = launcher_library(envp, &n);

	memcpy(to, arg, 11);
	memcpy(to + 11, library, n);
	if (rest)
		to[11 + n++] = ':';
	memcpy(to + 11 + n, arg + 11, rest + 1);
	return to;
}

/* Pointers among what launcher_arguments() needs; texts are after them. */
static inline size_t launcher_pointers(char *const argv[], char *const envp[])
{
	size_t contexts = 1, variables = 0;

	for (size_t i = 1; argv[i]; i++)
		contexts += !strcmp(argv[i], ":");
	for (size_t i = 0; envp[i]; i++)
		variables += launcher_variable(envp[i]);
	return launcher_count(argv) + 1 + 2 * variables * contexts;
}

/*
 * Pointers that launcher_arguments() needs room for with these arguments; 0: leave
 * them as they are. `search`: `file` is searched for along PATH.
 */
static inline size_t launcher_room(const char *file, bool search, char *const argv[],
	char *const envp[])
{
	const char *run = launcher_value(envp, "TACHO_DIR");
	size_t texts = 0;
	int saved = errno;
	bool is_openmpi;

	if (!run || !*run || !launcher_value(envp, "LD_PRELOAD") || !file || !argv || !argv[0])
		return 0;
	is_openmpi = launcher_is_openmpi(file, search ? launcher_value(envp, "PATH") : NULL);
	errno = saved;
	if (!is_openmpi)
		return 0;
	for (size_t i = 1; argv[i]; i++) {
		if (!strncmp(argv[i], "TACHO_DIR", 9) && !strcmp(argv[i - 1], "-x"))
			return 0; /* the user does it, or tacho has done it */
		texts += launcher_joined(argv[i - 1], argv[i], envp);
	}
	return launcher_pointers(argv, envp) + (texts + sizeof(char *) - 1) / sizeof(char *);
}

/* Whether the user hands on this variable. */
static inline bool launcher_given(char *const argv[], const char *entry)
{
	size_t n = strcspn(entry, "=");

	for (size_t i = 1; argv[i] && argv[i - 1]; i++)
		if (!strcmp(argv[i - 1], "-x") && !strncmp(argv[i], entry, n) &&
			(argv[i][n] == '=' || !argv[i][n]))
			return true;
	return false;
}

/*
 * Fills `to` with `argv` and the options, for each program of the line (after its name and each
 * ":").
 */
static inline char **launcher_arguments(char **to, char *const argv[], char *const envp[])
{
	static char option[] = "-x";
	char *text = (char *)(to + launcher_pointers(argv, envp));
	size_t n = 0;

	for (size_t i = 0; argv[i]; i++) {
		size_t joined = i ? launcher_joined(argv[i - 1], argv[i], envp) : 0;

		to[n++] = joined ? launcher_join_preload(text, argv[i], envp) : argv[i];
		text += joined;
		if (i && strcmp(argv[i], ":"))
			continue;
		for (size_t k = 0; envp[k]; k++)
			if (launcher_variable(envp[k]) && !launcher_given(argv, envp[k])) {
				to[n++] = option;
				to[n++] = envp[k];
			}
	}
	to[n] = NULL;
	return to;
}

#endif
