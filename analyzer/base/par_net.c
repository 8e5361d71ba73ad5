/* par_net.c - see par_net.h. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock_now.h"
#include "base/log.h"
#include "base/par_net.h"
#include "base/par_queue.h"

enum {
	HELLO_MS = 2000,    /* for what one side says when they meet */
	START_MS = 10000,   /* until the leader has met all */
	CHUNK = 1 << 18,    /* bytes taken at once */
	DEAD_S = 5,	    /* of silence before a node is asked whether it is there */
	DEAD_EACH_S = 2,    /* between questions */
	DEAD_QUESTIONS = 5, /* without an answer: it is not */
	BEAT_MS = 1000	    /* between signs of life of a process that works, or waits */
};

int64_t net_silence_ns = 20 * INT64_C(1000000000);

/* Of notes: messages, parts of what all send to all, and signs of life. */
enum { NOTE_MESSAGE, NOTE_SHARE, NOTE_ALIVE };

struct head {
	uint32_t type, from, to, unused;
	uint64_t size;
};

/* What the one that connects says first, and the answer. */
struct hello {
	char what[32], secret[NET_SECRET];
};

/* ... and then of each one's place. */
struct place {
	uint32_t rank, size;
};

struct bytes {
	char *at;
	size_t first, n, cap;
};

struct peer {
	int socket;
	char name[256];
	int64_t silent_ns; /* for how long this process has waited and nothing came */
	struct bytes in, out;
};

static struct peer *peers;   /* by rank; who is not rank 0 has that one only */
static struct pollfd *polls; /* the same */
static size_t *sizes_equal;  /* room for one per rank, and the next */
static int *maxima;
static int self, all;
static struct queue messages = { .end = &messages.first };
static struct queue *shares; /* by rank */
static int64_t looked_ns;    /* when this process last looked for what came */

/* Of what goes out: a thread of its own sends signs of life. */
static pthread_mutex_t sending = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ending = PTHREAD_COND_INITIALIZER;
static pthread_t beats;
static bool is_beating;

/* --- bytes on their way --- */

static int bytes_room(struct bytes *bytes, size_t n)
{
	size_t cap = bytes->cap ? bytes->cap : CHUNK;
	char *grown;

	if (bytes->first == bytes->n)
		bytes->first = bytes->n = 0;
	if (bytes->n + n > bytes->cap && bytes->first) {
		memmove(bytes->at, bytes->at + bytes->first, bytes->n - bytes->first);
		bytes->n -= bytes->first;
		bytes->first = 0;
	}
	if (bytes->n + n <= bytes->cap)
		return 0;
	while (cap < bytes->n + n)
		cap *= 2;
	grown = realloc(bytes->at, cap);
	if (!grown)
		return -1;
	bytes->at = grown;
	bytes->cap = cap;
	return 0;
}

static int bytes_add(struct bytes *bytes, const void *data, size_t n)
{
	if (bytes_room(bytes, n) < 0)
		return -1;
	if (n)
		memcpy(bytes->at + bytes->n, data, n);
	bytes->n += n;
	return 0;
}

/* The way to a rank. */
static struct peer *peer_of(int rank)
{
	return &peers[self ? 0 : rank];
}

static int no_memory(void)
{
	log_error("out of memory for messages between processes");
	return -1;
}

static int note_send(int to, int from, uint32_t type, const void *data, size_t n)
{
	struct head head = { .type = type, .from = (uint32_t)from, .to = (uint32_t)to, .size = n };
	struct bytes *out = &peer_of(to)->out;
	int ret;

	pthread_mutex_lock(&sending);
	ret = bytes_add(out, &head, sizeof(head)) < 0 || bytes_add(out, data, n) < 0 ? -1 : 0;
	pthread_mutex_unlock(&sending);
	return ret < 0 ? no_memory() : 0;
}

static int lost(const struct peer *peer, const char *why)
{
	if (!self)
		log_warn("the tacho on %s is lost (%s): its part is repeated here", peer->name,
			why);
	return -1;
}

