/*
 * report_page.h - the parts a report's sections are made of. A part is one
 * query and one way to show its rows; which parts there are is decided by
 * report_sections.def.
 */
#ifndef ANALYZER_REPORT_PAGE_H
#define ANALYZER_REPORT_PAGE_H

#include "report/report_db.h"

/* PART_KIND(enumerator, function) */
#define REPORT_PART_KINDS(PART_KIND)                                                               \
	PART_KIND(TABLE, part_table) /* rows as they come; `size` of them in sight */              \
	PART_KIND(PIVOT, part_pivot) /* Figure, Depth, Meaning, Window, Value, Reason: windows   \
	                                  side by side */ \
	PART_KIND(SHARES, part_shares) /* State, Key, Time, Share, Meaning: one bar */             \
	PART_KIND(NOTES, part_notes)   /* Level, Sentence: a list, folded */                       \
	PART_KIND(TOP, part_top) /* Saves, Finding, How sure, and a place: Row, From, To… */     \
	PART_KIND(ADVICE, part_advice) /* Saves, Finding, Advice, How sure, Evidence: a list */    \
	PART_KIND(PLOT, part_plot)     /* drawn by reports/NAME.gp, `size` pixels high */          \
	PART_KIND(ICICLE, part_icicle) /* Place, Caller, Depth, Time…: boxes, callers first */   \
	PART_KIND(PAIR, part_pair)     /* Path, Label: of runs the JSON, one under the other */    \
	PART_KIND(VIEW, part_view)     /* one cell: JSON that reports/view/view.js draws */        \
	PART_KIND(WHATIF,                                                                          \
		part_whatif) /* one cell: JSON that reports/page/whatif.js lets choose from */     \
	PART_KIND(CHART, part_chart) /* the same, `size` pixels per line of its block `rows`;    \
	                                  its data for people are NAME_data.sql */

enum report_kind {
	KIND_SECTION,
#define PART_KIND(id, function) KIND_##id,
	REPORT_PART_KINDS(PART_KIND)
#undef PART_KIND
		KIND_END
};

struct report_part {
	enum report_kind kind;
	const char *name;  /* of the query and plot in reports/; a section's anchor */
	const char *title; /* caption */
	const char *says;  /* section: its content, and how to read it */
	int size;
	bool folded;
};

struct report_page {
	const struct report_part *parts; /* of all sections, with an end of kind SECTION */
	const char *head;		 /* query of title and figures */
	const char *verdict;		 /* query of the verdict, NULL: none */
	FILE *out;
	struct report_db *db;
	const char *folder;	 /* where plots and data go as files */
	const char *folder_name; /* its last part, for links */
	const char *gnuplot;	 /* NULL: no plots */
	bool plots_left_out;	 /* as was asked for, not for want of gnuplot */
};

/* Each shows a result of one row or more. 0, or -1 (reported). */
#define PART_KIND(id, function)                                                                    \
	int function(struct report_page *page, const struct report_part *part,                     \
		const struct result *rows);
REPORT_PART_KINDS(PART_KIND)
#undef PART_KIND

/*
 * Makes all parts and the head, from several threads at once, each on a copy of `page` with a
 * connection that no other uses. Then puts the sections into page->out and their list into `nav`.
 * 0, or -1 (reported).
 */
int sections_show(struct report_page *page, FILE *nav,
	int (*head)(struct report_page *page, void *user), void *user);

/* The text of a file of reports/ (page.html), to be freed; NULL: reported. */
char *report_data(const char *name);

/* A mark at a figure of the run that something lost touches; nothing where all was recorded. */
void page_mark(struct report_page *page);

/*
 * Links to where the timeline shows a finding, for view.js: a row of findings_top.sql or
 * finding_places.sql. Nothing where all of the timeline does.
 */
void page_place(FILE *out, const struct result *r, size_t row);

/* Path FOLDER/NAME.EXTENSION, to be freed; NULL without memory (reported). */
char *part_path(const struct report_page *page, const char *name, const char *extension);

/* Opens FOLDER/NAME.EXTENSION for writing; NULL when that fails. The second closes it: 0, or -1. Both report. */
FILE *part_create(const struct report_page *page, const char *name, const char *extension);
int part_close(const struct report_page *page, FILE *file);

/* Writes the rows to FOLDER/NAME.csv and a link to them to the page. 0, or -1 (reported). */
int part_data(struct report_page *page, const struct report_part *part, const struct result *rows);

/*
 * Runs `gnuplot -d NAME.gp` in the page's folder. 0, or -1 with a reason in `why` (not reported).
 */
int gnuplot_run(const char *gnuplot, const char *folder, const char *name, char *why, size_t size);

/* Names of a drawing's series in the order in which it draws them, shown on hover. */
struct svg_titles {
	size_t n;
	const char **at;
};

/*
 * Copies the SVG that gnuplot wrote into the page, its ids made the page's own. 0, or -1 when it is
 * not one.
 */
int svg_inline(FILE *out, const char *path, const char *name, const char *label,
	const struct svg_titles *titles);

#endif
