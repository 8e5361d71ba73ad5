/* study_command.c - see study_command.h. */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "sweep/study.h"
#include "sweep/study_command.h"

size_t study_name_length(const char *text)
{
	size_t n = 0;

	if (!isalpha((unsigned char)text[0]) && text[0] != '_')
		return 0;
	while (isalnum((unsigned char)text[n]) || text[n] == '_' || text[n] == '-')
		n++;
	return n;
}

static const char *const own_names[] = { "ranks", "nodes" };

bool study_name_is_own(const char *name)
{
	for (size_t i = 0; i < sizeof(own_names) / sizeof(*own_names); i++)
		if (strcmp(own_names[i], name) == 0)
			return true;
	return false;
}

/* --- words --- */

/* One word from *at on, quotes taken away, to `out`. False: a quote is not closed. */
static bool word_read(const char **at, FILE *out)
{
	const char *c = *at;
	char quote = '\0';

	for (; *c && (quote || !isspace((unsigned char)*c)); c++) {
		if (*c == quote)
			quote = '\0';
		else if (!quote && (*c == '\'' || *c == '"'))
			quote = *c;
		else if (*c == '\\' && quote != '\'' && c[1])
			fputc(*++c, out);
		else
			fputc(*c, out);
	}
	*at = c;
	return !quote;
}

int study_command_read(struct study *study, const char *line)
{
	for (const char *at = line + strspn(line, " \t"); *at; at += strspn(at, " \t")) {
		char *word = NULL;
		size_t size = 0;
		FILE *out = open_memstream(&word, &size);
		bool closed = out && word_read(&at, out);
		int ret = out && fclose(out) == 0 ? 0 : -1;

		if (ret == 0 && !closed)
			log_error("unterminated quote in the command: %s", line);
		if (ret == 0)
			ret = closed ? study_word_add(study, word) : -1;
		free(word);
		if (ret < 0)
			return -1;
	}
	return 0;
}

char *study_command_line(const struct study *study)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < study->command.n; i++) {
		fputs(i ? " " : "", out);
		text_quote(out, study->command.at[i]);
	}
	return fclose(out) == 0 ? text : NULL;
}

/* --- places --- */

/* The name of the place {name} at `at`, 0: there is none. A shell's ${name} is left alone. */
static size_t place_length(const char *word, const char *at)
{
	size_t n = at[0] == '{' ? study_name_length(at + 1) : 0;

	return n && at[n + 1] == '}' && (at == word || at[-1] != '$') ? n : 0;
}

static bool name_is(const char *name, const char *text, size_t length)
{
	return strlen(name) == length && strncmp(name, text, length) == 0;
}

/* What a place represents at a point; NULL: it is unknown, or has no value. */
static const char *place_value(const struct study *study, const struct study_point *point,
	const char *name, size_t length)
{
	if (name_is("ranks", name, length))
		return point->ranks;
	if (name_is("nodes", name, length))
		return point->nodes;
	for (size_t i = 0; i < study->knobs.n; i++)
		if (name_is(study->knobs.at[i].name, name, length))
			return point->values[i];
	return NULL;
}

static bool has_place(const struct study *study, const char *name)
{
	for (size_t i = 0; i < study->command.n; i++)
		for (const char *at = study->command.at[i]; *at; at++)
			if (name_is(name, at + 1, place_length(study->command.at[i], at)))
				return true;
	return false;
}

static int place_check(const struct study *study, const struct study_point *point, const char *name,
	size_t length)
{
	if (place_value(study, point, name, length))
		return 0;
	if (name_is("ranks", name, length) || name_is("nodes", name, length))
		log_error("the command has {%.*s}, but no numbers are given for it: --%.*s 1,2,4",
			(int)length, name, (int)length, name);
	else
		log_error("the command has {%.*s}, which is neither {ranks}, {nodes} nor a knob: "
			  "--knob %.*s=VALUE,VALUE (${%.*s} is left to a shell)",
			(int)length, name, (int)length, name, (int)length, name);
	return -1;
}