/* Sends what can be sent without waiting; `sending` is locked. 0, or an error's number. */
static int bytes_send(struct peer *peer)
{
	struct bytes *out = &peer->out;

	while (out->first < out->n) {
		ssize_t n = send(peer->socket, out->at + out->first, out->n - out->first,
			MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0)
			return errno == EAGAIN || errno == EINTR ? 0 : errno;
		out->first += (size_t)n;
	}
	return 0;
}

static int peer_write(struct peer *peer)
{
	int error;

	pthread_mutex_lock(&sending);
	error = bytes_send(peer);
	pthread_mutex_unlock(&sending);
	return error ? lost(peer, strerror(error)) : 0;
}

static int note_take(const struct head *head, const char *data)
{
	if (head->type == NOTE_ALIVE)
		return 0;
	if (head->from >= (uint32_t)all || head->to >= (uint32_t)all)
		return -1;
	if (head->to != (uint32_t)self)
		return self
			? -1
			: note_send((int)head->to, (int)head->from, head->type, data, head->size);
	return queue_add(head->type == NOTE_SHARE ? &shares[head->from] : &messages,
		       (int)head->from, data, head->size) < 0
		? no_memory()
		: 0;
}

/* The notes that are complete. */
static int notes_sort(struct peer *peer)
{
	struct bytes *in = &peer->in;
	struct head head;

	while (in->n - in->first >= sizeof(head)) {
		memcpy(&head, in->at + in->first, sizeof(head));
		if (in->n - in->first - sizeof(head) < head.size)
			break;
		if (note_take(&head, in->at + in->first + sizeof(head)) < 0)
			return -1;
		in->first += sizeof(head) + head.size;
	}
	return 0;
}

static int peer_read(struct peer *peer)
{
	ssize_t n;

	if (bytes_room(&peer->in, CHUNK) < 0)
		return no_memory();
	n = recv(peer->socket, peer->in.at + peer->in.n, CHUNK, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0)
		return lost(peer, n ? strerror(errno) : "it has ended");
	peer->in.n += (size_t)n;
	peer->silent_ns = 0;
	return notes_sort(peer);
}

static int npeers(void)
{
	return self ? 1 : all;
}

static bool is_pending(struct peer *peer)
{
	bool pending;

	pthread_mutex_lock(&sending);
	pending = peer->out.first < peer->out.n;
	pthread_mutex_unlock(&sending);
	return pending;
}

/* True when all is on its way. */
static bool all_written(void)
{
	for (int i = 0; i < npeers(); i++)
		if (is_pending(&peers[i]))
			return false;
	return true;
}

static int all_write(void)
{
	for (int i = 0; i < npeers(); i++)
		if (peers[i].socket >= 0 && peer_write(&peers[i]) < 0)
			return -1;
	return 0;
}

/*
 * Counts the time in which nothing came from a peer. That counts in which this process looks: what came
 * while it worked, or was stopped, is not read yet. A process that is stopped answers the questions of TCP
 * by its kernel, so only signs of life from the process itself show it.
 */
static int silence_check(void)
{
	int64_t now = clock_now_ns(CLOCK_MONOTONIC), most = BEAT_MS * INT64_C(1000000),
		step = now - looked_ns < most ? now - looked_ns : most;

	looked_ns = now;
	for (int i = 0; i < npeers(); i++) {
		if (peers[i].socket < 0)
			continue;
		peers[i].silent_ns += step;
		if (peers[i].silent_ns > net_silence_ns)
			return lost(&peers[i], "it has shown no sign of life for too long");
	}
	return 0;
}

/* Sends what can be sent and takes what comes, after so many ms at the latest. */
static int get_on(int milliseconds)
{
	int ret = all_write();

	for (int i = 0; i < npeers(); i++)
		polls[i] = (struct pollfd){ .fd = peers[i].socket,
			.events = (short)(is_pending(&peers[i]) ? POLLIN | POLLOUT : POLLIN) };
	if (ret < 0)
		return ret;
	poll(polls, (nfds_t)npeers(), milliseconds);
	for (int i = 0; i < npeers() && ret == 0; i++)
		if (polls[i].revents & ~POLLOUT)
			ret = peer_read(&peers[i]);
	return ret < 0 || silence_check() < 0 ? -1 : all_write();
}

