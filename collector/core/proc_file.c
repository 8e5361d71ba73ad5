/* proc_file.c - see proc_file.h. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/proc_file.h"
#include "core/sys.h"

#define TEXT_SIZE	 65536
#define PATH_SIZE	 256
#define FOLDER_PERIOD_NS 10000000000u

const char *tacho_source_root = "", *tacho_proc_self = "/proc/self";

uint64_t tacho_source_bytes;
_Atomic uint64_t tacho_spool_bytes;
static _Atomic uint64_t task_bytes; /* of the task that stays, which has its own account */
bool tacho_spool_is_stored;
static char text[TEXT_SIZE];

void own_write_begin(void)
{
	atomic_fetch_add(&tacho_writers, 1);
}

void own_write_end(_Atomic uint64_t *bytes, int64_t n)
{
	if (n > 0 && tacho_task.stays)
		bytes = &task_bytes;
	if (n > 0)
		atomic_fetch_add(bytes, (uint64_t)n);
	if (n > 0 && task_is_here() && !tacho_task.stays)
		tacho_task.written += (uint64_t)n;
	atomic_fetch_sub(&tacho_writers, 1);
}

void own_task_ended(void)
{
	atomic_fetch_add(&tacho_spool_bytes, atomic_exchange(&task_bytes, 0));
}

bool own_bytes_get(struct own_bytes *own)
{
	uint32_t self = task_is_here() &&
		!tacho_task.stays; /* its thread waits for it, and counts as a writer */
	bool quiet = atomic_load(&tacho_writers) == self;

	*own = (struct own_bytes){ atomic_load(&tacho_spool_bytes), tacho_source_bytes };
	return quiet && atomic_load(&tacho_writers) == self;
}

/* Where a path leads from here; false: it is too long. */
static bool path_find(char full[2 * PATH_SIZE], const char *path)
{
	static const char self[] = "/proc/self";
	bool is_other = task_is_here() && !strncmp(path, self, sizeof(self) - 1) &&
		path[sizeof(self) - 1] == '/';

	return snprintf(full, 2 * PATH_SIZE, "%s%s%s", tacho_source_root,
		       is_other ? tacho_proc_self : "",
		       is_other ? path + sizeof(self) - 1 : path) < 2 * PATH_SIZE;
}

static int path_open(const char *path, int flags)
{
	char full[2 * PATH_SIZE];

	return path_find(full, path) ? sys_open(full, O_RDONLY | flags, 0) : -1;
}

bool file_exists(const char *path)
{
	char full[2 * PATH_SIZE];

	return path_find(full, path) && !syscall(SYS_faccessat, AT_FDCWD, full, F_OK);
}

uint32_t file_identity(const char *path)
{
	char full[2 * PATH_SIZE];
	struct stat st;
	uint64_t hash = HASH_START;

	if (snprintf(full, sizeof(full), "%s%s", tacho_source_root, path) >= (int)sizeof(full) ||
		syscall(SYS_newfstatat, AT_FDCWD, full, &st, 0) < 0)
		return 0;
	hash = hash_bytes(hash, (const char *)&st.st_dev, sizeof(st.st_dev));
	return (uint32_t)hash_bytes(hash, (const char *)&st.st_ino, sizeof(st.st_ino));
}

static const char *text_read(int fd)
{
	size_t len = 0;
	ssize_t n;

	while (len < TEXT_SIZE - 1 &&
		(n = syscall(SYS_pread64, fd, text + len, TEXT_SIZE - 1 - len, len)) > 0)
		len += (size_t)n;
	if (!task_is_here()) /* a task has its own account */
		tacho_source_bytes += len;
	if (len == TEXT_SIZE - 1)
		while (len && text[len - 1] != '\n')
			len--;
	text[len] = '\0';
	return len ? text : NULL;
}

const char *file_text_once(const char *path)
{
	int fd = path_open(path, 0);
	const char *got;

	if (fd < 0)
		return NULL;
	got = text_read(fd);
	sys_close(fd);
	return got;
}

