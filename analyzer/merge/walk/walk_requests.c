/* walk_requests.c - see walk_requests.h: a hash of chains, newest post first. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "merge/walk/walk_requests.h"

#define END UINT32_MAX

static uint32_t slot(const struct requests *r, uint32_t number)
{
	return number * 2654435761u & (r->nheads - 1);
}

/*
 * Doubles both tables and puts the chains in order again (oldest first, so that the newest ends in
 * front).
 */
static int grow(struct requests *r)
{
	uint32_t size = r->size ? 2 * r->size : 64;
	struct walk_request *at = realloc(r->at, size * sizeof(*at));
	uint32_t *heads = malloc(2 * size * sizeof(*heads)), *old = r->heads, nold = r->nheads;

	if (at)
		r->at = at;
	if (!at || !heads) {
		free(heads);
		log_error("out of memory");
		return -1;
	}
	memset(heads, 0xff, 2 * size * sizeof(*heads));
	r->size = size;
	r->heads = heads;
	r->nheads = 2 * size;
	for (uint32_t i = 0; i < nold; i++) {
		uint32_t reversed = END;

		for (uint32_t k = old[i], next; k != END; k = next) {
			next = at[k].next;
			at[k].next = reversed;
			reversed = k;
		}
		for (uint32_t k = reversed, next; k != END; k = next) {
			uint32_t *head = &heads[slot(r, at[k].number)];

			next = at[k].next;
			at[k].next = *head;
			*head = k;
		}
	}
	free(old);
	return 0;
}

int requests_post(struct requests *r, struct walk_request *request)
{
	uint32_t k, *head;

	if (!r->size)
		r->free = END;
	if (r->free == END && r->n == r->size && grow(r) < 0)
		return -1;
	if (r->free != END) {
		k = r->free;
		r->free = r->at[k].next;
	} else {
		k = r->n++;
	}
	request->id = r->next_id++;
	head = &r->heads[slot(r, request->number)];
	r->at[k] = *request;
	r->at[k].next = *head;
	*head = k;
	r->pending++;
	return 0;
}

int requests_take(struct requests *r, uint32_t number, uint64_t before, struct walk_request *out)
{
	uint32_t *link, k;

	if (!r->nheads)
		return -1;
	for (link = &r->heads[slot(r, number)]; *link != END; link = &r->at[*link].next)
		if (r->at[*link].number == number && r->at[*link].start <= before)
			break;
	if (*link == END)
		return -1;
	k = *link;
	*out = r->at[k];
	*link = r->at[k].next;
	r->at[k].next = r->free;
	r->free = k;
	r->pending--;
	return 0;
}

bool requests_have_collective(const struct requests *r)
{
	for (uint32_t i = 0; i < r->nheads; i++)
		for (uint32_t k = r->heads[i]; k != END; k = r->at[k].next)
			if (r->at[k].kind == REQUEST_COLL && !r->at[k].place)
				return true;
	return false;
}

void requests_free(struct requests *r)
{
	free(r->at);
	free(r->heads);
	*r = (struct requests){ 0 };
}
