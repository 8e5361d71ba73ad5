/*
 * summary_training.h - lines of the summary about a training: exchange of gradients, values that the
 * program gave, what comes before the first step and after the last one, memory that grows. Without
 * data there is no line. 0, or -1 (reported).
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
