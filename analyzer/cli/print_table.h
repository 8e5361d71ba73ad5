/* print_table.h - PRINT_TABLE of print.h. */
#ifndef ANALYZER_PRINT_TABLE_H
#define ANALYZER_PRINT_TABLE_H

#include <sqlite3.h>

#include "cli/print.h"

/* As print_rows(). */
int print_table(struct print *print, sqlite3_stmt *statement, const char *title);

#endif
