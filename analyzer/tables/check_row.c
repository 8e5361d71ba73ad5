/* check_row.c - see check_row.h. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "tables/check_row.h"
#include "tables/checks.def"

void check_write(struct db *db, const char *window, const char *name, bool ok, const char *format,
	...)
{
	static const struct db_table checks = DB_TABLE(checks, "insert", CHECKS_COLUMNS);
	char *message = NULL;
	va_list args;

	va_start(args, format);
	if (!ok && vasprintf(&message, format, args) < 0)
		message = NULL;
	va_end(args);
	if (!ok)
		log_warn("check %s failed in window %s: %s", name, window, message ? message : "");
	db_put_row(db, &checks, DB_ROW(CHECKS_COLUMNS));
	free(message);
}
