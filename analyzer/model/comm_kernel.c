/* comm_kernel.c - see comm_kernel.h. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "model/comm_kernel.h"

enum { FURTHER_MOST = 1024 };

static const struct {
	const char *word;
	enum comm_kernel kind;
} words[] = {
#define WORD(word, kind) { word, COMM_KERNEL_##kind },
#include "model/comm_kernel.def"
#undef WORD
};

/* Beginnings of names that the user gave. */
static struct {
	char *at[FURTHER_MOST];
	size_t n;
} further;

static void word_add(char *line)
{
	line[strcspn(line, " \t\r\n#")] = '\0';
	if (*line && further.n < FURTHER_MOST)
		further.at[further.n] = strdup(line);
	further.n += further.n < FURTHER_MOST && further.at[further.n];
}

int comm_kernels_read(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[1024];
	int error;

	while (file && fgets(line, sizeof(line), file))
		word_add(line);
	error = !file || ferror(file) ? errno : 0;
	if (file)
		fclose(file);
	if (error)
		log_error("TACHO_KERNELS: cannot read %s: %s", path, strerror(error));
	return error ? -1 : 0;
}

/* What the identifiers at `at` are by the tables. */
static enum comm_kernel word_kind(const char *at)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strncmp(at, words[i].word, strlen(words[i].word)))
			return words[i].kind;
	for (size_t i = 0; i < further.n; i++)
		if (!strncmp(at, further.at[i], strlen(further.at[i])))
			return COMM_KERNEL_OTHER;
	return COMM_KERNEL_NONE;
}

static bool is_letter(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

/* Length of the part without template arguments and parameters, where the name is readable. */
static size_t front(const char *name)
{
	size_t at = 0;

	while (name[at]) {
		size_t skip = !strncmp(name + at, "(anonymous namespace)", 21) ? 21
			: !strncmp(name + at, "<unnamed>", 9)		       ? 9
									       : 0;

		if (!skip && (name[at] == '(' || name[at] == '<'))
			break;
		at += skip ? skip : 1;
	}
	return at;
}

/* An identifier of NCCL's with Kernel in it: ncclKernel_, ncclDevKernel_, ncclSymkDevKernel_… */
static bool is_nccl(const char *at, const char *end)
{
	if ((size_t)(end - at) < 10 || strncmp(at, "nccl", 4) != 0)
		return false;
	for (; end - at >= 6 && (isalnum((unsigned char)*at) || *at == '_'); at++)
		if (!strncmp(at, "Kernel", 6))
			return true;
	return false;
}

enum comm_kernel comm_kernel(const char *name)
{
	const char *end = name + front(name);
	enum comm_kernel kind;

	for (const char *at = name; at < end; at++) {
		/* mangled, an identifier follows the number of its letters */
		if (!is_letter(*at) || (at > name && is_letter(at[-1])))
			continue;
		if (is_nccl(at, end))
			return COMM_KERNEL_NCCL;
		kind = word_kind(at);
		if (kind != COMM_KERNEL_NONE)
			return kind;
	}
	return COMM_KERNEL_NONE;
}
