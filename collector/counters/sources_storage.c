/* sources_storage.c - block devices, Lustre and NFS mounts; see sources.h. */
#include "config.h"

#include <string.h>

#include "counters/sources.h"
#include "core/proc_file.h"

#define SECTOR_BYTES 512 /* unit of /proc/diskstats, whatever the device's sector is */
#define DISKS	     256 /* lines of /proc/diskstats with a remembered kind */
#define EXPORTS	     64

static const struct metric_kind disk_read_kind = { "disk.", ".read_bytes", "bytes", "block device",
	METRIC_ACCUMULATED };
static const struct metric_kind disk_write_kind = { "disk.", ".write_bytes", "bytes",
	"block device", METRIC_ACCUMULATED };
static const struct metric_kind fs_read_kind = { "fs.", ".read_bytes", "bytes", "mount",
	METRIC_ACCUMULATED };
static const struct metric_kind fs_write_kind = { "fs.", ".write_bytes", "bytes", "mount",
	METRIC_ACCUMULATED };

/*
 * Whether a device's bytes count: whole ones do (/sys/block has no
 * partitions) that are on no other device and not in memory.
 */
static bool disk_counts(const char *name)
{
	static struct folder slaves;
	char path[128];

	if (!strncmp(name, "loop", 4) || !strncmp(name, "ram", 3) || !strncmp(name, "zram", 4))
		return false;
	if (!path_build(path, sizeof(path), "/sys/block", name, NULL) || !file_exists(path))
		return false;
	if (!path_build(path, sizeof(path), "/sys/block", name, "slaves", NULL))
		return false;
	slaves.due_ns = 0;
	folder_read(&slaves, path);
	return slaves.count == 0;
}

struct disk {
	char name[32];
	uint64_t sectors_read, sectors_written;
};

static bool disk_parse(struct disk *disk, const char *at)
{
	const char *name;
	size_t len;

	if (!words_skip(&at, 2) || !word_take(&at, &name, &len) || len >= sizeof(disk->name))
		return false;
	memcpy(disk->name, name, len);
	disk->name[len] = '\0';
	return words_skip(&at, 2) && number_take(&at, &disk->sectors_read) && words_skip(&at, 3) &&
		number_take(&at, &disk->sectors_written);
}

/* What a line's device is, is asked once for its place in the file. */
void disk_read(const struct counter *source, struct sample_set *set)
{
	static struct {
		char name[32];
		bool counts;
	} known[DISKS];
	const char *text = file_text(source->path);
	unsigned line = 0;

	for (const char *at = text ? text : ""; *at && line < DISKS; at = line_next(at), line++) {
		struct disk disk;

		if (!disk_parse(&disk, at))
			continue;
		if (strcmp(known[line].name, disk.name)) {
			strcpy(known[line].name, disk.name);
			known[line].counts = disk_counts(disk.name);
		}
		if (!known[line].counts)
			continue;
		set_add(set, &disk_read_kind, disk.name, strlen(disk.name),
			disk.sectors_read * SECTOR_BYTES);
		set_add(set, &disk_write_kind, disk.name, strlen(disk.name),
			disk.sectors_written * SECTOR_BYTES);
	}
}

/*
 * A mount's folder is called <file system>-<address>; its stats may lack a line until the first
 * access.
 */
static void lustre_mount_read(struct sample_set *set, const char *text, const char *mount)
{
	static const struct {
		const char *key;
		const struct metric_kind *kind;
	} members[] = {
		{ "read_bytes", &fs_read_kind },
		{ "write_bytes", &fs_write_kind },
	};
	const char *dash = strrchr(mount, '-');
	size_t len = dash ? (size_t)(dash - mount) : strlen(mount);

	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++) {
		const char *at = line_find(text, members[i].key);
		uint64_t sum = 0;

		if (at && (!words_skip(&at, 5) || !number_take(&at, &sum)))
			continue;
		set_add(set, members[i].kind, mount, len, sum);
	}
}

void lustre_read(const struct counter *source, struct sample_set *set)
{
	static struct folder folders[2];
	struct folder *mounts = &folders[!strcmp(source->path, PATH_LUSTRE_DEBUG)];
	char path[256];

	folder_read(mounts, source->path);
	for (unsigned i = 0; i < mounts->count; i++) {
		const char *text = NULL;

		if (path_build(path, sizeof(path), source->path, mounts->names[i], "stats", NULL))
			text = file_text(path);
		if (text)
			lustre_mount_read(set, text, mounts->names[i]);
	}
}

/* A mount of /proc/self/mountstats. */
struct mount {
	const char *device, *point;
	size_t ndevice, npoint;
};

/*
 * "device <export> mounted on <point> with fstype nfs4 statvers=1.1" (blanks in names are escaped)
 */
static bool mount_parse(struct mount *mount, const char *at)
{
	const char *word;
	size_t len;

	return words_skip(&at, 1) && word_take(&at, &mount->device, &mount->ndevice) &&
		words_skip(&at, 2) && word_take(&at, &mount->point, &mount->npoint) &&
		words_skip(&at, 2) && word_take(&at, &word, &len) && (len == 3 || len == 4) &&
		!memcmp(word, "nfs", 3);
}

/* The mounts of one export show the same counters; the first represents all. */
static bool export_seen(uint64_t seen[EXPORTS], unsigned *n, const struct mount *mount)
{
	uint64_t hash = hash_bytes(HASH_START, mount->device, mount->ndevice);

	for (unsigned i = 0; i < *n; i++)
		if (seen[i] == hash)
			return true;
	if (*n == EXPORTS)
		return true;
	seen[(*n)++] = hash;
	return false;
}

void nfs_read(const struct counter *source, struct sample_set *set)
{
	const char *text = file_text(source->path);
	struct mount mount;
	uint64_t seen[EXPORTS], bytes_read, bytes_written;
	unsigned nseen = 0;
	bool counts = false;

	for (const char *at = text ? text : ""; *at; at = line_next(at)) {
		const char *field = at + strspn(at, " \t");

		if (!strncmp(at, "device ", 7)) {
			counts = mount_parse(&mount, at) && !export_seen(seen, &nseen, &mount);
			continue;
		}
		if (!counts || strncmp(field, "bytes:", 6))
			continue;
		field += 6;
		if (!words_skip(&field, 4) || !number_take(&field, &bytes_read) ||
			!number_take(&field, &bytes_written))
			continue;
		set_add(set, &fs_read_kind, mount.point, mount.npoint, bytes_read);
		set_add(set, &fs_write_kind, mount.point, mount.npoint, bytes_written);
	}
}
