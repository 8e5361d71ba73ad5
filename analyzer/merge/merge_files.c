/*
 * merge_files.c - numbers of the archive for files, handles and marker
 * regions: equal ones of all processes (of a node, for files) are one.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "merge/merge_model.h"

struct file_use {
	struct spool_handle *handle;
	uint32_t node;
};

static int compare_files(const void *a, const void *b)
{
	const struct merge_file *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return strcmp(x->path, y->path);
}

static struct merge_file file_of(const struct file_use *use)
{
	return (struct merge_file){ use->handle->path, use->node, use->handle->def.kind, 0, NULL,
		NONE };
}

static int compare_uses(const void *a, const void *b)
{
	struct merge_file x = file_of(a), y = file_of(b);

	return compare_files(&x, &y);
}

/*
 * All defined handles of the run, numbered without holes and in the order of their definitions:
 * readers of OTF2 want that.
 */
static struct file_use *uses_collect(struct merge *m, uint32_t *count)
{
	struct file_use *uses;
	size_t room = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->nprocesses; i++)
		room += m->processes[i].spool ? m->processes[i].spool->handles.n : 0;
	uses = malloc((room + 1) * sizeof(*uses));
	for (uint32_t i = 0; uses && i < m->nprocesses; i++) {
		struct process *p = &m->processes[i];

		for (uint32_t id = 1; p->spool && id < p->spool->handles.n; id++) {
			struct spool_handle *h = &p->spool->handles.at[id];

			if (!h->path)
				continue;
			h->number = n;
			uses[n++] = (struct file_use){ h, p->node };
		}
	}
	*count = n;
	return uses;
}

/* Who made a pair of sockets knows both ends; a program that was given one of them does not. */
static void socket_pair(struct merge *m, const struct file_use *use)
{
	char path[32];
	struct merge_file *other, key = { path, use->node, HANDLE_SOCKET, 0, NULL, NONE };

	m->files[use->handle->file].peer = use->handle->def.peer;
	snprintf(path, sizeof(path), "socket:[%" PRIu64 "]", use->handle->def.peer);
	other = bsearch(&key, m->files, m->nfiles, sizeof(*m->files), compare_files);
	if (!other)
		return;
	other->peer = use->handle->def.ino;
	other->other = use->handle->file;
	m->files[use->handle->file].other = (uint32_t)(other - m->files);
}

int merge_files(struct merge *m)
{
	uint32_t n;
	struct file_use *uses = uses_collect(m, &n);

	m->files = malloc((n + 1) * sizeof(*m->files));
	if (!uses || !m->files) {
		free(uses);
		log_error("out of memory");
		return -1;
	}
	qsort(uses, n, sizeof(*uses), compare_uses);
	for (uint32_t i = 0; i < n; i++) {
		if (i == 0 || compare_uses(&uses[i - 1], &uses[i]) != 0)
			m->files[m->nfiles++] = file_of(&uses[i]);
		uses[i].handle->file = m->nfiles - 1;
		if (uses[i].handle->socket)
			m->files[m->nfiles - 1].socket = uses[i].handle->socket;
	}
	for (uint32_t i = 0; i < n; i++)
		if (uses[i].handle->def.kind == HANDLE_SOCKET && uses[i].handle->def.peer)
			socket_pair(m, &uses[i]);
	free(uses);
	return merge_sockets(m);
}

/*
 * The number of a marker region; few distinct ones exist, so they are looked through. NONE without
 * memory.
 */
static uint32_t mark_number(struct merge *m, uint32_t kind, const char *name)
{
	struct merge_mark *grown;

	for (uint32_t i = 0; i < m->nmarks; i++)
		if (m->marks[i].kind == kind && strcmp(m->marks[i].name, name) == 0)
			return i;
	grown = realloc(m->marks, (m->nmarks + 1) * sizeof(*grown));
	if (!grown)
		return NONE;
	m->marks = grown;
	grown[m->nmarks] = (struct merge_mark){ kind, name, NONE };
	return m->nmarks++;
}

int merge_marks(struct merge *m)
{
	for (uint32_t i = 0; i < m->nprocesses; i++) {
		struct process *p = &m->processes[i];
		uint32_t n = p->spool->names.n;

		if (!n)
			continue;
		p->mark_of = malloc(4 * n * sizeof(uint32_t));
		if (!p->mark_of)
			goto no_memory;
		memset(p->mark_of, 0xff, 4 * n * sizeof(uint32_t));
		for (uint32_t id = 1; id < n; id++) {
			for (uint32_t kind = SPOOL_MARK_REGION; kind <= SPOOL_MARK_STEP; kind++) {
				if (!p->spool->names.at[id])
					continue;
				p->mark_of[4 * id + kind] = mark_number(m, kind,
					p->spool->names.at[id]);
				if (p->mark_of[4 * id + kind] == NONE)
					goto no_memory;
			}
		}
	}
	m->mark_used = calloc(m->nmarks + 1, 1);
	if (m->mark_used)
		return 0;
no_memory:
	log_error("out of memory");
	return -1;
}
