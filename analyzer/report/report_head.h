/* report_head.h - the head of a page: its name and facts, the verdict; and its end. */
#ifndef ANALYZER_REPORT_HEAD_H
#define ANALYZER_REPORT_HEAD_H

#include "report/report_page.h"

/* Replacements of the frame's {{places}}; owned texts, or NULL. */
struct page_frame {
	char *title, *style, *script, *nav, *head, *body, *foot;
};

/* Title, head and foot, the texts that need page->head; `user` is a frame. 0, or -1 (reported). */
int head_show(struct report_page *page, void *user);

#endif
