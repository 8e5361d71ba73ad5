/*
 * par_local.c - the calls behind par.h where mpirun started all processes on
 * this machine: they talk through rings of shared memory. Starting and ending
 * an MPI takes a third of a second, as long as many analyses.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/shm_ring.h"
#include "base/par.h"
#include "base/par_queue.h"
#include "base/containers.h"

enum { MEET_MS = 60000, LOOK_MS = 100 };

/* Kinds of notes: messages, and parts of an all-to-all exchange. */
enum { NOTE_MESSAGE, NOTE_SHARE };

static struct link rings;
static struct queue messages = { .end = &messages.first };
static struct queue *shares; /* by rank */
static int self, all;

/* A key that only the processes of this mpirun share. */
static uint64_t job_key(void)
{
	static const char *const names[] = { "PMIX_NAMESPACE", "OMPI_MCA_orte_hnp_uri" };
	uint64_t key = hash_mix((uint64_t)getuid(), 1);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (const char *at = getenv(names[i]); at && *at; at++)
			key = hash_mix(key, (unsigned char)*at);
	return key;
}

static int number_of(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? atoi(value) : -1;
}

bool par_is_local(int *rank, int *size)
{
	*rank = number_of("OMPI_COMM_WORLD_RANK");
	*size = number_of("OMPI_COMM_WORLD_SIZE");
	return *size > 1 && *rank >= 0 && *rank < *size && getenv("PMIX_NAMESPACE") &&
		number_of("OMPI_COMM_WORLD_LOCAL_SIZE") == *size && !getenv("TACHO_APART");
}

/* --- sync_event: rank 0 hands its memory to each of the others --- */

/* A name that ends with the socket; no file is left behind. */
static socklen_t address_set(struct sockaddr_un *address)
{
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
		(size_t)snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1,
			"tacho-%016llx", (unsigned long long)job_key()));
}

static bool is_ours(int peer)
{
	struct ucred who;
	socklen_t size = sizeof(who);

	return getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && who.uid == getuid();
}

/* One byte with a descriptor on it. */
union handed {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(sizeof(int))];
};

static bool file_hand(int peer, int file)
{
	char byte = 0;
	union handed control = { 0 };
	struct iovec part = { &byte, 1 };
	struct msghdr message = { .msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes) };

	control.head = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)),
		.cmsg_level = SOL_SOCKET,
		.cmsg_type = SCM_RIGHTS };
	memcpy(CMSG_DATA(&control.head), &file, sizeof(file));
	return sendmsg(peer, &message, MSG_NOSIGNAL) == 1;
}

static int file_take(int peer)
{
	char byte;
	union handed control;
	struct iovec part = { &byte, 1 };
	struct msghdr message = { .msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes) };
	int file = -1;

	if (recvmsg(peer, &message, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(&message))
		memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(file));
	return file;
}

/* Rank 0: false when the others cannot be reached. */
static bool rings_offer(void)
{
	struct sockaddr_un address;
	socklen_t size = address_set(&address);
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), file = -1;
	bool fine = listener >= 0 && bind(listener, (struct sockaddr *)&address, size) == 0 &&
		listen(listener, all) == 0 &&
		link_open_file(&rings, (uint32_t)all, job_key(), &file) == 0 && file >= 0;

	for (int n = 1; fine && n < all;) {
		int peer = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

		if (peer >= 0 && is_ours(peer)) {
			fine = file_hand(peer, file);
			n++;
		}
		fine = fine && (peer >= 0 || errno == EINTR);
		if (peer >= 0)
			close(peer);
	}
	if (listener >= 0)
		close(listener);
	if (file >= 0)
		close(file);
	return fine;
}

/* The others: rank 0 may not be there yet. */
static bool rings_take(void)
{
	struct sockaddr_un address;
	socklen_t size = address_set(&address);
	int peer = -1, file = -1;
	bool fine = false;

	for (int tries = 0; file < 0 && tries < MEET_MS; tries++) {
		if (tries)
			nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		peer = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (peer >= 0 && connect(peer, (struct sockaddr *)&address, size) == 0 &&
			is_ours(peer))
			file = file_take(peer);
		if (peer >= 0)
			close(peer);
	}
	if (file >= 0) {
		fine = link_attach(&rings, (uint32_t)all, job_key(), file) == 0;
		close(file);
	}
	return fine;
}

