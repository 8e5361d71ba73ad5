/*
 * python_row.h - rows of the tables python_frame and python_sample: samples of threads in Python,
 * which the archive keeps in properties of processes (PROPERTY_PYTHON).
 */
#ifndef ANALYZER_PYTHON_ROW_H
#define ANALYZER_PYTHON_ROW_H

struct tables;

/* Without memory tables->failed is set (reported). */
void python_rows_write(struct tables *tables);

#endif
