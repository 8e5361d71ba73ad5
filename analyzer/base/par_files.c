/* par_files.c - see par_files.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock_now.h"
#include "base/containers.h"
#include "base/log.h"
#include "base/par_files.h"

enum {
	NOTE_MARK = 0x7a9c6e04,
	BEAT_MS = 1000,		/* between two heartbeats */
	NAP_LEAST_NS = 200000,	/* between two reads of a file, at first */
	NAP_MOST_NS = 10000000, /* and in the end */
	WRITE_MOST = 1 << 30	/* bytes of one write */
};

int64_t files_silence_ns = 20 * INT64_C(1000000000);

/* A part of an all-gather, a message to rank 0, a heartbeat, and the last note. */
enum { NOTE_SHARE, NOTE_MESSAGE, NOTE_ALIVE, NOTE_LEFT };

/* `sum` covers the rest: over NFS a reader may see the parts of one write in any order. */
struct file_note {
	uint32_t mark, type;
	uint64_t size, sum;
};

struct peer {
	off_t at; /* offset of its next note */
	int64_t looked_ns, silent_ns;
	bool has; /* a note is read and not taken yet */
	struct file_note note;
	char *data;
};

static char *base;
static const char *const *names;
static struct peer *peers;  /* by rank */
static size_t *sizes_equal; /* room for one per rank, and the next */
static int *maxima;
static int self, all;

/* Guard this process's file: a second thread writes the heartbeats. */
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ending = PTHREAD_COND_INITIALIZER;
static pthread_t beats;
static bool is_beating;

/* --- files --- */

static char *file_of(const char *path, int rank)
{
	char *name;

	return asprintf(&name, "%s.%d", path, rank) < 0 ? NULL : name;
}

