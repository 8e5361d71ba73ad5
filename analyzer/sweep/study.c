/* study.c - see study.h: lists, points, their names. study_set.c fills and checks it. */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "sweep/study.h"

enum { NAME_MOST = 120 };

int study_text_add(study_texts *texts, const char *text, size_t length)
{
	char **at = ARRAY_ADD(texts);

	if (!at)
		return -1;
	*at = strndup(text, length);
	if (*at)
		return 0;
	log_error("out of memory");
	return -1;
}

void study_texts_free(study_texts *texts)
{
	for (size_t i = 0; i < texts->n; i++)
		free(texts->at[i]);
	free(texts->at);
	*texts = (study_texts){ 0 };
}

int study_word_add(struct study *study, const char *word)
{
	if (strchr(word, '\n')) {
		log_error("the command has a line break, which a study cannot hold: put it in a "
			  "script");
		return -1;
	}
	return study_text_add(&study->command, word, strlen(word));
}

void study_free(struct study *study)
{
	for (size_t i = 0; i < study->knobs.n; i++) {
		free(study->knobs.at[i].name);
		study_texts_free(&study->knobs.at[i].values);
	}
	free(study->knobs.at);
	study_texts_free(&study->command);
	study_texts_free(&study->ranks);
	study_texts_free(&study->nodes);
	free(study->folder);
	free(study->step_range);
	free(study->target);
	*study = (struct study)STUDY_DEFAULTS;
}

/* --- points --- */

size_t study_npoints(const struct study *study)
{
	size_t n = study->ranks.n ? study->ranks.n : 1;

	for (size_t i = 0; i < study->knobs.n; i++)
		n = n > POINTS_MOST ? n : n * study->knobs.at[i].values.n;
	return n;
}

int study_point_get(const struct study *study, size_t number, struct study_point *point)
{
	*point = (struct study_point){ .values = calloc(study->knobs.n + 1,
					       sizeof(*point->values)) };
	if (!point->values) {
		log_error("out of memory");
		return -1;
	}
	for (size_t i = study->knobs.n; i-- > 0;) {
		const study_texts *values = &study->knobs.at[i].values;

		point->values[i] = values->at[number % values->n];
		number /= values->n;
	}
	if (study->ranks.n)
		point->ranks = study->ranks.at[number];
	if (study->nodes.n)
		point->nodes = study->nodes.at[study->nodes.n > 1 ? number : 0];
	return 0;
}

char *study_point_label(const struct study *study, const struct study_point *point)
{
	const char *slash = strrchr(study->folder, '/');
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (study->knobs.n == 1 && isalpha((unsigned char)point->values[0][0]))
		fputs(point->values[0], out); /* a word that needs no key */
	else
		for (size_t i = 0; i < study->knobs.n; i++)
			fprintf(out, "%s%s=%s", i ? " " : "", study->knobs.at[i].name,
				point->values[i]);
	if (!study->knobs.n)
		fputs(slash && slash[1] ? slash + 1 : study->folder, out);
	if (point->ranks)
		fprintf(out, "-n%s", point->ranks);
	return fclose(out) == 0 ? text : NULL;
}

char *study_point_file(const struct study *study, size_t number, const struct study_point *point)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fprintf(out, "%02zu", number + 1);
	if (point->ranks)
		fprintf(out, "-n%s", point->ranks);
	for (size_t i = 0; i < study->knobs.n; i++)
		fprintf(out, "-%s=%s", study->knobs.at[i].name, point->values[i]);
	if (fclose(out) != 0)
		return NULL;
	for (char *c = text; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("-_.=+", *c))
			*c = '_';
	if (strlen(text) > NAME_MOST)
		text[NAME_MOST] = '\0';
	return text;
}
