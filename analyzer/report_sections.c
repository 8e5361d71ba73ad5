/*
 * report_sections.c - the sections of a page, made by several threads: each has a connection to the
 * database of its own, runs its queries and gnuplot, and leaves a text; the texts are put together in
 * the end, in the order of the page.
 */
#include "config.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "par.h"
#include "report_page.h"

static int part_show(struct report_page *page, const struct report_part *part)
{
	static int (*const show[])(struct report_page *, const struct report_part *,
				   const struct report_result *) = {
#define PART_KIND(id, function) [KIND_##id] = function,
		REPORT_PART_KINDS(PART_KIND)
#undef PART_KIND
	};
	struct report_result rows;
	int ret;

	if (part->kind == KIND_SCRIPT)	/* has been executed for all that need it */
		return 0;
	if (report_db_query(page->db, part->name, &rows) < 0)
		return -1;
	ret = rows.nrows ? show[part->kind](page, part, &rows) : 0;
	result_free(&rows);
	return ret;
}

/* The parts of one section, printed to a text of their own; NULL when one failed (reported). */
static char *section_body(struct report_page *page, const struct report_part *part)
{
	char *body = NULL;
	size_t size = 0;
	int ret = 0;

	page->out = open_memstream(&body, &size);
	if (!page->out) {
		log_error("out of memory");
		return NULL;
	}
	for (; ret == 0 && part->kind != KIND_SECTION; part++)
		ret = part_show(page, part);
	if (fclose(page->out) != 0)
		ret = -1;
	if (ret == 0)
		return body;
	free(body);
	return NULL;
}

/* One section, and its line in the list of sections. */
static void section_show(struct report_page *page, const struct report_part *section,
			 const char *body, FILE *nav)
{
	const char *empty = section[1].says;

	if (body[0] || empty) {
		fprintf(nav, "<li><a href=\"#%s\">%c%s</a></li>\n", section->name,
			toupper(section->name[0]), section->name + 1);
		fprintf(page->out, "<section id=\"%s\" aria-labelledby=\"%s-title\">\n"
			"<h2 id=\"%s-title\">%s</h2>\n<p class=\"says\">%s</p>\n%s",
			section->name, section->name, section->name, section->title, section->says,
			body);
		if (!body[0])
			fprintf(page->out, "<p class=\"missing\">%s</p>\n", empty);
		fputs("</section>\n", page->out);
	}
}

/* The head of a page and its sections while they are made, by several threads. */
struct sections {
	const struct report_page *page;
	int (*head)(struct report_page *page, void *user);
	void *user;
	struct section {
		const struct report_part *part;	/* NULL: the head */
		const char *script;		/* before its queries, or NULL */
		char *body;
	} *at;				/* in the order of the page, the head first */
	/* Those that share a script are one task, on one connection. Tasks with one read most: first. */
	struct section **tasks;		/* one behind the other, each ends with NULL */
	size_t *task;			/* where each begins */
	size_t n, ntasks, ndone;
	pthread_mutex_t lock;		/* of ndone and the terminal's line */
};

/* Adds all sections with this script to the tasks; each is one for itself if that is NULL. */
static void task_add(struct sections *s, size_t *end, const char *script)
{
	bool open = false;

	for (size_t i = 0; i < s->n; i++) {
		struct section *section = &s->at[i];

		if (script ? !section->script || strcmp(section->script, script) != 0 :
		    section->script != NULL)
			continue;
		if (!open)
			s->task[s->ntasks++] = *end;
		s->tasks[(*end)++] = section;
		open = script != NULL;
		if (!open)
			s->tasks[(*end)++] = NULL;
	}
	if (open)
		s->tasks[(*end)++] = NULL;
}

static bool task_has(const struct sections *s, const char *script)
{
	for (size_t i = 0; i < s->ntasks; i++) {
		const char *other = s->tasks[s->task[i]]->script;

		if (other && strcmp(other, script) == 0)
			return true;
	}
	return false;
}

static int sections_init(struct sections *s, const struct report_page *page)
{
	const struct report_part *parts = page->parts;
	size_t n = 0, end = 0;

	*s = (struct sections){ .page = page, .lock = PTHREAD_MUTEX_INITIALIZER };
	while (parts[n].kind != KIND_SECTION || parts[n].name)
		n++;
	s->at = calloc(n + 1, sizeof(*s->at));
	s->tasks = calloc(2 * (n + 1), sizeof(*s->tasks));
	s->task = calloc(n + 1, sizeof(*s->task));
	if (!s->at || !s->tasks || !s->task) {
		log_error("out of memory");
		return -1;
	}
	s->at[s->n++].script = page->head_script;
	for (size_t i = 0; i < n; i++)
		if (parts[i].kind == KIND_SECTION)
			s->at[s->n++] = (struct section){ .part = &parts[i],
				.script = parts[i + 2].kind == KIND_SCRIPT ? parts[i + 2].name : NULL };
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].script && !task_has(s, s->at[i].script))
			task_add(s, &end, s->at[i].script);
	task_add(s, &end, NULL);
	return 0;
}

static void sections_free(struct sections *s)
{
	for (size_t i = 0; s->at && i < s->n; i++)
		free(s->at[i].body);
	free(s->at);
	free(s->tasks);
	free(s->task);
}

/* One section, or the head, on the connection of `page`. */
static int section_make(struct sections *s, struct section *section, struct report_page *page)
{
	int ret;

	if (section->part)
		section->body = section_body(page, section->part + 2);
	ret = section->part ? (section->body ? 0 : -1) : s->head(page, s->user);
	pthread_mutex_lock(&s->lock);
	log_progress("report", s->ndone++, s->n);
	pthread_mutex_unlock(&s->lock);
	return ret;
}

/* Makes one task, on a connection of its own where that can be. */
static int task_make(void *context, size_t i)
{
	struct sections *s = context;
	struct section **section = &s->tasks[s->task[i]];
	struct report_page page = *s->page;
	struct report_db db = *page.db;
	int ret = 0;

	page.db = &db;
	if (!db.in_memory && report_db_open(&db, s->page->db->path) < 0)
		return -1;
	if (section[0]->script)
		ret = report_db_script(&db, section[0]->script);
	for (; ret == 0 && *section; section++)
		ret = section_make(s, *section, &page);
	if (!db.in_memory)
		report_db_close(&db);
	return ret;
}

int sections_show(struct report_page *page, FILE *nav,
		  int (*head)(struct report_page *page, void *user), void *user)
{
	struct sections s;
	int ret = sections_init(&s, page);

	s.head = head;
	s.user = user;
	if (ret == 0)
		ret = par_for(page->db->in_memory ? 1 : par_jobs(0), s.ntasks, task_make, &s);
	log_progress("report", 1, 1);
	for (size_t i = 1; ret == 0 && i < s.n; i++)
		section_show(page, s.at[i].part, s.at[i].body, nav);
	sections_free(&s);
	return ret;
}
