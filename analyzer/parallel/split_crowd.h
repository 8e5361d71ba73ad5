/*
 * split_crowd.h - whether other programs leave the readers too little of the processors. Readers wait for
 * each other in every collective, so where each of them often waits for a core, both together get on
 * more slowly than one.
 */
#ifndef ANALYZER_SPLIT_CROWD_H
#define ANALYZER_SPLIT_CROWD_H

#include <stdbool.h>
#include <stdint.h>

struct crowd {
	int64_t looked_ns;    /* when it was last decided, 0: not yet */
	uint64_t ran, waited; /* by then, of all readers, ns */
};

/*
 * To be asked again and again while the readers here work. True: since it last was decided, half a second
 * ago at least, they waited for a core half as long as they had one.
 */
bool crowd_is_there(struct crowd *crowd);

#endif
