/* pack.c - see pack.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/guard.h"
#include "base/log.h"
#include "base/pack.h"

void pack_add(struct pack *pack, const void *data, size_t n)
{
	while (pack->n + n > pack->cap) {
		size_t cap = pack->cap ? 2 * pack->cap : 4096;
		char *grown = realloc(pack->at, cap);

		if (!grown) {
			log_error("out of memory for the writer's queue");
			guard_leave(1);
		}
		pack->at = grown;
		pack->cap = cap;
	}
	if (n)
		memcpy(pack->at + pack->n, data, n);
	pack->n += n;
}

void unpack(const char **at, void *to, size_t n)
{
	memcpy(to, *at, n);
	*at += n;
}
