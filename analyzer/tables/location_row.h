/*
 * location_row.h - rows of the tables process, location and location_time: once all is read, as
 * when they began and ended is known only then.
 */
#ifndef ANALYZER_LOCATION_ROW_H
#define ANALYZER_LOCATION_ROW_H

struct analysis;

void location_rows_write(struct analysis *analysis);

#endif
