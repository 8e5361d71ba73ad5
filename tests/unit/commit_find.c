/* commit_find.c - prints commit and branch that tacho record would keep in the working folder. */
#include "config.h"

#include <stdio.h>

#include "record/commit.h"

int main(void)
{
	struct commit commit;

	commit_find(&commit, ".");
	printf("%s %s\n", commit.hash, commit.branch);
	return 0;
}
