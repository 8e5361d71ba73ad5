/* export_notes.c - see export_notes.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "export/export_notes.h"

void export_notes_clear(struct export_notes *notes)
{
	*notes = (struct export_notes){ .comm = MODEL_NONE,
		.file = MODEL_NONE,
		.peer = -1,
		.root = -1,
		.tag = -1,
		.step = -1 };
}

static int64_t job_rank(struct model *model, uint32_t comm, uint32_t process, uint32_t rank)
{
	uint32_t peer = comm == MODEL_NONE ? MODEL_NONE : model_peer(model, comm, process, rank);

	return peer == MODEL_NONE ? -1 : model->processes.at[peer].rank;
}

static void message_take(struct export_notes *notes, struct model *model, uint32_t process,
	const struct event *event, bool sent)
{
	int64_t peer = process == MODEL_NONE
		? -1
		: job_rank(model, model_comm(model, event->ref), process, event->peer);
	bool first = !notes->nmessages++;

	notes->comm = model_comm(model, event->ref);
	notes->peer = first || peer == notes->peer ? peer : -1;
	notes->tag = first || (int64_t)event->tag == notes->tag ? (int64_t)event->tag : -1;
	*(sent ? &notes->sent : &notes->received) += event->bytes;
	notes->has_bytes = true;
}

static void collective_take(struct export_notes *notes, struct model *model, uint32_t process,
	const struct event *event)
{
	notes->comm = model_comm(model, event->ref);
	if (process != MODEL_NONE && notes->comm != MODEL_NONE &&
		event->peer < model->comms.at[notes->comm].nmembers)
		notes->root = job_rank(model, notes->comm, process, event->peer);
	notes->sent += event->bytes;
	notes->received += event->received;
	notes->has_bytes = true;
}

bool export_notes_take(struct export_notes *notes, struct model *model, uint32_t process,
	const struct event *event)
{
	switch (event->kind) {
	case EVENT_SEND:
	case EVENT_ISEND: message_take(notes, model, process, event, true); return true;
	case EVENT_RECV:
	case EVENT_IRECV: message_take(notes, model, process, event, false); return true;
	case EVENT_COLLECTIVE_END: collective_take(notes, model, process, event); return true;
	case EVENT_IO_COMPLETE:
		notes->file = model_handle_file(model, event->ref);
		notes->read += event->bytes;
		notes->has_io = true;
		return true;
	case EVENT_PARAMETER:
		if (event->peer < 1U << 16 && event->ref == TRACE_PARAMETER_STEP)
			notes->step = (int64_t)event->bytes;
		return true;
	default: return false;
	}
}

static void text_put(struct json *json, const char *key, const char *text)
{
	char *clean = text ? text_clean(text, strlen(text)) : NULL;

	if (clean && *clean)
		json_text(json, key, clean);
	free(clean);
}

static void number_put(struct json *json, const char *key, int64_t number)
{
	if (number >= 0)
		json_integer(json, key, number);
}

void export_notes_members(const struct export_notes *notes, const struct model *model,
	struct json *json)
{
	number_put(json, "step", notes->step);
	if (notes->comm != MODEL_NONE)
		text_put(json, "communicator", model->comms.at[notes->comm].name);
	if (notes->has_bytes) {
		json_integer(json, "bytes sent", (int64_t)notes->sent);
		json_integer(json, "bytes received", (int64_t)notes->received);
	}
	if (notes->nmessages > 1)
		json_integer(json, "messages", notes->nmessages);
	number_put(json, "peer", notes->peer);
	number_put(json, "tag", notes->tag);
	number_put(json, "root", notes->root);
	if (notes->has_io)
		json_integer(json, "bytes", (int64_t)notes->read);
	if (notes->file != MODEL_NONE)
		text_put(json, "path", model->files.at[notes->file].path);
}

void export_notes_put(const struct export_notes *notes, const struct model *model,
	struct json *json)
{
	if (!notes->has_bytes && !notes->has_io && notes->step < 0)
		return;
	json_object(json, "args", JSON_INLINE);
	export_notes_members(notes, model, json);
	json_end(json);
}
