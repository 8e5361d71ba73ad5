/*
 * report_sections.c - makes the parts of a page in several threads. Each thread has its own
 * database connection, runs a part's query and gnuplot, and leaves a text. The texts are joined at
 * the end, in the order of the page.
 */
#include "config.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/par.h"
#include "report/report_page.h"

/* A part while the page is made. */
struct page_piece {
	const struct report_part *part; /* NULL: the head */
	char *needs;			/* the script before its query, NULL: none */
	char *body;
	bool taken; /* belongs to a task */
};

struct page_pieces {
	const struct report_page *page;
	int (*head)(struct report_page *page, void *user);
	void *user;
	struct page_piece *at; /* the head, then in the order of the page */
	size_t n;
	/*
	 * Parts that need the same script form one task, which executes it once. These tasks come
	 * first, then plots, so that the last tasks are short.
	 */
	struct page_piece **order;
	size_t *first; /* of each task in `order`; of one more the end */
	size_t ntasks;

	pthread_mutex_t lock;	/* of all below */
	struct report_db *idle; /* open connections without a user */
	size_t nidle, ndone;
};

static int part_show(struct report_page *page, const struct report_part *part)
{
	static int (*const show[])(struct report_page *, const struct report_part *,
		const struct result *) = {
#define PART_KIND(id, function) [KIND_##id] = function,
		REPORT_PART_KINDS(PART_KIND)
#undef PART_KIND
	};
	struct result rows;
	int ret;

	if (report_db_query(page->db, part->name, &rows) < 0)
		return -1;
	ret = rows.nrows ? show[part->kind](page, part, &rows) : 0;
	result_free(&rows);
	return ret;
}

static bool is_part(const struct report_part *part)
{
	return part->kind != KIND_SECTION && part->kind != KIND_END;
}

static size_t count_parts(const struct report_part *parts)
{
	size_t n = 0;

	while (parts[n].kind != KIND_SECTION || parts[n].name)
		n++;
	return n;
}

/* What takes longest is made first. */
static int piece_length(const struct page_piece *piece)
{
	if (piece->needs)
		return 2;
	return piece->part && (piece->part->kind == KIND_PLOT || piece->part->kind == KIND_CHART);
}

static void task_add(struct page_pieces *p, struct page_piece *first)
{
	size_t end = p->first[p->ntasks];

	for (struct page_piece *piece = first; piece < p->at + p->n; piece++) {
		if (piece != first &&
			!(first->needs && piece->needs && strcmp(first->needs, piece->needs) == 0))
			continue;
		piece->taken = true;
		p->order[end++] = piece;
	}
	p->first[++p->ntasks] = end;
}

static int pieces_init(struct page_pieces *p, const struct report_page *page)
{
	size_t nparts = count_parts(page->parts);

	*p = (struct page_pieces){ .page = page, .lock = PTHREAD_MUTEX_INITIALIZER };
	p->at = calloc(nparts + 1, sizeof(*p->at));
	p->order = calloc(nparts + 1, sizeof(*p->order));
	p->first = calloc(nparts + 2, sizeof(*p->first));
	p->idle = calloc(nparts + 1, sizeof(*p->idle));
	if (!p->at || !p->order || !p->first || !p->idle) {
		log_error("out of memory");
		return -1;
	}
	p->at[p->n++].needs = report_db_needs(page->head);
	for (const struct report_part *part = page->parts; part < page->parts + nparts; part++)
		if (is_part(part))
			p->at[p->n++] = (struct page_piece){ .part = part,
				.needs = report_db_needs(part->name) };
	for (int length = 2; length >= 0; length--)
		for (struct page_piece *piece = p->at; piece < p->at + p->n; piece++)
			if (!piece->taken && piece_length(piece) == length)
				task_add(p, piece);
	return 0;
}