const char *file_text(const char *path)
{
	/* asks without a descriptor where that would be in the program's table */
	return tacho_table_is_own || file_exists(path) ? file_text_once(path) : NULL;
}

void own_forked(void)
{
	tacho_source_bytes = 0;
	tacho_spool_bytes = 0;
	task_bytes = 0;
	tacho_writers = 0; /* threads that wrote when the process forked are its parent's */
}

static void folder_add(struct folder *folder, const char *name)
{
	size_t n = strlen(name) + 1;

	if (*name != '.' && n <= FOLDER_ENTRY_SIZE && folder->count < FOLDER_MAX_ENTRIES)
		memcpy(folder->names[folder->count++], name, n);
}

void folder_read(struct folder *folder, const char *path)
{
	char entries[2048] __attribute__((aligned(8)));
	uint64_t now = clock_monotonic_ns();
	long n;
	int fd;

	if (now < folder->due_ns)
		return;
	folder->due_ns = now + FOLDER_PERIOD_NS;
	folder->count = 0;
	fd = file_exists(path) ? path_open(path, O_DIRECTORY) : -1;
	if (fd < 0)
		return;
	while ((n = syscall(SYS_getdents64, fd, entries, sizeof(entries))) > 0)
		for (long at = 0; at < n; at += ((struct sys_entry *)(void *)(entries + at))->len)
			folder_add(folder, ((struct sys_entry *)(void *)(entries + at))->name);
	sys_close(fd);
}

unsigned folder_numbers(const char *path, uint32_t *numbers, unsigned max)
{
	char entries[2048] __attribute__((aligned(8)));
	int fd = file_exists(path) ? path_open(path, O_DIRECTORY) : -1;
	unsigned count = 0;
	long n;

	if (fd < 0)
		return 0;
	while ((n = syscall(SYS_getdents64, fd, entries, sizeof(entries))) > 0)
		for (long at = 0; at < n; at += ((struct sys_entry *)(void *)(entries + at))->len) {
			const char *name = ((struct sys_entry *)(void *)(entries + at))->name;
			uint64_t number;

			if (count < max && number_take(&name, &number) && number <= UINT32_MAX)
				numbers[count++] = (uint32_t)number;
		}
	sys_close(fd);
	return count;
}

bool path_build(char *to, size_t size, const char *first, ...)
{
	size_t at = 0;
	va_list parts;

	va_start(parts, first);
	for (const char *part = first; part; part = va_arg(parts, const char *)) {
		size_t n = strlen(part);

		if (at + n + 2 > size) {
			at = 0;
			break;
		}
		if (at)
			to[at++] = '/';
		memcpy(to + at, part, n);
		at += n;
	}
	va_end(parts);
	to[at] = '\0';
	return at > 0;
}

static const char *skip_blanks(const char *at)
{
	while (*at == ' ' || *at == '\t')
		at++;
	return at;
}

const char *line_next(const char *at)
{
	at += strcspn(at, "\n");
	return *at ? at + 1 : at;
}

bool word_take(const char **at, const char **word, size_t *len)
{
	*word = skip_blanks(*at);
	*len = strcspn(*word, " \t\n");
	*at = *word + *len;
	return *len > 0;
}

bool number_take(const char **at, uint64_t *value)
{
	const char *word;
	size_t len;

	*value = 0;
	if (!word_take(at, &word, &len))
		return false;
	for (; len && *word >= '0' && *word <= '9'; word++, len--)
		*value = *value * 10 + (uint64_t)(*word - '0');
	return len == 0;
}

bool words_skip(const char **at, unsigned n)
{
	const char *word;
	size_t len;

	while (n--)
		if (!word_take(at, &word, &len))
			return false;
	return true;
}

const char *line_find(const char *lines, const char *key)
{
	size_t len = strlen(key);

	for (const char *at = lines; *at; at = line_next(at))
		if (!strncmp(at, key, len))
			return at + len;
	return NULL;
}

uint64_t hash_bytes(uint64_t hash, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3u;
	return hash;
}