/* Who goes on working does not send meanwhile. */
static int all_send(void)
{
	int ret = all_write();

	while (ret == 0 && !all_written())
		ret = get_on(BEAT_MS);
	return ret;
}

/* The next share of a rank; NULL when somebody is lost. */
static const struct waiting *share_of(int rank)
{
	while (!shares[rank].first)
		if (get_on(BEAT_MS) < 0)
			return NULL;
	return shares[rank].first;
}

static int share_take(int rank, void *to, size_t n)
{
	const struct waiting *waiting = share_of(rank);

	if (!waiting)
		return -1;
	if (waiting->n != n)
		return lost(peer_of(rank), "it sent something else");
	if (n)
		memcpy(to, waiting->data, n);
	queue_drop(&shares[rank]);
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
		return note_send(0, self, NOTE_SHARE, mine, all_sizes[self]) < 0
			? -1
			: share_take(0, to, total);
	if (all_sizes[0])
		memcpy(at, mine, all_sizes[0]);
	for (int r = 1; r < all; r++) {
		at += all_sizes[r - 1];
		if (share_take(r, at, all_sizes[r]) < 0)
			return -1;
	}
	for (int r = 1; r < all; r++)
		if (note_send(r, 0, NOTE_SHARE, to, total) < 0)
			return -1;
	return all_send();
}

/* The same where each has equally much. */
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

static int message_send(int to, const void *data, size_t n)
{
	if (to == self)
		return queue_add(&messages, self, data, n);
	return note_send(to, self, NOTE_MESSAGE, data, n);
}

static int message_probe(int *from, size_t *n)
{
	if (get_on(0) < 0)
		return -1;
	return queue_probe(&messages, from, n);
}

static void message_receive(int from, void *data, size_t n)
{
	(void)from;
	queue_take(&messages, data, n);
}

/* A sign of life to each peer, that has nothing else on its way. */
static void *beats_send(void *unused)
{
	const struct head head = { .type = NOTE_ALIVE };
	struct timespec next;

	pthread_mutex_lock(&sending);
	clock_gettime(CLOCK_REALTIME, &next);
	while (is_beating) {
		next.tv_sec += BEAT_MS / 1000;
		while (is_beating && pthread_cond_timedwait(&ending, &sending, &next) != ETIMEDOUT)
			;
		for (int i = 0; is_beating && i < npeers(); i++)
			if (peers[i].socket >= 0 &&
				(peers[i].out.first < peers[i].out.n ||
					bytes_add(&peers[i].out, &head, sizeof(head)) == 0))
				bytes_send(&peers[i]); /* errors are seen by who reads */
	}
	pthread_mutex_unlock(&sending);
	return unused;
}

static int start(int *rank, int *size)
{
	*rank = self;
	*size = all;
	if (!peers)
		return -1;
	looked_ns = clock_now_ns(CLOCK_MONOTONIC);
	is_beating = true;
	is_beating = pthread_create(&beats, NULL, beats_send, NULL) == 0;
	return 0;
}

static void beats_end(void)
{
	pthread_mutex_lock(&sending);
	if (!is_beating) {
		pthread_mutex_unlock(&sending);
		return;
	}
	is_beating = false;
	pthread_cond_signal(&ending);
	pthread_mutex_unlock(&sending);
	pthread_join(beats, NULL);
}

static void end(void)
{
	beats_end();
	queue_clear(&messages);
	for (int i = 0; shares && i < all; i++)
		queue_clear(&shares[i]);
	for (int i = 0; peers && i < npeers(); i++) {
		if (peers[i].socket >= 0)
			close(peers[i].socket);
		free(peers[i].in.at);
		free(peers[i].out.at);
	}
	free(shares);
	free(sizes_equal);
	free(maxima);
	free(polls);
	free(peers);
	shares = NULL;
	sizes_equal = NULL;
	maxima = NULL;
	polls = NULL;
	peers = NULL;
}

const struct par_mpi par_net = { start, end, barrier, sizes, gather, max, NULL, NULL, message_send,
	message_probe, message_receive };

/* --- how they meet --- */

static struct hello hello_of(const char *secret)
{
	struct hello hello = { "tacho " PACKAGE_VERSION, "" };

	memcpy(hello.secret, secret, NET_SECRET);
	return hello;
}

