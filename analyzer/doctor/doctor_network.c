/*
 * doctor_network.c - between nodes: how fast each can send and receive, by messages between pairs of them, and
 * how far their clocks are apart. By the launcher's MPI (base/par.h).
 */
#include "config.h"

#include <math.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock_now.h"
#include "base/log.h"
#include "base/par.h"
#include "doctor/doctor.h"

enum { MESSAGE = 1 << 20, MESSAGES_MOST = 64, MESSAGES_BRIEF = 4, ROUNDS = 32 };
#define PAIR_NS INT64_C(1000000000) /* of one direction, about */

/*
 * Waits for a message without taking a core from processes that measure; copies its bytes to `data`
 * of `room`.
 */
static void message_take(int from, void *data, size_t room)
{
	struct timespec nap = { .tv_nsec = 20000 };
	size_t size;
	int who;

	while (!par_is_lost() && !(par_probe(&who, &size) && who == from && size <= room))
		nanosleep(&nap, NULL);
	if (!par_is_lost())
		par_receive(from, data, size);
}

/*
 * One direction, MESSAGES and then an answer, several times until the time is over: 'g' is another turn, 'e' the
 * end. Gb/s of the best turn.
 */
static double pair_send(int to, char *block, int messages)
{
	int64_t begun = clock_now_ns(CLOCK_MONOTONIC);
	double best = 0;
	char word = 'g';

	for (int turn = 0;
		turn < 2 || (clock_now_ns(CLOCK_MONOTONIC) - begun < PAIR_NS && turn < 8); turn++) {
		int64_t start = clock_now_ns(CLOCK_MONOTONIC);
		double seconds;

		par_send(to, &word, 1);
		for (int i = 0; i < messages; i++)
			par_send(to, block, MESSAGE);
		message_take(to, &word, 1);
		seconds = (double)(clock_now_ns(CLOCK_MONOTONIC) - start) * 1e-9;
		best = fmax(best, 8e-9 * MESSAGE * messages / seconds);
		if (seconds > 0.5)
			break;
	}
	word = 'e';
	par_send(to, &word, 1);
	return best;
}

static void pair_receive(int from, char *block, int messages)
{
	char word;

	for (;;) {
		message_take(from, &word, 1);
		if (word != 'g' || par_is_lost())
			return;
		for (int i = 0; i < messages; i++)
			message_take(from, block, MESSAGE);
		par_send(from, &word, 1);
	}
}

/* Both directions between two ranks: the slower one is the link's. */
static double pair_measure(int rank, int other, char *block, int messages)
{
	double mine, theirs;

	if (rank < other) {
		mine = pair_send(other, block, messages);
		pair_receive(other, block, messages);
	} else {
		pair_receive(other, block, messages);
		mine = pair_send(other, block, messages);
	}
	par_send(other, &mine, sizeof(mine));
	message_take(other, &theirs, sizeof(theirs));
	return fmin(mine, theirs);
}

/*
 * Measures pairs of neighbours in a ring of the nodes, disjoint pairs at once: 0-1 2-3 …, then 1-2
 * 3-4 …, with an odd number finally the last with the first. A node's figure is the better of its
 * two pairs: a slow node is slow in both.
 */
int doctor_links(struct doctor *doctor, struct doctor_node *node, const bool *leads)
{
	int *ranks = calloc((size_t)par_size(), sizeof(*ranks)), n = 0, me = -1;
	char *block = calloc(1, MESSAGE);
	int messages = doctor->wanted.brief ? MESSAGES_BRIEF : MESSAGES_MOST;

	for (int r = 0; ranks && r < par_size(); r++) {
		if (!leads[r])
			continue;
		me = r == par_rank() ? n : me;
		ranks[n++] = r;
	}
	for (int phase = 0; ranks && block && n > 1 && phase < (n > 2 ? 3 : 1); phase++) {
		int other = -1;

		if (me >= 0 && phase < 2)
			other = me % 2 == phase % 2 ? me + 1 : me - 1;
		if (me >= 0 && n % 2 == 0 && phase == 1)
			other = (other + n) % n;
		if (n % 2 && phase == 2 && (me == 0 || me == n - 1))
			other = n - 1 - me;
		if (other >= 0 && other < n) {
			double rate = pair_measure(par_rank(), ranks[other], block, messages);

			if (!(node->figure[DOCTOR_LINK][0] >= rate))
				node->figure[DOCTOR_LINK][0] = rate;
		}
		par_barrier();
	}
	free(ranks);
	free(block);
	return ranks && block ? 0 : -1;
}

/* A word that has to come at once: no nap, which would be part of the offset. */
static void word_await(int from, void *word, size_t room)
{
	size_t size;
	int who;

	while (!par_is_lost() && !(par_probe(&who, &size) && who == from && size <= room))
		sched_yield();
	if (!par_is_lost())
		par_receive(from, word, size);
}

/*
 * Rank 0 asks, and the other's clock is taken to be read in the middle of the way there and back; the fastest of
 * several rounds, half of which is the error.
 */
static void offset_ask(int rank)
{
	double said[2] = { NAN, INFINITY };

	for (int i = 0; i < ROUNDS; i++) {
		int64_t begun = clock_now_ns(CLOCK_REALTIME), there, back;
		double half;

		par_send(rank, "t", 1);
		word_await(rank, &there, sizeof(there));
		back = clock_now_ns(CLOCK_REALTIME);
		half = (double)(back - begun) * 0.5e-9;
		if (half >= 0 && half < said[1]) {
			said[0] = (double)(there - begun) * 1e-9 - half;
			said[1] = half;
		}
	}
	par_send(rank, said, sizeof(said));
}

static void offset_answer(struct doctor_node *node)
{
	double said[2] = { NAN, NAN };
	char word;

	for (int i = 0; i < ROUNDS; i++) {
		int64_t now;

		(i ? word_await : message_take)(0, &word,
			1); /* until the first one others are asked */
		now = clock_now_ns(CLOCK_REALTIME);
		par_send(0, &now, sizeof(now));
	}
	word_await(0, said, sizeof(said));
	node->clock_offset = said[0];
	node->clock_error = said[1];
}

void doctor_offsets(struct doctor_node *node, const bool *leads)
{
	char word;

	if (par_rank() == 0) {
		node->clock_offset = node->clock_error = 0;
		for (int r = 1; r < par_size(); r++)
			if (leads[r])
				offset_ask(r);
		for (int r = 1; r < par_size(); r++)
			par_send(r, "g", 1);
	} else {
		if (leads[par_rank()])
			offset_answer(node);
		message_take(0, &word, 1); /* waits without using a measured process's core */
	}
}
