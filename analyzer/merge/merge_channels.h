/*
 * merge_channels.h - messages: how many were sent and received on each
 * (communicator, source, destination, tag), and a list of those that have no
 * partner. MPI keeps the order on a channel, so beyond the smaller of both
 * numbers a message has none; memory follows the number of channels.
 */
#ifndef ANALYZER_MERGE_CHANNELS_H
#define ANALYZER_MERGE_CHANNELS_H

#include <pthread.h>
#include <stdint.h>

struct merge_channel {
	/* of the archive; with the sender's side of an inter-communicator in the top bit */
	uint32_t comm;
	uint32_t source, dest;
	uint32_t tag;
	uint64_t sends, recvs; /* in the first pass counted, in the second passed by */
	/* those before were summed, or made before the capture, and are not in the archive */
	uint64_t sends_from, recvs_from;
	uint64_t sent, received; /* second pass: how many were written, or skipped */
	uint64_t matched;	 /* second pass: how many have a partner */
};

struct merge_channels {
	struct merge_channel *at; /* comm = UINT32_MAX: free */
	uint32_t n, size;
	struct merge_channel *last; /* the one used last: messages come in rows */
};

/* The channel with this key, made when missing. NULL without memory (reported). */
struct merge_channel *channel_get(struct merge_channels *channels, const struct merge_channel *key);

/* The channel with this key or NULL. Safe from several threads while nobody adds. */
struct merge_channel *channel_find(const struct merge_channels *channels,
	const struct merge_channel *key);

/* Adds the counts of `from` to `into`. 0, or -1 (reported). */
int channels_add(struct merge_channels *into, const struct merge_channels *from);

/* Keeps only channels whose numbers differ and prepares them for the second pass. */
int channels_keep_unequal(struct merge_channels *channels);

void channels_free(struct merge_channels *channels);

#endif