/* So that a node without power is noticed, and short notes do not wait for longer ones. */
static void socket_set(int socket)
{
	static const struct {
		int level, option, value;
	} options[] = { { SOL_SOCKET, SO_KEEPALIVE, 1 }, { IPPROTO_TCP, TCP_NODELAY, 1 },
		{ IPPROTO_TCP, TCP_KEEPIDLE, DEAD_S }, { IPPROTO_TCP, TCP_KEEPINTVL, DEAD_EACH_S },
		{ IPPROTO_TCP, TCP_KEEPCNT, DEAD_QUESTIONS },
		{ IPPROTO_TCP, TCP_USER_TIMEOUT, (DEAD_S + DEAD_EACH_S * DEAD_QUESTIONS) * 1000 } };

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		setsockopt(socket, options[i].level, options[i].option, &options[i].value,
			sizeof(options[i].value));
}

/* Room for `size` ranks of which this is one. */
static int places_make(int rank, int size)
{
	self = rank;
	all = size;
	peers = calloc((size_t)npeers(), sizeof(*peers));
	polls = calloc((size_t)npeers(), sizeof(*polls));
	shares = calloc((size_t)all, sizeof(*shares));
	sizes_equal = calloc((size_t)all, sizeof(*sizes_equal));
	maxima = calloc((size_t)all, sizeof(*maxima));
	for (int i = 0; shares && i < all; i++)
		shares[i].end = &shares[i].first;
	for (int i = 0; peers && i < npeers(); i++)
		peers[i].socket = -1;
	if (peers && polls && shares && sizes_equal && maxima)
		return 0;
	end();
	return -1;
}

static bool is_reachable(const struct ifaddrs *address)
{
	return address->ifa_addr && address->ifa_flags & IFF_UP &&
		!(address->ifa_flags & IFF_LOOPBACK) &&
		(address->ifa_addr->sa_family == AF_INET ||
			(address->ifa_addr->sa_family == AF_INET6 &&
				!IN6_IS_ADDR_LINKLOCAL(&((const struct sockaddr_in6 *)(const void *)
								 address->ifa_addr)
								->sin6_addr)));
}

static void addresses_find(char *to, size_t size)
{
	struct ifaddrs *list = NULL;
	size_t n = 0;

	*to = '\0';
	if (getifaddrs(&list) < 0)
		return;
	for (const struct ifaddrs *at = list; at; at = at->ifa_next) {
		char text[INET6_ADDRSTRLEN];
		const struct sockaddr *address = at->ifa_addr;
		const void *number;

		if (!is_reachable(at))
			continue;
		number = address->sa_family == AF_INET
			? (const void *)&((const struct sockaddr_in *)(const void *)address)
				  ->sin_addr
			: (const void *)&((const struct sockaddr_in6 *)(const void *)address)
				  ->sin6_addr;
		if (inet_ntop(address->sa_family, number, text, sizeof(text)) &&
			n + strlen(text) + 2 < size)
			n += (size_t)snprintf(to + n, size - n, "%s%s", n ? " " : "", text);
	}
	freeifaddrs(list);
}

static bool secret_make(char *secret)
{
	unsigned char random[NET_SECRET / 2];

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return false;
	for (size_t i = 0; i < sizeof(random); i++)
		snprintf(secret + 2 * i, 3, "%02x", random[i]);
	return true;
}

/* Both families, where there is IPv6. */
static int listener_make(uint16_t *port)
{
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_addr = in6addr_any };
	struct sockaddr_in four = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_ANY) };
	int listener = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0), only = 0;
	socklen_t size = sizeof(six);

	if (listener >= 0 &&
		(setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof(only)) < 0 ||
			bind(listener, (struct sockaddr *)&six, sizeof(six)) < 0)) {
		close(listener);
		listener = -1;
	}
	if (listener < 0) {
		listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (listener >= 0 && bind(listener, (struct sockaddr *)&four, sizeof(four)) < 0)
			goto fail;
	}
	/* the port is at the same place in both */
	if (listener < 0 || listen(listener, 8) < 0 ||
		getsockname(listener, (struct sockaddr *)&six, &size) < 0)
		goto fail;
	*port = ntohs(six.sin6_port);
	return listener;