/*
 * Whether the launcher states the number of ranks: sbatch passes it to srun and mpirun in its job.
 */
static bool launcher_counts(const struct study *study)
{
	return study->launcher != LAUNCH_NONE;
}

static int uses_check(const struct study *study)
{
	if (study->ranks.n && !launcher_counts(study) && !has_place(study, "ranks")) {
		log_error("the command has no {ranks}, so that every run would be of one size: "
			  "write it where the number of ranks goes, or give --launcher");
		return -1;
	}
	if (!study->ranks.n && study->launcher != LAUNCH_NONE) {
		log_error("the launcher needs --ranks");
		return -1;
	}
	for (size_t i = 0; i < study->knobs.n; i++)
		if (!has_place(study, study->knobs.at[i].name)) {
			log_error("the command has no {%s}: write it where this knob's value goes",
				study->knobs.at[i].name);
			return -1;
		}
	return 0;
}

int study_command_check(const struct study *study)
{
	struct study_point point;
	int ret = study_point_get(study, 0, &point);

	for (size_t i = 0; i < study->command.n && ret == 0; i++) {
		const char *word = study->command.at[i];

		for (const char *at = word; *at && ret == 0; at++)
			if (place_length(word, at))
				ret = place_check(study, &point, at + 1, place_length(word, at));
	}
	free(point.values);
	return ret < 0 ? -1 : uses_check(study);
}

/* --- the command of a point --- */

static char *word_make(const struct study *study, const struct study_point *point, const char *word)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (const char *at = word; *at; at++) {
		size_t length = place_length(word, at);
		const char *value = length ? place_value(study, point, at + 1, length) : NULL;

		if (value) {
			fputs(value, out);
			at += length + 1;
		} else {
			fputc(*at, out);
		}
	}
	return fclose(out) == 0 ? text : NULL;
}

/* Ranks of each node, where both are known and divide. */
static int per_node(const struct study_point *point)
{
	int nodes = point->nodes ? atoi(point->nodes) : 1;

	return (atoi(point->ranks) + nodes - 1) / nodes;
}

/* The part before the command, with places. */
static const char *const before[][8] = {
	[LAUNCH_NONE] = { NULL },
	[LAUNCH_MPIRUN] = { "mpirun", "-n", "{ranks}", NULL },
	[LAUNCH_SRUN] = { "srun", "-n", "{ranks}", NULL },
	[LAUNCH_SBATCH] = { NULL },
	[LAUNCH_TORCHRUN] = { "torchrun", "--standalone", "--nproc_per_node", "{ranks}", NULL },
};

static int argv_put(char **argv, int n, char *word)
{
	argv[n] = word;
	return word ? n + 1 : -1;
}

char **study_argv(const struct study *study, const struct study_point *point)
{
	char **argv = calloc(study->command.n + 16, sizeof(*argv)), number[16];
	int n = argv ? 0 : -1;

	for (size_t i = 0; n >= 0 && before[study->launcher][i]; i++)
		n = argv_put(argv, n, word_make(study, point, before[study->launcher][i]));
	if (point->nodes && n >= 0 && study->launcher == LAUNCH_MPIRUN) {
		snprintf(number, sizeof(number), "%d", per_node(point));
		n = argv_put(argv, n, strdup("-N"));
		n = n < 0 ? -1 : argv_put(argv, n, strdup(number));
	}
	if (point->nodes && n >= 0 && study->launcher == LAUNCH_SRUN) {
		n = argv_put(argv, n, strdup("-N"));
		n = n < 0 ? -1 : argv_put(argv, n, strdup(point->nodes));
	}
	for (size_t i = 0; n >= 0 && i < study->command.n; i++)
		n = argv_put(argv, n, word_make(study, point, study->command.at[i]));
	if (n >= 0)
		return argv;
	log_error("out of memory");
	study_argv_free(argv);
	return NULL;
}

void study_argv_free(char **argv)
{
	for (size_t i = 0; argv && argv[i]; i++)
		free(argv[i]);
	free(argv);
}
