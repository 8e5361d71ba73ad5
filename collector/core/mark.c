/*
 * mark.c - the markers of include/tacho.h: phases, steps and named regions as
 * begin and end records. A name is written once per process; where the
 * program passes the same text again, its number comes from a table.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "core/capture.h"
#include "core/keep.h"
#include "core/mark.h"
#include "core/define.h"
#include "core/process.h"
#include "core/source.h"
#include "tacho.h"
#include "core/sys.h"
#include "core/thread.h"
#include "core/value.h"

/* power of two; later names are looked up no more but written again */
#define NAMES_MAX 4096
#define TEXT_MAX  64 /* a longer name is kept as its first bytes and its length */

/*
 * Open addressing by hash of the text. An entry is claimed by swapping its
 * hash in, and valid once `id` is set; nothing is ever removed.
 */
static struct mark_entry {
	_Atomic uint64_t hash;
	_Atomic uint32_t id;
	uint32_t length;
	char text[TEXT_MAX];
} names[NAMES_MAX];

/* FNV-1a; never 0. */
static uint64_t hash_text(const char *text, size_t *length)
{
	uint64_t hash = 0xcbf29ce484222325u;
	const char *c = text;

	for (; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
	*length = (size_t)(c - text);
	return hash | 1;
}

static bool entry_is(const struct mark_entry *entry, const char *name, size_t length)
{
	return entry->length == length &&
		!memcmp(entry->text, name, length < TEXT_MAX ? length : TEXT_MAX);
}

static uint32_t name_number(const char *name)
{
	size_t length;
	uint64_t hash = hash_text(name, &length), seen;
	struct mark_entry *entry;
	uint32_t id;

	process_uses(USED_MARKS);
	for (unsigned i = 0; i < 16; i++) {
		entry = &names[(hash / 2 + i) % NAMES_MAX];
		seen = atomic_load_explicit(&entry->hash, memory_order_relaxed);
		if (seen == hash) {
			id = atomic_load_explicit(&entry->id, memory_order_acquire);
			if (!id)
				break; /* just being defined by another thread */
			if (entry_is(entry, name, length))
				return id;
		} else if (!seen && atomic_compare_exchange_strong(&entry->hash, &seen, hash)) {
			id = process_define_name(name);
			entry->length = (uint32_t)length;
			memcpy(entry->text, name, length < TEXT_MAX ? length : TEXT_MAX);
			atomic_store_explicit(&entry->id, id, memory_order_release);
			return id;
		}
	}
	return process_define_name(name);
}

static void mark_forked(void)
{
	sys_zero(names, sizeof(names));
	tacho_mark_phase = 0;
	value_forked();
}

const struct source tacho_mark_source = { .used = USED_MARKS, .forked = mark_forked };

_Atomic uint32_t tacho_mark_phase;
_Atomic bool tacho_mark_has_steps, tacho_mark_has_named;
_Atomic uint32_t tacho_mark_changes;

static void changes_count(int kind)
{
	if (kind != SPOOL_MARK_REGION)
		atomic_fetch_add_explicit(&tacho_mark_changes, 1, memory_order_relaxed);
}

void mark_begin(int kind, const char *name, uint64_t value)
{
	struct thread *self = thread_self(REGION_NONE);
	uint32_t number;
	int saved;

	if (!self)
		return;
	saved = errno;
	if (unlikely(self->cursor >= CURSOR_DEPTH))
		thread_unwind(self);
	if (unlikely(kind == SPOOL_MARK_METRIC)) {
		value_note(name ? name : "", value);
		errno = saved;
		return;
	}
	if (kind == SPOOL_MARK_STEP) {
		value_step(value & ~SPOOL_STEP_FOUND);
		if (unlikely(!atomic_load_explicit(&tacho_main_thread, memory_order_relaxed)))
			atomic_store(&tacho_main_thread, sys_tid());
		capture_step_begin(value & ~SPOOL_STEP_FOUND);
		keep_step_begin(value & ~SPOOL_STEP_FOUND);
		SOURCES_CALL(step, value & ~SPOOL_STEP_FOUND);
	}
	number = name_number(name ? name : "");
	if (kind == SPOOL_MARK_PHASE)
		atomic_store_explicit(&tacho_mark_phase, number, memory_order_relaxed);
	changes_count(kind);
	span_record(self, SPOOL_BEGIN, (unsigned)kind, number, &value, 1);
	errno = saved;
}

void mark_end(int kind, uint64_t value)
{
	struct thread *self = thread_self(REGION_NONE);

	if (!self)
		return;
	if (unlikely(self->cursor >= CURSOR_DEPTH))
		thread_unwind(self);
	if (kind == SPOOL_MARK_PHASE)
		atomic_store_explicit(&tacho_mark_phase, 0, memory_order_relaxed);
	changes_count(kind);
	span_record(self, SPOOL_END, (unsigned)kind, 0, &value, 1);
	if (kind == SPOOL_MARK_STEP)
		keep_step_end();
	if (unlikely(tacho_capture_limited) && kind == SPOOL_MARK_STEP)
		capture_step_end();
}

TACHO_EXPORT void tacho_mark_begin(int kind, const char *name, uint64_t value)
{
	if (kind == SPOOL_MARK_STEP)
		atomic_store_explicit(&tacho_mark_has_steps, true, memory_order_relaxed);
	mark_begin(kind, name, value);
}

TACHO_EXPORT void tacho_mark_end(int kind, uint64_t value)
{
	mark_end(kind, value);
}
