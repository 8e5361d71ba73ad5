/* record_pack.c - see record_pack.h. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/containers.h"
#include "base/rundir.h"
#include "otf2/otf2_out.h"
#include "record/record_pack.h"
#include "spool/spool_pack.h"
#include "tacho/host.h"
#include "tacho/spool.h"

#define BOOT_ID	  "/proc/sys/kernel/random/boot_id"
#define COPY_MOST (1u << 30)

struct packing {
	ARRAY_OF(char *) names; /* "<folder>/<file>" */
	struct pack_file *files;
	struct pack_part part;
};

static void packing_free(struct packing *packing)
{
	for (size_t i = 0; i < packing->names.n; i++)
		free(packing->names.at[i]);
	free(packing->names.at);
	free(packing->files);
}

static uint64_t page_up(uint64_t n)
{
	return (n + PACK_PAGE - 1) / PACK_PAGE * PACK_PAGE;
}

/* The files of one folder. */
static int folder_list(struct packing *packing, const char *local, const char *folder)
{
	char *path = path_join(local, folder);
	DIR *dir = path ? opendir(path) : NULL;
	struct dirent *entry;
	int ret = dir ? 0 : -1;

	while (ret == 0 && (entry = readdir(dir))) {
		char **name = entry->d_name[0] == '.' ? NULL : ARRAY_ADD(&packing->names);

		if (name && !(*name = path_join(folder, entry->d_name)))
			ret = -1;
	}
	if (dir)
		closedir(dir);
	free(path);
	return ret;
}

/* Names that begin with a dot are those of files that only a running job needs. */
static int local_list(struct packing *packing, const char *local)
{
	DIR *dir = opendir(local);
	struct dirent *entry;
	int ret = dir ? 0 : -1;

	while (ret == 0 && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			ret = folder_list(packing, local, entry->d_name);
	if (dir)
		closedir(dir);
	return ret;
}

/* Gives each file its place. */
static int places_give(struct packing *packing, const char *local)
{
	struct pack_part *part = &packing->part;
	uint64_t at;

	*part = (struct pack_part){ .version = SPOOL_VERSION,
		.nfiles = (uint32_t)packing->names.n };
	packing->files = calloc(packing->names.n, sizeof(*packing->files));
	if (!packing->files)
		return -1;
	for (size_t i = 0; i < packing->names.n; i++) {
		packing->files[i].name = part->names;
		part->names += strlen(packing->names.at[i]) + 1;
	}
	at = page_up(sizeof(*part) + packing->names.n * sizeof(*packing->files) + part->names);
	for (size_t i = 0; i < packing->names.n; i++) {
		char *path = path_join(local, packing->names.at[i]);
		struct stat st;

		if (!path || lstat(path, &st) < 0 || !S_ISREG(st.st_mode))
			st.st_size = 0;
		free(path);
		packing->files[i].at = at;
		packing->files[i].size = (uint64_t)st.st_size;
		at += page_up((uint64_t)st.st_size);
	}
	part->size = at;
	return 0;
}

/* Copies bytes from `begin` up to `end`. */
static int stretch_copy(int in, int out, off_t to, off_t begin, off_t end)
{
	if (lseek(out, to + begin, SEEK_SET) < 0)
		return -1;
	while (begin < end) {
		size_t n = (size_t)(end - begin) < COPY_MOST ? (size_t)(end - begin) : COPY_MOST;
		ssize_t done = sendfile(out, in, &begin, n);

		if (done < 0)
			return -1;
		if (done == 0) /* it is shorter by now */
			break;
	}
	return 0;
}

/* Holes, which what a bounded run gave up has left, stay holes. */
static int file_copy(const char *local, const char *name, int out, off_t to, off_t size)
{
	char *path = path_join(local, name);
	int in = path ? run_file_open(path) : -1, ret = 0;
	off_t begin = 0, end;

	while (in >= 0 && ret == 0 && (begin = lseek(in, begin, SEEK_DATA)) >= 0 && begin < size) {
		end = lseek(in, begin, SEEK_HOLE);
		if (end < 0 || end > size)
			end = size;
		ret = stretch_copy(in, out, to, begin, end);
		begin = end;
	}
	if (in >= 0)
		close(in);
	free(path);
	return ret;
}

static int all_write(int fd, const void *from, size_t n, uint64_t at)
{
	for (size_t done = 0; done < n;) {
		ssize_t more = pwrite(fd, (const char *)from + done, n - done, (off_t)(at + done));

		if (more <= 0)
			return -1;
		done += (size_t)more;
	}
	return 0;
}

static int index_write(const struct packing *packing, int fd, uint64_t begin)
{
	uint64_t at = begin + sizeof(packing->part);
	size_t n = packing->names.n * sizeof(*packing->files);

	if (all_write(fd, packing->files, n, at) < 0)
		return -1;
	at += n;
	for (size_t i = 0; i < packing->names.n; i++) {
		n = strlen(packing->names.at[i]) + 1;
		if (all_write(fd, packing->names.at[i], n, at) < 0)
			return -1;
		at += n;
	}
	return 0;
}

/* Writes the part; its magic comes last. What a tacho that was killed has begun is written over. */
static int part_write(struct packing *packing, const char *local, int fd, uint64_t begin)
{
	struct pack_part *part = &packing->part;

	if (ftruncate(fd, (off_t)begin) < 0 || ftruncate(fd, (off_t)(begin + part->size)) < 0)
		return -1;
	for (size_t i = 0; i < packing->names.n; i++)
		if (file_copy(local, packing->names.at[i], fd,
			    (off_t)(begin + packing->files[i].at),
			    (off_t)packing->files[i].size) < 0)
			return -1;
	if (index_write(packing, fd, begin) < 0 || all_write(fd, part, sizeof(*part), begin) < 0)
		return -1;
	memcpy(part->magic, PACK_MAGIC, sizeof(part->magic));
	return all_write(fd, part->magic, sizeof(part->magic), begin);
}

/* The same at the end of the pack; a disk that is full keeps what was there. */
static int part_add(struct packing *packing, const char *local, const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600), ret, error;
	uint64_t begin;

	if (fd < 0)
		return -1;
	begin = spool_pack_end(fd);
	ret = part_write(packing, local, fd, begin);
	error = errno;
	if (ret < 0 && ftruncate(fd, (off_t)begin) == 0 && begin == 0)
		unlink(path);
	errno = error;
	return close(fd) < 0 ? -1 : ret;
}

