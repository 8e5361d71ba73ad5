/*
 * commit.h - finds the recorded commit: from CI's variables, else the commit checked out in the git
 * repository of the working folder. It reads git's files and does not run git, so that no hook,
 * filter or monitor of the repository runs.
 */
#ifndef ANALYZER_COMMIT_H
#define ANALYZER_COMMIT_H

struct commit {
	char hash[65];	  /* "": not known */
	char branch[256]; /* "": none (a detached head), or not known */
};

/* `folder`: where to search for a repository, and above it. */
void commit_find(struct commit *commit, const char *folder);

#endif
