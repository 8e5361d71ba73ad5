/* par_queue.c - see par_queue.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/par_queue.h"

int queue_add(struct queue *queue, int from, const void *data, size_t n)
{
	struct waiting *waiting = malloc(sizeof(*waiting) + n);

	if (!waiting)
		return -1;
	*waiting = (struct waiting){ .from = from, .n = n };
	if (n)
		memcpy(waiting->data, data, n);
	*queue->end = waiting;
	queue->end = &waiting->next;
	return 0;
}

int queue_probe(const struct queue *queue, int *from, size_t *n)
{
	if (!queue->first)
		return 0;
	*from = queue->first->from;
	*n = queue->first->n;
	return 1;
}

void queue_take(struct queue *queue, void *data, size_t n)
{
	if (n)
		memcpy(data, queue->first->data, n);
	queue_drop(queue);
}

void queue_drop(struct queue *queue)
{
	struct waiting *first = queue->first;

	if (!first)
		return;
	queue->first = first->next;
	if (!queue->first)
		queue->end = &queue->first;
	free(first);
}

void queue_clear(struct queue *queue)
{
	while (queue->first)
		queue_drop(queue);
}
