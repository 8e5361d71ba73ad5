/* folder.c - see folder.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/budget.h"
#include "core/folder.h"
#include "core/process.h"
#include "core/slot.h"
#include "core/sys.h"
#include "tacho/host.h"

#define NAME_ROOM 32 /* of PATH_MAX: for the names of the folder's files */

void process_path(char path[PATH_MAX], const char *name)
{
	size_t n = strlen(tacho_process.folder);

	memcpy(path, tacho_process.folder, n);
	path[n++] = '/';
	memcpy(path + n, name, strlen(name) + 1); /* folder_make left room */
}

bool folder_is_open(void)
{
	const struct process *p = &tacho_process;
	struct stat st;

	return p->folder_fd >= 0 && !sys_fstat(p->folder_fd, &st) && st.st_dev == p->folder_dev &&
		st.st_ino == p->folder_ino;
}

static int folder_need(void);

static __thread int own_folder __attribute__((tls_model("initial-exec"))) = -1;

void process_folder_own(void)
{
	if (folder_need() == 0)
		own_folder = sys_open(tacho_process.folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
}

int process_file_open(const char *name, int flags)
{
	char path[PATH_MAX];

	if (own_folder >= 0)
		return (int)syscall(SYS_openat, own_folder, name, flags | O_NOFOLLOW | O_CLOEXEC,
			0600);
	if (folder_need() < 0)
		return -1;
	if (folder_is_open())
		return (int)syscall(SYS_openat, tacho_process.folder_fd, name,
			flags | O_NOFOLLOW | O_CLOEXEC, 0600);
	process_path(path, name);
	return sys_open(path, flags | O_NOFOLLOW, 0600);
}

void process_file_remove(const char *name)
{
	char path[PATH_MAX];

	if (folder_is_open()) {
		syscall(SYS_unlinkat, tacho_process.folder_fd, name, 0L);
		return;
	}
	process_path(path, name);
	syscall(SYS_unlinkat, AT_FDCWD, path, 0L);
}

int process_spool_open(const char *kind, uint32_t number, int flags)
{
	char name[NAME_ROOM];

	snprintf(name, sizeof(name), "%s.%u", kind, number);
	return process_file_open(name, O_RDWR | flags);
}

int process_folder_keep(void)
{
	struct process *p = &tacho_process;
	struct stat st;
	int fd;

	if (folder_is_open())
		return p->folder_fd;
	if (folder_need() < 0)
		return -1;
	fd = sys_open(p->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (fd < 0 || sys_fstat(fd, &st) < 0)
		return fd;
	p->folder_dev = st.st_dev;
	p->folder_ino = st.st_ino;
	p->folder_fd = sys_fd_keep(fd);
	if (p->folder_fd < 0)
		return fd;
	tacho_task_keeps = p->folder_fd;
	sys_close(fd);
	return p->folder_fd;
}

void process_folder_leave(int folder)
{
	if (folder >= 0 && folder != tacho_process.folder_fd)
		sys_close(folder);
}

/* Makes `path` and the folders it is in, as far as they are missing. */
static void folders_make(const char *path)
{
	char part[PATH_MAX];

	snprintf(part, sizeof(part), "%s", path);
	for (char *slash = part + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		sys_mkdir(part, 0700);
		*slash = '/';
	}
	sys_mkdir(part, 0700);
}

int spools_find(const char *directory)
{
	struct process *p = &tacho_process;
	struct stat st;

	if (!p->spools_ino && !p->parent[0])
		folders_make(directory);
	if (sys_stat(directory, &st) < 0)
		return -1;
	if (p->spools_ino && (st.st_dev != p->spools_dev || st.st_ino != p->spools_ino)) {
		errno = ENOENT;
		return -1;
	}
	p->spools_dev = st.st_dev;
	p->spools_ino = st.st_ino;
	return 0;
}

/* Appends "<text><c>"; returns the new end, `last` when there is no room. */
static char *text_add(char *to, char *last, const char *text, char c)
{
	char *end = memccpy(to, text, 0, (size_t)(last - to));

	if (!end)
		return last;
	end[-1] = c;
	return end;
}

static char *number_add(char *to, char *last, uint32_t n, char c)
{
	char digits[16], *first = digits + sizeof(digits) - 1;

	*first = '\0';
	do
		*--first = (char)('0' + n % 10);
	while (n /= 10);
	return text_add(to, last, first, c);
}

/* Without printf: touching its pages would cost a child a tenth of its time. */
int folder_name(const char *directory, uint32_t k)
{
	struct process *p = &tacho_process;
	char host[HOST_ROOM], *last = p->folder + sizeof(p->folder) - NAME_ROOM, *end;

	host_name(host);
	end = text_add(p->folder, last, directory, '/');
	end = text_add(end, last, host, '.');
	end = number_add(end, last, p->pid, '.');
	if (number_add(end, last, k, '\0') < last)
		return 0;
	errno = ENAMETOOLONG;
	return -1;
}

/* A process in a slot makes its folder with its first file. */
static int folder_need(void)
{
	struct process *p = &tacho_process;
	char directory[PATH_MAX];

	if (!p->is_in_slot || p->has_folder)
		return 0;
	memcpy(directory, p->folder, sizeof(directory));
	*strrchr(directory, '/') = '\0';
	if (spools_find(directory) < 0 || (sys_mkdir(p->folder, 0700) < 0 && errno != EEXIST))
		return -1;
	if (!atomic_exchange(&p->has_folder, true))
		budget_add(BUDGET_FOLDER);
	return 0;
}

int folder_make(const char *directory)
{
	struct process *p = &tacho_process;

	if (spools_find(directory) < 0)
		return -1;
	for (uint32_t k = 0; k < SLOT_FIRST_K; k++) {
		if (folder_name(directory, k) < 0)
			return -1;
		if (!sys_mkdir(p->folder, 0700))
			return 0;
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}
