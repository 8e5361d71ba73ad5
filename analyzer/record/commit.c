/* commit.c - see commit.h. It reads only two of CI's variables: commit and branch. */
#include "config.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/rundir.h"
#include "record/commit.h"

#define HASH_LEAST 7

/* Variables of CI services; the first branch that is set counts. */
static const struct {
	const char *hash, *branches[2];
} services[] = {
	{ "GITHUB_SHA", { "GITHUB_HEAD_REF", "GITHUB_REF_NAME" } },
	{ "CI_COMMIT_SHA", { "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "CI_COMMIT_REF_NAME" } },
	{ "GIT_COMMIT", { "GIT_BRANCH", NULL } },
	{ "BUILD_SOURCEVERSION", { "BUILD_SOURCEBRANCH", NULL } },
	{ "CIRCLE_SHA1", { "CIRCLE_BRANCH", NULL } },
	{ "BUILDKITE_COMMIT", { "BUILDKITE_BRANCH", NULL } },
	{ "BITBUCKET_COMMIT", { "BITBUCKET_BRANCH", NULL } },
};

/* What is no hash is not kept. */
static bool hash_take(struct commit *commit, const char *text)
{
	size_t length = text ? strspn(text, "0123456789abcdefABCDEF") : 0;

	if (length < HASH_LEAST || length >= sizeof(commit->hash) || text[length])
		return false;
	memcpy(commit->hash, text, length + 1);
	return true;
}

/* Nor is what git would not take as a branch's name, like an address. */
static bool branch_take(struct commit *commit, const char *text)
{
	static const char head[] = "refs/heads/";
	size_t length;

	if (text && strncmp(text, head, strlen(head)) == 0)
		text += strlen(head);
	length = text ? strlen(text) : 0;
	if (!length || length >= sizeof(commit->branch) || strstr(text, "..") ||
		strpbrk(text, " ~^:?*[\\"))
		return false;
	for (const char *at = text; *at; at++)
		if (iscntrl((unsigned char)*at))
			return false;
	memcpy(commit->branch, text, length + 1);
	return true;
}

static bool variables_read(struct commit *commit)
{
	for (size_t i = 0; i < sizeof(services) / sizeof(*services); i++) {
		if (!hash_take(commit, getenv(services[i].hash)))
			continue;
		for (int k = 0; k < 2 && services[i].branches[k]; k++)
			if (branch_take(commit, getenv(services[i].branches[k])))
				break;
		return true;
	}
	return false;
}

/* A regular file for reading; NULL: there is none. A pipe of that name does not hold up anybody. */
static FILE *file_open(const char *folder, const char *name)
{
	char *path = path_join(folder, name);
	int fd = path ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
	struct stat st;
	FILE *file = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? fdopen(fd, "r") : NULL;

	if (fd >= 0 && !file)
		close(fd);
	free(path);
	return file;
}

/* The first line of a file without its end, to be freed; NULL: there is none. */
static char *line_read(const char *folder, const char *name)
{
	FILE *file = file_open(folder, name);
	char *line = NULL;
	size_t size = 0;
	ssize_t n = file ? getline(&line, &size, file) : -1;

	if (file)
		fclose(file);
	if (n < 0) {
		free(line);
		return NULL;
	}
	line[strcspn(line, "\r\n")] = '\0';
	return line;
}

/*
 * The repository of a folder: FOLDER/.git, or the path in the file .git of a worktree. NULL: none.
 */
static char *repository_of(const char *folder)
{
	static const char mark[] = "gitdir: ";
	char *git = path_join(folder, ".git"), *line, *path = NULL;

	if (!git || path_is_folder(git))
		return git;
	free(git);
	line = line_read(folder, ".git");
	if (line && strncmp(line, mark, strlen(mark)) == 0)
		path = path_join(folder, line + strlen(mark));
	free(line);
	return path;
}

/* The hash of `ref` in git's list of those without a file: lines "HASH REF". */
static bool packed_read(struct commit *commit, const char *repository, const char *ref)
{
	FILE *file = file_open(repository, "packed-refs");
	char *line = NULL;
	size_t size = 0;
	bool found = false;

	while (file && !found && getline(&line, &size, file) > 0) {
		char *blank = strchr(line, ' ');

		line[strcspn(line, "\r\n")] = '\0';
		if (!blank || strcmp(blank + 1, ref) != 0)
			continue;
		*blank = '\0';
		found = hash_take(commit, line);
	}
	if (file)
		fclose(file);
	free(line);
	return found;
}

/* What a branch points to; worktrees keep branches in the repository that they belong to. */
static void ref_read(struct commit *commit, const char *repository, const char *ref)
{
	char *common = line_read(repository, "commondir");
	char *shared = common ? path_join(repository, common) : strdup(repository);
	char *line = shared ? line_read(shared, ref) : NULL;

	if (shared && !hash_take(commit, line))
		packed_read(commit, shared, ref);
	free(line);
	free(shared);
	free(common);
}

static void repository_read(struct commit *commit, const char *repository)
{
	static const char mark[] = "ref: ", refs[] = "refs/";
	char *head = line_read(repository, "HEAD");
	const char *ref = head && strncmp(head, mark, strlen(mark)) == 0 ? head + strlen(mark)
									 : NULL;

	if (head && !ref)
		hash_take(commit, head);
	if (ref && strncmp(ref, refs, strlen(refs)) == 0 && branch_take(commit, ref))
		ref_read(commit, repository, ref);
	free(head);
}

void commit_find(struct commit *commit, const char *folder)
{
	char *path = realpath(folder, NULL), *repository = NULL;

	*commit = (struct commit){ 0 };
	if (!variables_read(commit)) {
		while (path && *path && !repository) {
			repository = repository_of(path);
			*strrchr(path, '/') = '\0';
		}
		if (repository)
			repository_read(commit, repository);
	}
	if (!commit->hash[0])
		commit->branch[0] = '\0';
	free(repository);
	free(path);
}
