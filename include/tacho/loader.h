/*
 * loader.h - programs that cannot preload libtacho. The loader of musl exits when it cannot
 * relocate a glibc library, so musl programs get no LD_PRELOAD of libtacho. Static and setuid
 * programs start, but without it.
 *
 * Works on the caller's stack, without allocation, stdio or errno, since it
 * may run between vfork and exec.
 */
#ifndef TACHO_LOADER_H
#define TACHO_LOADER_H

#include <elf.h>
#include <sys/stat.h>

#include "tacho/launcher.h"

enum loader {
	LOADER_GLIBC, /* or not known */
	LOADER_MUSL,
	LOADER_NONE, /* statically linked */
	LOADER_SECURE,
};

#define LOADER_HEAD	1024 /* bytes of a file in which its headers are, or its #! line */
#define LOADER_SCRIPTS	4    /* as many #! lines does Linux follow */
#define LOADER_SEGMENTS 16

/* By the interpreter that the program headers name, read from `fd`. */
static inline enum loader loader_of_elf(int fd, const Elf64_Ehdr *elf)
{
	Elf64_Phdr part;
	char name[64] = "";

	if (elf->e_ident[EI_CLASS] != ELFCLASS64)
		return LOADER_GLIBC;
	for (unsigned i = 0; i < elf->e_phnum && i < LOADER_SEGMENTS; i++) {
		if (syscall(SYS_pread64, fd, &part, sizeof(part),
			    elf->e_phoff + i * sizeof(part)) != (long)sizeof(part))
			return LOADER_GLIBC;
		if (part.p_type != PT_INTERP)
			continue;
		syscall(SYS_pread64, fd, name, sizeof(name) - 1, part.p_offset);
		return strstr(name, "/ld-musl") ? LOADER_MUSL : LOADER_GLIBC;
	}
	return LOADER_NONE;
}

static inline bool loader_is_secure(int fd)
{
	struct stat st;

	return !syscall(SYS_fstat, fd, &st) && (st.st_mode & (S_ISUID | S_ISGID)) &&
		st.st_uid != (uid_t)syscall(SYS_geteuid);
}

/* Looks into one file; of a script its interpreter's path goes to `next`. */
static inline enum loader loader_look(const char *path, char next[LOADER_HEAD])
{
	char head[LOADER_HEAD] = "";
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	long n = fd < 0 ? 0 : syscall(SYS_read, fd, head, sizeof(head) - 1);
	enum loader loader = LOADER_GLIBC;
	Elf64_Ehdr elf;

	next[0] = '\0';
	if (n >= (long)sizeof(elf) && !memcmp(head, ELFMAG, SELFMAG)) {
		memcpy(&elf, head, sizeof(elf));
		loader = loader_is_secure(fd) ? LOADER_SECURE : loader_of_elf(fd, &elf);
	} else if (n > 2 && head[0] == '#' && head[1] == '!') {
		char *at = head + 2 + strspn(head + 2, " \t");

		at[strcspn(at, " \t\n")] = '\0';
		strcpy(next, at);
	}
	if (fd >= 0)
		syscall(SYS_close, fd);
	return loader;
}

/* What loads a program, found along `path` if its name has no slash; of a script its interpreter. */
static inline enum loader loader_of(const char *file, const char *path)
{
	char at[PATH_MAX], next[LOADER_HEAD];
	enum loader loader = LOADER_GLIBC;
	int saved = errno;

	if (!file || !launcher_find(at, file, path))
		at[0] = '\0';
	for (int i = 0; i <= LOADER_SCRIPTS && at[0]; i++) {
		loader = loader_look(at, next);
		strcpy(at, next);
	}
	errno = saved;
	return loader;
}

#endif