/* --- the calls --- */

/* 0, or -1 without memory. */
static int notes_take(void)
{
	struct note note;

	while (link_receive(&rings, &note))
		if (queue_add(note.head.type == NOTE_SHARE ? &shares[note.head.from] : &messages,
			    (int)note.head.from, note.data, note.head.size) < 0)
			return -1;
	return link_failed(&rings) ? -1 : 0;
}

static int start(int *rank, int *size)
{
	if (!par_is_local(rank, size))
		return -1;
	self = *rank;
	all = *size;
	shares = calloc((size_t)all, sizeof(*shares));
	if (!shares || !(self ? rings_take() : rings_offer()))
		return -1;
	for (int i = 0; i < all; i++)
		shares[i].end = &shares[i].first;
	link_slot(&rings, 0, 0, (uint32_t)all);
	return link_join(&rings, (uint32_t)self, (uint32_t)self);
}

static void end(void)
{
	queue_clear(&messages);
	for (int i = 0; shares && i < all; i++)
		queue_clear(&shares[i]);
	free(shares);
	shares = NULL;
	link_close(&rings);
}

static int share(const void *data, size_t n)
{
	for (int i = 0; i < all; i++)
		if (i != self)
			link_send(&rings, (uint32_t)i, NOTE_SHARE, data, n);
	link_flush(&rings);
	return link_failed(&rings) ? -1 : queue_add(&shares[self], self, data, n);
}

/* The next share of a rank, valid until it is dropped; NULL without memory. */
static const struct waiting *share_of(int rank)
{
	int ret = notes_take();

	for (; ret == 0 && !shares[rank].first; ret = notes_take())
		link_wait(&rings, LOOK_MS);
	return ret < 0 ? NULL : shares[rank].first;
}

static int gather(const void *mine, const size_t *all_sizes, char *to)
{
	if (share(mine, all_sizes[self]) < 0)
		return -1;
	for (int r = 0; r < all; to += all_sizes[r++]) {
		const struct waiting *waiting = share_of(r);

		if (!waiting)
			return -1;
		if (all_sizes[r])
			memcpy(to, waiting->data, all_sizes[r]);
		queue_drop(&shares[r]);
	}
	return 0;
}

static int sizes(size_t mine, size_t *to)
{
	if (share(&mine, sizeof(mine)) < 0)
		return -1;
	for (int r = 0; r < all; r++) {
		const struct waiting *waiting = share_of(r);

		if (!waiting)
			return -1;
		memcpy(&to[r], waiting->data, sizeof(to[r]));
		queue_drop(&shares[r]);
	}
	return 0;
}

static int max(int mine)
{
	if (share(&mine, sizeof(mine)) < 0)
		return -1;
	for (int r = 0; r < all; r++) {
		const struct waiting *waiting = share_of(r);
		int other;

		if (!waiting)
			return -1;
		memcpy(&other, waiting->data, sizeof(other));
		mine = other > mine ? other : mine;
		queue_drop(&shares[r]);
	}
	return mine;
}

static int barrier(void)
{
	return max(0);
}

static int message_send(int to, const void *data, size_t n)
{
	if (to == self)
		return queue_add(&messages, self, data, n);
	link_send(&rings, (uint32_t)to, NOTE_MESSAGE, data, n);
	link_flush(&rings);
	return link_failed(&rings) ? -1 : 0;
}

static int message_probe(int *from, size_t *n)
{
	if (notes_take() < 0)
		return -1;
	return queue_probe(&messages, from, n);
}

/* What was probed is first. */
static void message_receive(int from, void *data, size_t n)
{
	(void)from;
	queue_take(&messages, data, n);
}

const struct par_mpi par_local = { start, end, barrier, sizes, gather, max, NULL, NULL,
	message_send, message_probe, message_receive };
