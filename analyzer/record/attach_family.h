/*
 * attach_family.h - the processes recorded from outside: the ones that the user named and their
 * descendants, with the place of each in the job.
 */
#ifndef ANALYZER_RECORD_ATTACH_FAMILY_H
#define ANALYZER_RECORD_ATTACH_FAMILY_H

#include <stdbool.h>
#include <sys/types.h>

struct family_member {
	pid_t pid;
	pid_t parent; /* the rank's process that it is a child of; 0: it is a rank itself */
	int number; /* its rank, as no launcher has given any; -1: one has, or there is one process */
	bool is_named;
	bool starts; /* only others, as launchers and shells do: it is not recorded itself */
};

struct family {
	struct family_member *at;
	int n, room;
};

/* The named ones. */
void family_begin(struct family *family, const pid_t *pids, int npids);

/* Adds the descendants that are new. */
void family_look(struct family *family);

/* Whether one of the named processes is still there. */
bool family_lives(const struct family *family);

void family_free(struct family *family);

#endif
