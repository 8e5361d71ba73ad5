/* par_queue.h - what came from other processes and was not asked for yet: for the calls behind par.h. */
#ifndef ANALYZER_PAR_QUEUE_H
#define ANALYZER_PAR_QUEUE_H

#include <stddef.h>

struct waiting {
	struct waiting *next;
	int from;
	size_t n;
	char data[];
};

/* Empty: { .end = &queue.first }. */
struct queue {
	struct waiting *first, **end;
};

/* A copy of the data, at the end. 0, or -1 without memory. */
int queue_add(struct queue *queue, int from, const void *data, size_t n);

/* 1: the first has n bytes from that process; 0: there is none. */
int queue_probe(const struct queue *queue, int *from, size_t *n);

/* Drops the first, of which n bytes are copied. */
void queue_take(struct queue *queue, void *data, size_t n);

/* Drops the first, or all. */
void queue_drop(struct queue *queue);
void queue_clear(struct queue *queue);

#endif
