/*
 * spool_cut.c - usage: spool_cut DIR FOLDER TICKS…: for each instant a line: how many records of
 * the first thread a snapshot at that instant has, and how many calls the thread is in.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "spool/spool_in.h"

int main(int argc, char **argv)
{
	const struct spool_place place = { .dir = argv[1], .folder = argv[2] };

	for (int i = 3; i < argc; i++) {
		struct spool_process *process = spool_process_open(&place);
		struct spool_cursor cursor;
		unsigned n = 0, depth = 0;
		const uint64_t *rec;

		if (!process || !process->nthreads)
			return 1;
		spool_process_freeze(process, strtoull(argv[i], NULL, 0));
		spool_cursor_start(&cursor, process->threads[0]);
		while ((rec = spool_next(&cursor)))
			n += spool_type(rec[0]) != SPOOL_CLOCK;
		while (depth < SPOOL_MAX_DEPTH && process->threads[0]->head.inside[depth].region)
			depth++;
		printf("%u %u\n", n, depth);
		spool_process_close(process);
	}
	return 0;
}
