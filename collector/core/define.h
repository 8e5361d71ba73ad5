/*
 * define.h - writes definitions (struct spool_def in tacho/spool.h). Any thread may call these
 * functions; they keep errno, and return 0 when the process does not record or the definition could
 * not be written (which is counted).
 */
#ifndef COLLECTOR_DEFINE_H
#define COLLECTOR_DEFINE_H

#include "core/process.h"

/* What one definition consists of. */
struct def {
	uint32_t type; /* enum spool_def_type */
	uint32_t id;
	const void *body; /* the struct spool_def_… of the type */
	size_t nbody;
	const void *list; /* the following list (world ranks), or NULL */
	size_t nlist;
	const char *key;  /* with its NUL the first part of the text, or NULL */
	const char *text; /* NULL: none */
	size_t ntext;	  /* 0: strlen(text) */
	bool is_needed;	  /* written also where names have no more room in the budget */
};

/* Appends a definition. Returns 0, or -1 when it was not written. */
int process_define(const struct def *def) HIDDEN;

/* Defines a marker's name; returns its number or 0. */
uint32_t process_define_name(const char *name) HIDDEN;

/*
 * Defines a file, pipe, socket…; returns its number or 0, errno then states why, EDQUOT: names
 * have no more room in the budget. The caller has made sure that it is the process that joined.
 */
uint32_t process_define_handle(const struct spool_def_handle *handle, const char *path) HIDDEN;

/* The same of one that represents all such, once names have no more room in the budget. */
uint32_t process_define_others(const struct spool_def_handle *handle, const char *path) HIDDEN;

/* The same of one that is like another. */
uint32_t process_define_handle_like(const struct spool_def_handle_like *handle,
	const char *rest) HIDDEN;

/*
 * Defines communicator `id` (from process_allot(DEF_COMM)) with its `comm->size
 * + comm->nremote` world ranks. Returns 0 or -1.
 */
int process_define_comm(uint32_t id, struct spool_def_comm comm, const uint32_t *world,
	const char *name) HIDDEN;

/* Adds a property: `key` as in env.c ("process.…", "node.…"). */
void process_define_property(const char *key, const char *value) HIDDEN;

/* Writes a clock pair. */
void process_define_clock(void) HIDDEN;

#endif