fail:
	if (listener >= 0)
		close(listener);
	return -1;
}

int net_listen(struct net_offer *offer)
{
	uint16_t port = 0;
	int listener;

	addresses_find(offer->addresses, sizeof(offer->addresses));
	if (!*offer->addresses || !secret_make(offer->secret))
		return -1;
	listener = listener_make(&port);
	offer->port = port;
	return listener;
}

/* All of it, within some time. */
static bool take_all(int socket, void *to, size_t size, int milliseconds)
{
	int64_t until = clock_now_ns(CLOCK_MONOTONIC) + milliseconds * INT64_C(1000000);
	struct pollfd come = { .fd = socket, .events = POLLIN };

	for (size_t n = 0; n < size;) {
		int64_t left = until - clock_now_ns(CLOCK_MONOTONIC);
		ssize_t got;

		if (left <= 0 || poll(&come, 1, (int)(left / 1000000) + 1) < 0)
			return false;
		got = recv(socket, (char *)to + n, size - n, MSG_DONTWAIT);
		if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
			return false;
		n += got > 0 ? (size_t)got : 0;
	}
	return true;
}

static bool say(int socket, const void *what, size_t size)
{
	return send(socket, what, size, MSG_NOSIGNAL) == (ssize_t)size;
}

/* Whether the one that connected knows the secret and is of the same version. */
static bool is_known(int socket, const struct net_offer *offer)
{
	struct hello expected = hello_of(offer->secret), said;

	return take_all(socket, &said, sizeof(said), HELLO_MS) &&
		memcmp(&said, &expected, sizeof(said)) == 0 &&
		say(socket, &expected, sizeof(expected));
}

static int follow(int socket)
{
	struct place place;

	if (!take_all(socket, &place, sizeof(place), START_MS) || !place.rank ||
		place.rank >= place.size || place.size > 1 << 16 ||
		places_make((int)place.rank, (int)place.size) < 0)
		return -1;
	socket_set(socket);
	peers[0].socket = socket;
	return 0;
}

int net_wait(int listener, const struct net_offer *offer, int64_t wait_ns)
{
	int64_t until = clock_now_ns(CLOCK_MONOTONIC) + wait_ns;
	struct pollfd come = { .fd = listener, .events = POLLIN };

	for (;;) {
		int64_t left = until - clock_now_ns(CLOCK_MONOTONIC);
		int socket;
		bool known;

		if (left <= 0)
			return -1;
		if (poll(&come, 1, (int)(left / 1000000) + 1) <= 0)
			continue;
		socket = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (socket < 0)
			continue;
		known = is_known(socket, offer);
		if (known && follow(socket) == 0)
			return 0;
		close(socket);
		if (known)
			return -1;
	}
}

/* A connection to one of the addresses of an offer. */
struct attempt {
	int socket, offer;
	bool said;
};
struct attempts {
	struct attempt *at;
	struct pollfd *polls;
	int n;
};

static int attempt_begin(const char *address, unsigned port)
{
	struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port) };
	bool is_four = inet_pton(AF_INET, address, &four.sin_addr) == 1;
	int fd;

	if (!is_four && inet_pton(AF_INET6, address, &six.sin6_addr) != 1)
		return -1;
	fd = socket(is_four ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	if (connect(fd, is_four ? (struct sockaddr *)&four : (struct sockaddr *)&six,
		    is_four ? sizeof(four) : sizeof(six)) == 0 ||
		errno == EINPROGRESS)
		return fd;
	close(fd);
	return -1;
}

/* All addresses of all offers at once; as many as there is memory for. */
static void attempts_begin(struct attempts *attempts, const struct net_offer *offers, int n)
{
	for (int i = 0; i < n; i++) {
		char text[sizeof(offers[i].addresses)], *rest = text, *address;

		snprintf(text, sizeof(text), "%s", offers[i].addresses);
		while ((address = strsep(&rest, " "))) {
			struct attempt *grown = realloc(attempts->at,
				(size_t)(attempts->n + 1) * sizeof(*grown));
			int fd = grown ? attempt_begin(address, offers[i].port) : -1;

			attempts->at = grown ? grown : attempts->at;
			if (fd >= 0)
				attempts->at[attempts->n++] = (struct attempt){ fd, i, false };
		}
	}
	attempts->polls = calloc((size_t)attempts->n + 1, sizeof(*attempts->polls));
}

