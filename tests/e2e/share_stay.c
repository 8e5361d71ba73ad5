/*
 * share_stay.c - with this in front the merge of rank 1's node stays where its files are written and not
 * yet with the others, and says by the file "held" which processes do: its own, and the one that waits for it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_rank_1(void)
{
	const char *rank = getenv("OMPI_COMM_WORLD_RANK");

	rank = rank ? rank : getenv("SLURM_PROCID");
	return rank && strcmp(rank, "1") == 0;
}

int rename(const char *from, const char *to)
{
	int (*real)(const char *,
		const char *) = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
	FILE *file;

	if (!is_rank_1() || !strstr(from, "/trace.shared."))
		return real(from, to);
	file = fopen("held.tmp", "w");
	fprintf(file, "%d %d\n", getpid(), getppid());
	fclose(file);
	real("held.tmp", "held");
	for (;;)
		pause();
}
