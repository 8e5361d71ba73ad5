/*
 * walk_requests.h - the requests of one process in flight: posts wait here
 * for the Wait or Test that completes them, maybe in another thread. Memory
 * follows the number in flight, not the length of the trace.
 */
#ifndef ANALYZER_WALK_REQUESTS_H
#define ANALYZER_WALK_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

enum request_kind { REQUEST_SEND = 1, REQUEST_RECV, REQUEST_COLL, REQUEST_RMA, REQUEST_IO };

struct walk_request {
	uint32_t number; /* of the spool; reused at once */
	uint32_t kind;	 /* enum request_kind */
	uint64_t start;	 /* ticks at which the posting call began */
	uint64_t id;	 /* unique in the process, for the archive */
	uint32_t region;
	uint32_t handle;	 /* communicator, window or I/O handle of the process */
	int32_t peer, tag;	 /* root for a collective */
	uint64_t sent, received; /* bytes; of a message, both the size */
	uint64_t place;		 /* of a persistent collective, as tacho.seq; 0: of others */
	uint32_t seq;		 /* among its communicator's non-blocking collectives */
	uint32_t next;		 /* in its chain */
	bool cancelled;		 /* at completion: the operation did not take place */
	bool has_send;		 /* a receive: the send posted before it shares its number */
	bool is_before;		 /* its post was summed, see merge_sums.h */
	bool is_unknown;	 /* what its completion says of the message is no use */
};

struct requests {
	struct walk_request *at;
	uint32_t n, size, free;
	uint32_t *heads; /* by hash of the number */
	uint32_t nheads, pending;
	uint64_t next_id;
};

/* Gives `request` its id and keeps a copy. 0, or -1 without memory (reported). */
int requests_post(struct requests *r, struct walk_request *request);

/*
 * Takes the request `number` whose post began last before `before` (ticks):
 * a handle freed inside a Wait may have been handed out again before that
 * Wait returned. 0, or -1 when there is none.
 */
int requests_take(struct requests *r, uint32_t number, uint64_t before, struct walk_request *out);

/* Whether a collective, not persistent, is still in flight. */
bool requests_have_collective(const struct requests *r);

void requests_free(struct requests *r);

#endif
