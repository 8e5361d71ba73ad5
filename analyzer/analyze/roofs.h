/* roofs.h - what tacho doctor measured on the nodes of a run, beside the run: rates as shares of it. */
#ifndef ANALYZER_ROOFS_H
#define ANALYZER_ROOFS_H

struct engine;

/* The text of a file of `tacho doctor --format json`, to be freed; NULL: it is none (reported). */
char *roofs_read(const char *path);

/* What roofs_keep() put into the folder of a run, to be freed; NULL: nothing, or nothing of doctor's (reported). */
char *roofs_kept(const char *run);
int roofs_keep(const char *run, const char *text);

/*
 * Its figures of each node as rows of environment, scope node:NAME, keys roof.NAME; of storage the best of
 * the folders. 0, or -1 (reported).
 */
int roofs_write(struct engine *engine, const char *text);

#endif