static void pieces_free(struct page_pieces *p)
{
	for (size_t i = 0; i < p->nidle; i++)
		report_db_close(&p->idle[i]);
	for (size_t i = 0; p->at && i < p->n; i++) {
		free(p->at[i].needs);
		free(p->at[i].body);
	}
	free(p->at);
	free(p->order);
	free(p->first);
	free(p->idle);
}

/* A connection for this thread alone; one in memory is all there is. */
static int connection_take(struct page_pieces *p, struct report_db *db)
{
	bool found;

	pthread_mutex_lock(&p->lock);
	found = p->nidle > 0;
	if (found)
		*db = p->idle[--p->nidle];
	pthread_mutex_unlock(&p->lock);
	if (found)
		return 0;
	if (!p->page->db->in_memory)
		return report_db_open(db, p->page->db->path);
	*db = *p->page->db;
	return 0;
}

static void connection_return(struct page_pieces *p, struct report_db *db)
{
	pthread_mutex_lock(&p->lock);
	if (!db->in_memory)
		p->idle[p->nidle++] = *db;
	pthread_mutex_unlock(&p->lock);
}

static int piece_make(struct page_pieces *p, struct page_piece *piece, struct report_page *page)
{
	size_t size = 0;
	FILE *out = open_memstream(&piece->body, &size);
	int ret;

	if (!out) {
		log_error("out of memory");
		return -1;
	}
	page->out = out;
	ret = piece->part ? part_show(page, piece->part) : p->head(page, p->user);
	if (fclose(out) != 0)
		ret = -1;
	pthread_mutex_lock(&p->lock);
	log_progress("report", p->ndone++, p->n);
	pthread_mutex_unlock(&p->lock);
	return ret;
}

static int task_make(void *context, size_t task)
{
	struct page_pieces *p = context;
	struct report_page page = *p->page;
	struct report_db db;
	int ret = 0;

	if (connection_take(p, &db) < 0)
		return -1;
	page.db = &db;
	for (size_t i = p->first[task]; ret == 0 && i < p->first[task + 1]; i++)
		ret = piece_make(p, p->order[i], &page);
	connection_return(p, &db);
	return ret;
}

/* Puts one section into the page, and its line into the list of sections. */
static void section_show(struct report_page *page, const struct report_part *section,
	const struct page_piece *pieces, size_t npieces, FILE *nav)
{
	const char *empty = section[1].says;
	bool any = false;

	for (size_t i = 0; i < npieces; i++)
		any = any || pieces[i].body[0];
	if (!any && !empty)
		return;
	fprintf(nav, "<li><a href=\"#%s\">%c%s</a></li>\n", section->name,
		toupper(section->name[0]), section->name + 1);
	fprintf(page->out,
		"<section id=\"%s\" aria-labelledby=\"%s-title\">\n"
		"<h2 id=\"%s-title\">%s</h2>\n",
		section->name, section->name, section->name, section->title);
	if (section->says)
		fprintf(page->out, "<p class=\"says\">%s</p>\n", section->says);
	for (size_t i = 0; i < npieces; i++)
		fputs(pieces[i].body, page->out);
	if (!any)
		fprintf(page->out, "<p class=\"missing\">%s</p>\n", empty);
	fputs("</section>\n", page->out);
}

int sections_show(struct report_page *page, FILE *nav,
	int (*head)(struct report_page *page, void *user), void *user)
{
	const struct report_part *part = page->parts;
	struct page_pieces p;
	int ret = pieces_init(&p, page);

	p.head = head;
	p.user = user;
	if (ret == 0)
		ret = par_for(page->db->in_memory ? 1 : par_jobs(0), p.ntasks, task_make, &p);
	log_progress("report", 1, 1);
	for (size_t i = 1; ret == 0 && (part->kind != KIND_SECTION || part->name); part++) {
		size_t n = 0;

		if (part->kind != KIND_SECTION)
			continue;
		while (is_part(part + 2 + n))
			n++;
		section_show(page, part, p.at + i, n, nav);
		i += n;
	}
	pieces_free(&p);
	return ret;
}
