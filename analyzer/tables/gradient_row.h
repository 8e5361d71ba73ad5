/*
 * gradient_row.h - rows of the tables gradient_pass and gradient_bucket: how ranks exchanged their gradients,
 * which the archive has in properties of them (PROPERTY_BUCKETS).
 */
#ifndef ANALYZER_GRADIENT_ROW_H
#define ANALYZER_GRADIENT_ROW_H

struct tables;

/* Without memory tables->failed is set (reported). */
void gradient_rows_write(struct tables *tables);

#endif
