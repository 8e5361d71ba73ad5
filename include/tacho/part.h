/* part.h - the parts of a step of which a bounded spool keeps sums (totals.h), in trace and database. */
#ifndef TACHO_PART_H
#define TACHO_PART_H

/* Parts of a step: time in calls of the thread that are in no other call. */
enum totals_part {
	TOTALS_PART_IO,
	TOTALS_PART_MPI,
	TOTALS_PART_GLOO,
	TOTALS_PART_CUDA,
	TOTALS_PART_WAIT,  /* without sleep; with I/O on sockets and pipes */
	TOTALS_PART_SLEEP, /* for a time that the program gives */
	TOTALS_PARTS
};

#endif
