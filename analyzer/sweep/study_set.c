/* study_set.c - fills a study key by key, and reports values that cannot be run. */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "sweep/study.h"
#include "sweep/study_command.h"

enum { SEARCH_REPEAT = 3 };

static bool is_number(const char *text)
{
	return *text >= '1' && *text <= '9' && strspn(text, "0123456789") == strlen(text) &&
		strlen(text) < 9;
}

/* The values between commas, without blanks around them. */
static int list_read(study_texts *list, const char *key, const char *value, bool numbers)
{
	study_texts_free(list);
	for (const char *at = value;; at++) {
		size_t length;

		at += strspn(at, " \t");
		length = strcspn(at, ",");
		while (length && isspace((unsigned char)at[length - 1]))
			length--;
		if (!length && (*value || numbers)) {
			log_error("%s has an empty value in its list '%s': give values like 1,2,4",
				key, value);
			return -1;
		}
		if (!length) {
			log_error("%s has no values: give them like %s=1,2,4", key, key);
			return -1;
		}
		if (study_text_add(list, at, length) < 0)
			return -1;
		if (numbers && !is_number(list->at[list->n - 1])) {
			log_error("%s: '%s' must be a number, at least 1", key,
				list->at[list->n - 1]);
			return -1;
		}
		for (size_t i = 0; i + 1 < list->n && !numbers; i++)
			if (strcmp(list->at[i], list->at[list->n - 1]) == 0) {
				log_error("%s has the value %s twice", key, list->at[i]);
				return -1;
			}
		at += strcspn(at, ",");
		if (!*at)
			return 0;
	}
}

static int knob_set(struct study *study, const char *name, const char *value)
{
	struct study_knob *knob = NULL;

	if (!study_name_length(name) || name[study_name_length(name)]) {
		log_error("'%s' is no name of a knob: letters, digits, _ and -, a letter first",
			name);
		return -1;
	}
	if (study_name_is_own(name)) {
		log_error("a knob cannot be called %s, which tacho sweep sets itself", name);
		return -1;
	}
	for (size_t i = 0; i < study->knobs.n; i++)
		if (strcmp(study->knobs.at[i].name, name) == 0) {
			log_error("knob %s is given twice", name);
			return -1;
		}
	knob = ARRAY_ADD(&study->knobs);
	if (!knob || !(knob->name = strdup(name)))
		return -1;
	return list_read(&knob->values, name, value, false);
}

const char *const study_launchers[] = { "none", "mpirun", "srun", "sbatch", "torchrun", NULL };
const char *const study_searches[] = { "none", "time", "step", "target", NULL };

static int word_set(unsigned *to, const char *const *words, const char *choices, const char *key,
	const char *value)
{
	for (unsigned i = 0; words[i]; i++)
		if (strcmp(words[i], value) == 0) {
			*to = i;
			return 0;
		}
	log_error("%s: '%s' is none of %s", key, value, choices);
	return -1;
}

static int number_set(int64_t *number, const char *key, const char *value, int64_t least)
{
	char *end;
	long long read = strtoll(value, &end, 10);

	if (end == value || *end || read < least || read > 1000000000) {
		log_error("%s: '%s' must be a number, at least %d", key, value, (int)least);
		return -1;
	}
	*number = read;
	return 0;
}

static int said_set(char **to, const char *value)
{
	free(*to);
	*to = strdup(value);
	return *to ? 0 : -1;
}

int study_set(struct study *study, const char *key, const char *value)
{
	int64_t number = 0;

	if (strchr(value, '\n')) {
		log_error("%s has a line break, which a study cannot hold: put it in a script",
			key);
		return -1;
	}
	if (strncmp(key, "knob.", 5) == 0)
		return knob_set(study, key + 5, value);
	if (strcmp(key, "ranks") == 0)
		return list_read(&study->ranks, key, value, true);
	if (strcmp(key, "nodes") == 0)
		return list_read(&study->nodes, key, value, true);
	if (strcmp(key, "launcher") == 0)
		return word_set(&study->launcher, study_launchers, STUDY_LAUNCHERS, key, value);
	if (strcmp(key, "search") == 0)
		return word_set(&study->search, study_searches, STUDY_SEARCHES, key, value);
	if (strcmp(key, "command") == 0) {
		study_texts_free(&study->command);
		return study_command_read(study, value);
	}
	if (strcmp(key, "step-range") == 0)
		return said_set(&study->step_range, value);
	if (strcmp(key, "target") == 0)
		return said_set(&study->target, value);
	if (strcmp(key, "seed") == 0)
		return number_set(&study->seed, key, value, 0);
	if (strcmp(key, "repeat") == 0) {
		if (number_set(&number, key, value, 1) < 0)
			return -1;
		study->repeat = (int)number;
		return 0;
	}
	log_error("a study has no '%s': command, launcher, ranks, nodes, knob.NAME, search, "
		  "step-range, target, repeat, seed",
		key);
	return -1;
}

/* --- what cannot be run --- */

static int nodes_check(const struct study *study)
{
	if (study->nodes.n > 1 && study->nodes.n != study->ranks.n) {
		log_error("nodes has %zu values and ranks %zu: give one for each number of ranks, "
			  "in the same order, or one for all",
			study->nodes.n, study->ranks.n);
		return -1;
	}
	for (size_t i = 0; i < study->nodes.n; i++) {
		size_t at = study->nodes.n > 1 ? i : 0;

		if (study->ranks.n && atoi(study->nodes.at[i]) > atoi(study->ranks.at[at])) {
			log_error("%s ranks cannot be on %s nodes", study->ranks.at[at],
				study->nodes.at[i]);
			return -1;
		}
	}
	for (size_t i = 0; i < study->ranks.n; i++)
		for (size_t k = 0; k < i; k++)
			if (strcmp(study->ranks.at[i], study->ranks.at[k]) == 0 &&
				(study->nodes.n < 2 ||
					strcmp(study->nodes.at[i], study->nodes.at[k]) == 0)) {
				log_error("ranks has the value %s twice", study->ranks.at[i]);
				return -1;
			}
	return 0;
}

int study_check(struct study *study)
{
	if (!study->repeat)
		study->repeat = study->search ? SEARCH_REPEAT : 1;
	if (!study->command.n) {
		log_error("the study has no command");
		return -1;
	}
	if (!study->ranks.n && !study->knobs.n) {
		log_error("nothing is varied: give --ranks 1,2,4 or --knob NAME=VALUE,VALUE");
		return -1;
	}
	if (study->search && (study->ranks.n > 1 || study_npoints(study) < 2)) {
		log_error("a search is for the best of several values of knobs, at one number of "
			  "ranks");
		return -1;
	}
	if (study->search == SEARCH_TARGET && !study->target) {
		log_error("a search for the shortest time to a target needs one: give --target "
			  "loss=0.5");
		return -1;
	}
	if (nodes_check(study) < 0 || study_command_check(study) < 0)
		return -1;
	if (study_npoints(study) * (size_t)study->repeat > POINTS_MOST) {
		log_error("these are more than %d runs: give fewer values", POINTS_MOST);
		return -1;
	}
	return 0;
}
