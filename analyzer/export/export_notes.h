/*
 * export_notes.h - collects the events inside of a call that describe it: bytes, partner,
 * communicator, file.
 */
#ifndef ANALYZER_EXPORT_NOTES_H
#define ANALYZER_EXPORT_NOTES_H

#include "base/json.h"
#include "model/model.h"

struct export_notes {
	uint32_t comm, file, nmessages; /* MODEL_NONE: none */
	int64_t peer, root, tag, step;	/* ranks of the job; -1: none, or several */
	uint64_t sent, received, read;	/* read: bytes of I/O, of either direction */
	bool has_bytes, has_io;
};

void export_notes_clear(struct export_notes *notes);

/* Adds an event of the process. True if it describes a call. */
bool export_notes_take(struct export_notes *notes, struct model *model, uint32_t process,
	const struct event *event);

/* Writes them as members of the open object. */
void export_notes_members(const struct export_notes *notes, const struct model *model,
	struct json *json);

/* Writes them as the member "args" of an event; nothing where there are none. */
void export_notes_put(const struct export_notes *notes, const struct model *model,
	struct json *json);

#endif
