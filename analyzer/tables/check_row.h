/* check_row.h - rows of the table checks: what must hold on every trace, and whether it did. */
#ifndef ANALYZER_CHECK_ROW_H
#define ANALYZER_CHECK_ROW_H

#include <stdbool.h>

#include "db/db.h"

/* A row of the table `checks`; a violated check is also printed. */
void check_write(struct db *db, const char *window, const char *name, bool ok, const char *format,
	...) __attribute__((format(printf, 5, 6)));

#endif
