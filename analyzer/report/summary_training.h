/*
 * summary_training.h - the summary's lines about a training: exchange of gradients, values that the
 * program reported, time before the first step and after the last one, growing memory. Without data
 * the line is left out. 0, or -1 (reported).
 */
#ifndef ANALYZER_SUMMARY_TRAINING_H
#define ANALYZER_SUMMARY_TRAINING_H

#include "report/summary_text.h"

struct report_db;

int summary_gradients(struct summary *s, struct report_db *db);
int summary_learning(struct summary *s, struct report_db *db);
int summary_ends(struct summary *s, struct report_db *db);
int summary_memory(struct summary *s, struct report_db *db);

#endif
