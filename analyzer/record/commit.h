/*
 * commit.h - which commit is recorded: what CI says in its variables, else what the git repository
 * of the working folder has checked out. Git's files are read, git itself is not run, so that no
 * hook, filter or monitor of the repository is.
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
