/* otf2_out.c - see otf2_out.h. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <otf2/OTF2_Pthread_Locks.h>

#include "base/guard.h"
#include "base/log.h"
#include "otf2/otf2_out.h"
#include "base/rundir.h"

#define EVENT_CHUNK  (1024 * 1024)
#define DEF_CHUNK    (256 * 1024)
#define MEMBER_BYTES 9 /* of a group, at most */
#define POOL_CHUNKS  4

static OTF2_FlushType flush_always(void *user, OTF2_FileType type, OTF2_LocationRef location,
	void *caller, bool final)
{
	(void)user, (void)type, (void)location, (void)caller, (void) final;
	return OTF2_FLUSH;
}

/*
 * Memory of one writer. By default libotf2 fills 128 MiB before it writes. A few chunks, reused
 * after each flush, are as fast and bound the memory of any number of threads.
 */
struct chunk_pool {
	void *chunks[POOL_CHUNKS];
	unsigned nused, nmade;
};

static void *pool_allocate(void *user, OTF2_FileType type, OTF2_LocationRef location, void **buffer,
	uint64_t size)
{
	struct chunk_pool *pool = *buffer;

	(void)user, (void)type, (void)location;
	if (!pool)
		*buffer = pool = calloc(1, sizeof(*pool));
	if (!pool || pool->nused == POOL_CHUNKS)
		return NULL;
	if (pool->nused == pool->nmade) {
		pool->chunks[pool->nmade] = malloc(size);
		if (!pool->chunks[pool->nmade])
			return NULL;
		pool->nmade++;
	}
	return pool->chunks[pool->nused++];
}

static void pool_free(void *user, OTF2_FileType type, OTF2_LocationRef location, void **buffer,
	bool final)
{
	struct chunk_pool *pool = *buffer;

	(void)user, (void)type, (void)location;
	if (!pool)
		return;
	pool->nused = 0;
	if (!final)
		return;
	while (pool->nmade)
		free(pool->chunks[--pool->nmade]);
	free(pool);
	*buffer = NULL;
}

/* Threads may meet the same failure; the first one reports it. */
static bool first_report(void)
{
	static int reported;

	return !__atomic_exchange_n(&reported, 1, __ATOMIC_RELAXED);
}

static void failure_say(const struct otf2_out *out, const char *why)
{
	static const char kept[] = "the spools are kept: merge again";
	bool full = errno == ENOSPC || errno == EDQUOT || errno == EFBIG;

	log_error("cannot write the archive in %s: %s (%s%s)", out->path, why, kept,
		full ? " when there is room" : "");
}

/*
 * libotf2 has met a failure, which it would print in its own words for each failed call. Once a write
 * has failed it frees buffers twice when it continues, so it must not get back to its work: a guarded
 * process ends here.
 */
static OTF2_ErrorCode error_report(void *user, const char *file, uint64_t line,
	const char *function, OTF2_ErrorCode code, const char *format, va_list args)
{
	(void)file, (void)line, (void)function, (void)format, (void)args;
	if (first_report()) {
		failure_say(user, errno ? strerror(errno) : OTF2_Error_GetDescription(code));
		guard_fail();
	}
	while (guard_has_helpers())
		pause(); /* another thread is about to end this process */
	return code;
}

/* A definition must fit into one chunk, of which libotf2 takes 16 MiB at most. */
static uint64_t def_chunk(uint64_t members)
{
	uint64_t size = DEF_CHUNK;

	while (size < OTF2_CHUNK_SIZE_MAX && size / 2 < members * MEMBER_BYTES)
		size *= 2;
	return size;
}

