/*
 * training_row.h - rows of the table training_metric: what processes gave by tacho_metric(), which the
 * archive has in properties of them (PROPERTY_VALUES).
 */
#ifndef ANALYZER_TRAINING_ROW_H
#define ANALYZER_TRAINING_ROW_H

struct tables;

/* Without memory tables->failed is set (reported). */
void training_rows_write(struct tables *tables);

#endif