static uint64_t hash_add(uint64_t hash, const void *bytes, size_t n)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/*
 * "<host>.<…>.pack": the same for those alone who take turns by a lock on the folder, as containers of
 * several machines may have one host name.
 */
static char *pack_path(const char *spool, int lock)
{
	char host[HOST_ROOM], boot[64] = "", *name = NULL, *path = NULL;
	int fd = open(BOOT_ID, O_RDONLY | O_CLOEXEC);
	struct stat st = { 0 };
	uint64_t hash;

	if (fd >= 0 && read(fd, boot, sizeof(boot)) < 0)
		boot[0] = '\0';
	if (fd >= 0)
		close(fd);
	fstat(lock, &st);
	hash = hash_add(UINT64_C(0xcbf29ce484222325), boot, sizeof(boot));
	hash = hash_add(hash, &st.st_dev, sizeof(st.st_dev));
	hash = hash_add(hash, &st.st_ino, sizeof(st.st_ino));
	host_name(host);
	if (asprintf(&name, "%s.%016llx" PACK_END, host, (unsigned long long)hash) >= 0)
		path = path_join(spool, name);
	free(name);
	return path;
}

/* The folder that holds `local`, locked until it is closed. */
static int turn_take(const char *local)
{
	char *parent = path_join(local, "..");
	int fd = parent ? open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	free(parent);
	if (fd >= 0 && flock(fd, LOCK_EX) < 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

int record_pack_add(const char *local, const char *spool)
{
	struct packing packing = { 0 };
	int lock = turn_take(local), ret = -1;
	char *path = lock < 0 ? NULL : pack_path(spool, lock);

	if (path && local_list(&packing, local) == 0)
		ret = 0;
	if (ret == 0 && packing.names.n)
		ret = places_give(&packing, local) < 0 ? -1 : part_add(&packing, local, path);
	packing_free(&packing);
	free(path);
	if (ret == 0)
		ret = folder_remove(local);
	if (lock >= 0)
		close(lock);
	return ret;
}