static int file_open(const char *path, int rank, int flags)
{
	char *name = file_of(path, rank);
	int fd = name ? open(name, flags | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;

	free(name);
	return fd;
}

int files_make(const char *path, int size)
{
	for (int r = 0; r < size; r++) {
		int fd = file_open(path, r, O_WRONLY | O_CREAT | O_EXCL);

		if (fd < 0)
			return -1;
		close(fd);
	}
	return 0;
}

void files_remove(const char *path, int size)
{
	for (int r = 0; r < size; r++) {
		char *name = file_of(path, r);

		if (name)
			unlink(name);
		free(name);
	}
}

static uint64_t sum_of(const struct file_note *note, const char *data)
{
	uint64_t sum = hash_mix(note->type, note->size), word;
	size_t at = 0;

	for (; at + sizeof(word) <= note->size; at += sizeof(word)) {
		memcpy(&word, data + at, sizeof(word));
		sum = hash_mix(sum, word);
	}
	word = 0;
	if (at < note->size)
		memcpy(&word, data + at, note->size - at);
	return hash_mix(sum, word);
}

static bool write_all(int fd, const void *data, size_t size)
{
	for (size_t n = 0; n < size;) {
		size_t most = size - n < WRITE_MOST ? size - n : WRITE_MOST;
		ssize_t written = write(fd, (const char *)data + n, most);

		if (written < 0 && errno != EINTR)
			return false;
		n += written > 0 ? (size_t)written : 0;
	}
	return true;
}

/* Other nodes see the note after the close. The caller holds `writing`. */
static int note_append(uint32_t type, const void *data, size_t size)
{
	struct file_note note = { .mark = NOTE_MARK, .type = type, .size = size };
	int fd = file_open(base, self, O_WRONLY | O_APPEND);
	bool fine = fd >= 0;

	note.sum = sum_of(&note, data);
	fine = fine && write_all(fd, &note, sizeof(note)) && write_all(fd, data, size);
	if (fd >= 0 && close(fd) < 0)
		fine = false;
	return fine ? 0 : -1;
}

static int note_write(uint32_t type, const void *data, size_t size)
{
	int ret;

	pthread_mutex_lock(&writing);
	ret = note_append(type, data, size);
	pthread_mutex_unlock(&writing);
	if (ret < 0 && !self)
		log_warn("cannot write %s.%d: %s", base, self, strerror(errno));
	return ret;
}

static int lost(int rank, const char *why)
{
	if (!self)
		log_warn("the tacho on %s is lost (%s): its part is repeated here",
			names ? names[rank] : "another node", why);
	return -1;
}

/* Reads the next note into peer->note and data. False: the file has no further complete note. */
static bool note_read(struct peer *peer, int fd)
{
	struct file_note note;
	struct stat st;
	char *data;

	if (pread(fd, &note, sizeof(note), peer->at) != sizeof(note) || note.mark != NOTE_MARK ||
		fstat(fd, &st) < 0 || st.st_size < peer->at + (off_t)sizeof(note) ||
		note.size > (uint64_t)(st.st_size - peer->at) - sizeof(note))
		return false;
	data = malloc(note.size + 1);
	if (!data)
		return false;
	for (size_t n = 0; n < note.size;) {
		ssize_t got = pread(fd, data + n, note.size - n,
			peer->at + (off_t)(sizeof(note) + n));

		if (got <= 0)
			break;
		n += (size_t)got;
	}
	if (sum_of(&note, data) != note.sum) {
		free(data);
		return false;
	}
	peer->note = note;
	peer->data = data;
	peer->at += (off_t)(sizeof(note) + note.size);
	return true;
}

static void note_drop(struct peer *peer)
{
	free(peer->data);
	peer->data = NULL;
	peer->has = false;
}

/*
 * Counts the time without a note. One read counts for one second at most, since this process may have worked or been
 * stopped before it.
 */
static int silence_check(int rank)
{
	struct peer *peer = &peers[rank];
	int64_t now = clock_now_ns(CLOCK_MONOTONIC), most = BEAT_MS * INT64_C(1000000);

	if (peer->looked_ns)
		peer->silent_ns += now - peer->looked_ns < most ? now - peer->looked_ns : most;
	peer->looked_ns = now;
	return peer->silent_ns > files_silence_ns ? lost(rank, "no heartbeat for too long") : 0;
}

/* 1: the rank's next note has arrived; 0: not yet; -1: the rank is lost. */
static int note_await(int rank)
{
	struct peer *peer = &peers[rank];
	int fd;

	if (peer->has)
		return 1;
	fd = file_open(base, rank, O_RDONLY);
	if (fd < 0)
		return lost(rank, "its file is gone");
	while (!peer->has && note_read(peer, fd)) {
		peer->silent_ns = 0;
		if (peer->note.type == NOTE_ALIVE)
			note_drop(peer);
		else
			peer->has = true;
	}
	close(fd);
	if (peer->has && peer->note.type == NOTE_LEFT)
		return lost(rank, "it has ended");
	return peer->has ? 1 : silence_check(rank);
}

static int share_take(int rank, void *to, size_t size)
{
	struct peer *peer = &peers[rank];
	long nap = NAP_LEAST_NS;
	int ret;

	while ((ret = note_await(rank)) == 0) {
		nanosleep(&(struct timespec){ .tv_nsec = nap }, NULL);
		nap = nap * 2 < NAP_MOST_NS ? nap * 2 : NAP_MOST_NS;
	}
	if (ret < 0)
		return -1;
	if (peer->note.type != NOTE_SHARE || peer->note.size != size)
		return lost(rank, "it sent something else");
	if (size)
		memcpy(to, peer->data, size);
	note_drop(peer);
	return 0;
}

/* --- the calls --- */

static int gather(const void *mine, const size_t *all_sizes, char *to)
{
	size_t total = 0;
	char *at = to;

	for (int r = 0; r < all; r++)
		total += all_sizes[r];
	if (self)
		return note_write(NOTE_SHARE, mine, all_sizes[self]) < 0 ? -1
									 : share_take(0, to, total);
	if (all_sizes[0])
		memcpy(at, mine, all_sizes[0]);
	for (int r = 1; r < all; r++) {
		at += all_sizes[r - 1];
		if (share_take(r, at, all_sizes[r]) < 0)
			return -1;
	}
	return note_write(NOTE_SHARE, to, total);
}

/* The same with equal sizes. */
static int gather_equal(const void *mine, size_t each, void *to)
{
	for (int r = 0; r < all; r++)
		sizes_equal[r] = each;
	return gather(mine, sizes_equal, to);
}

static int sizes(size_t mine, size_t *to)
{
	return gather_equal(&mine, sizeof(mine), to);
}

static int max(int mine)
{
	if (gather_equal(&mine, sizeof(mine), maxima) < 0)
		return -1;
	for (int r = 0; r < all; r++)
		mine = maxima[r] > mine ? maxima[r] : mine;
	return mine;
}

static int barrier(void)
{
	return max(0);
}

static int message_send(int to, const void *data, size_t size)
{
	return to || !self ? -1 : note_write(NOTE_MESSAGE, data, size);
}

static int message_probe(int *from, size_t *size)
{
	for (int r = 1; r < all && !self; r++) {
		int ret = note_await(r);

		if (ret < 0)
			return -1;
		if (!ret || peers[r].note.type != NOTE_MESSAGE)
			continue;
		*from = r;
		*size = peers[r].note.size;
		return 1;
	}
	return 0;
}

static void message_receive(int from, void *data, size_t size)
{
	if (size)
		memcpy(data, peers[from].data, size);
	note_drop(&peers[from]);
}

static void *beats_write(void *unused)
{
	struct timespec next;

	pthread_mutex_lock(&writing);
	clock_gettime(CLOCK_REALTIME, &next);
	while (is_beating) {
		next.tv_sec += BEAT_MS / 1000;
		while (is_beating && pthread_cond_timedwait(&ending, &writing, &next) != ETIMEDOUT)
			;
		if (is_beating)
			note_append(NOTE_ALIVE, NULL, 0); /* on failure a heartbeat is missing */
	}
	pthread_mutex_unlock(&writing);
	return unused;
}

static int start(int *rank, int *size)
{
	*rank = self;
	*size = all;
	if (!peers)
		return -1;
	is_beating = true;
	is_beating = pthread_create(&beats, NULL, beats_write, NULL) == 0;
	return 0;
}

static void end(void)
{
	bool was_beating;

	pthread_mutex_lock(&writing);
	was_beating = is_beating;
	is_beating = false;
	pthread_cond_signal(&ending);
	pthread_mutex_unlock(&writing);
	if (was_beating)
		pthread_join(beats, NULL);
}

static void places_free(void)
{
	for (int r = 0; peers && r < all; r++)
		free(peers[r].data);
	free(base);
	free(peers);
	free(sizes_equal);
	free(maxima);
	base = NULL;
	peers = NULL;
	sizes_equal = NULL;
	maxima = NULL;
}

int files_join(const char *path, int rank, int size, const char *const *their_names)
{
	self = rank;
	all = size;
	names = their_names;
	base = strdup(path);
	peers = calloc((size_t)size, sizeof(*peers));
	sizes_equal = calloc((size_t)size, sizeof(*sizes_equal));
	maxima = calloc((size_t)size, sizeof(*maxima));
	if (base && peers && sizes_equal && maxima)
		return 0;
	places_free();
	log_error("out of memory");
	return -1;
}

void files_leave(void)
{
	if (base)
		note_append(NOTE_LEFT, NULL, 0);
	places_free();
}

const struct par_mpi par_files = { start, end, barrier, sizes, gather, max, NULL, NULL,
	message_send, message_probe, message_receive };