/* Gets on with one that has something to say, or can be told. */
static void attempt_step(struct attempt *attempt, struct net_offer *offers, short come)
{
	struct net_offer *offer = &offers[attempt->offer];
	struct hello hello = hello_of(offer->secret), answer;
	int error = 0;
	socklen_t size = sizeof(error);
	bool dead = offer->socket >= 0 ||
		getsockopt(attempt->socket, SOL_SOCKET, SO_ERROR, &error, &size) < 0 || error;

	if (!dead && come & POLLIN) {
		if (attempt->said && take_all(attempt->socket, &answer, sizeof(answer), HELLO_MS) &&
			memcmp(&answer, &hello, sizeof(answer)) == 0) {
			offer->socket = attempt->socket;
			attempt->socket = -1;
			return;
		}
		dead = true;
	} else if (!dead && come & POLLOUT && !attempt->said) {
		attempt->said = say(attempt->socket, &hello, sizeof(hello));
		dead = !attempt->said;
	} else if (come & (POLLHUP | POLLERR | POLLNVAL)) {
		dead = true;
	}
	if (dead) {
		close(attempt->socket);
		attempt->socket = -1;
	}
}

static void attempts_step(struct attempts *attempts, struct net_offer *offers, int milliseconds)
{
	struct pollfd *each = attempts->polls;

	for (int i = 0; i < attempts->n; i++)
		each[i] = (struct pollfd){ .fd = attempts->at[i].socket,
			.events = attempts->at[i].said ? POLLIN : POLLIN | POLLOUT };
	if (poll(each, (nfds_t)attempts->n, milliseconds) > 0)
		for (int i = 0; i < attempts->n; i++)
			if (attempts->at[i].socket >= 0 && each[i].revents)
				attempt_step(&attempts->at[i], offers, each[i].revents);
}

static int met(const struct net_offer *offers, int n)
{
	int count = 0;

	for (int i = 0; i < n; i++)
		count += offers[i].socket >= 0;
	return count;
}

static bool any_open(const struct attempts *attempts)
{
	for (int i = 0; i < attempts->n; i++)
		if (attempts->at[i].socket >= 0)
			return true;
	return false;
}

int net_meet(struct net_offer *offers, int n, int milliseconds)
{
	int64_t until = clock_now_ns(CLOCK_MONOTONIC) + milliseconds * INT64_C(1000000);
	struct attempts attempts = { 0 };

	for (int i = 0; i < n; i++)
		offers[i].socket = -1;
	attempts_begin(&attempts, offers, n);
	while (attempts.polls && met(offers, n) < n && any_open(&attempts)) {
		int64_t left = until - clock_now_ns(CLOCK_MONOTONIC);

		if (left <= 0)
			break;
		attempts_step(&attempts, offers, (int)(left / 1000000) + 1);
	}
	for (int i = 0; i < attempts.n; i++)
		if (attempts.at[i].socket >= 0)
			close(attempts.at[i].socket);
	free(attempts.at);
	free(attempts.polls);
	return met(offers, n);
}

int net_lead(struct net_offer *offers, int n)
{
	struct place place = { 0, (uint32_t)met(offers, n) + 1 };

	if (places_make(0, (int)place.size) < 0)
		return -1;
	for (int i = 0; i < n; i++) {
		struct peer *peer;

		if (offers[i].socket < 0)
			continue;
		place.rank++;
		peer = &peers[place.rank];
		peer->socket = offers[i].socket;
		offers[i].socket = -1;
		snprintf(peer->name, sizeof(peer->name), "%s", offers[i].name);
		socket_set(peer->socket);
		if (!say(peer->socket, &place, sizeof(place)))
			return lost(peer, strerror(errno));
	}
	return 0;
}

void net_dismiss(struct net_offer *offers, int n)
{
	for (int i = 0; i < n; i++) {
		if (offers[i].socket >= 0)
			close(offers[i].socket);
		offers[i].socket = -1;
	}
}