int otf2_out_open(struct otf2_out *out, const char *path, uint64_t members)
{
	static const OTF2_FlushCallbacks flush = { .otf2_pre_flush = flush_always };
	static const OTF2_MemoryCallbacks memory = { pool_allocate, pool_free };

	out->archive = NULL;
	out->path = strdup(path);
	if (!out->path)
		return -1;
	OTF2_Error_RegisterCallback(error_report, out);
	if (mkdir(path, 0777) < 0 && errno != EEXIST) {
		log_error("cannot make %s: %s", path, strerror(errno));
		return -1;
	}
	errno = 0;
	out->archive = OTF2_Archive_Open(path, "traces", OTF2_FILEMODE_WRITE, EVENT_CHUNK,
		def_chunk(members), OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	if (!out->archive || OTF2_Archive_SetFlushCallbacks(out->archive, &flush, NULL) ||
		OTF2_Archive_SetMemoryCallbacks(out->archive, &memory, NULL) ||
		OTF2_Archive_SetSerialCollectiveCallbacks(out->archive) ||
		OTF2_Pthread_Archive_SetLockingCallbacks(out->archive, NULL) ||
		OTF2_Archive_OpenEvtFiles(out->archive) ||
		OTF2_Archive_OpenDefFiles(out->archive)) {
		log_error("cannot start an archive in %s", path);
		return -1;
	}
	return 0;
}

/*
 * libotf2 keeps 4 MiB of a file back until it is closed and does not state when
 * that last write fails. errno does, when it was 0 before.
 */
static bool write_failed(const struct otf2_out *out)
{
	if (errno != ENOSPC && errno != EDQUOT && errno != EIO && errno != EFBIG)
		return false;
	if (first_report())
		failure_say(out, strerror(errno));
	return true;
}

OTF2_EvtWriter *otf2_out_writer(struct otf2_out *out, uint64_t location)
{
	OTF2_DefWriter *defs = OTF2_Archive_GetDefWriter(out->archive, location);

	/* Nothing is local to a location, but readers search for the file. */
	errno = 0;
	if (!defs || OTF2_Archive_CloseDefWriter(out->archive, defs) || write_failed(out))
		return NULL;
	return OTF2_Archive_GetEvtWriter(out->archive, location);
}

int otf2_out_writer_close(struct otf2_out *out, OTF2_EvtWriter *writer, uint64_t *nevents)
{
	errno = 0;
	if (OTF2_EvtWriter_GetNumberOfEvents(writer, nevents) ||
		OTF2_Archive_CloseEvtWriter(out->archive, writer))
		return -1;
	return write_failed(out) ? -1 : 0;
}

int otf2_out_close(struct otf2_out *out)
{
	OTF2_ErrorCode ret = OTF2_SUCCESS;
	bool failed = false;

	errno = 0;
	if (out->archive) {
		ret |= OTF2_Archive_CloseDefFiles(out->archive);
		ret |= OTF2_Archive_CloseEvtFiles(out->archive);
		ret |= OTF2_Archive_Close(out->archive);
		failed = write_failed(out);
	}
	out->archive = NULL;
	free(out->path);
	out->path = NULL;
	return ret || failed ? -1 : 0;
}

void otf2_out_abandon(struct otf2_out *out)
{
	out->archive = NULL;
	free(out->path);
	out->path = NULL;
}

int otf2_out_move(const char *from, const char *to)
{
	char *source = path_join(from, "traces"), *target = path_join(to, "traces");
	DIR *dir = source && target ? opendir(source) : NULL;
	struct dirent *entry;
	int ret = dir ? 0 : -1;

	while (ret == 0 && (entry = readdir(dir))) {
		char *old, *new;

		if (entry->d_name[0] == '.')
			continue;
		old = path_join(source, entry->d_name);
		new = path_join(target, entry->d_name);
		if (!old || !new || rename(old, new) < 0) {
			log_error("cannot move %s to %s: %s", entry->d_name, target,
				strerror(errno));
			ret = -1;
		}
		free(old);
		free(new);
	}
	if (dir)
		closedir(dir);
	free(source);
	free(target);
	return ret;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

int folder_remove(const char *path)
{
	if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) < 0 && errno != ENOENT) {
		log_error("cannot remove %s: %s", path, strerror(errno));
		return -1;
	}
	return 0;
}
