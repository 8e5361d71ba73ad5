/*
 * totals_tables.h - entries in the tables of totals, each with a key of a few words. When a table
 * is full the caller, or `sums`, counts the items without an entry.
 */
#ifndef COLLECTOR_TOTALS_TABLES_H
#define COLLECTOR_TOTALS_TABLES_H

#include "core/span.h"
#include "tacho/totals.h"

/* The place for calls of a kind, made when new; NULL: there is none. */
struct totals_call *totals_call_place(struct totals_sums *sums,
	const struct totals_call *kind) HIDDEN;

/* The same for messages with a peer, and for collectives of a communicator; NULL is counted. */
struct totals_channel *totals_channel_place(struct totals_sums *sums, uint32_t comm, int32_t peer,
	int32_t tag) HIDDEN;
struct totals_comm *totals_comm_place(struct totals_sums *sums, uint32_t comm) HIDDEN;

#endif
