/*
 * nvtx.c - NVTX ranges become user regions on the calling thread, and those
 * by which frameworks name their steps become steps.
 *
 * RATIONALE: our regions nest, NVTX's need not: ranges started and ended by
 * number may overlap or end on another thread, and each domain has a stack of
 * its own. So each thread keeps its open ranges in the order in which they
 * began; one that ends below others is only noted as over, and ends with those
 * above it. What a library opens inside of a recorded call (NCCL and cuBLAS
 * have ranges) is part of that call and left out.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mark.h"
#include "nvtx.h"
#include "span.h"
#include "tacho.h"

#define DEPTH_MAX	128		/* open ranges of a thread; deeper ones are not recorded */
#define NAME_SIZE	128
#define NAMES_MAX	1024		/* different names; further ones are told without their numbers */
#define NO_TRACKING	(-2)		/* what NVTX answers without a tool */

struct nvtx_domain {
	bool is_ignored;
};

struct nvtx_string {
	char text[1];			/* as long as it is */
};

struct range {
	uint64_t id;			/* of one that is ended by number, else 0 */
	const struct nvtx_domain *domain;
	bool is_recorded, is_step;
	_Atomic bool is_over;
};

/*
 * A thread's open ranges, outermost first. When the thread ends another one gets them; they are
 * never freed, since whoever ends a range by number may hold a pointer to it.
 */
struct ranges {
	struct ranges *next;		/* of those that no thread has */
	struct range at[DEPTH_MAX];
	unsigned n, beyond;		/* beyond: pushed when the list was full */
};

static __thread struct ranges *ranges __attribute__((tls_model("initial-exec")));
static _Atomic uint64_t ids;

static struct ranges *_Atomic unused;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_key;

static void unused_put(struct ranges *list)
{
	struct ranges *seen = atomic_load(&unused);

	do
		list->next = seen;
	while (!atomic_compare_exchange_weak(&unused, &seen, list));
}

/* Takes all, keeps one: so no other thread can meanwhile take one and give it back. */
static struct ranges *unused_take(void)
{
	struct ranges *list = atomic_exchange(&unused, NULL), *next, *rest = list ? list->next : NULL;

	for (; rest; rest = next) {
		next = rest->next;
		unused_put(rest);
	}
	return list;
}

/* The thread is over; what it left open merge ends with the thread. */
static void ranges_leave(void *list)
{
	struct ranges *own = list;

	ranges = NULL;
	for (unsigned i = 0; i < own->n; i++)
		own->at[i].id = 0;
	own->n = own->beyond = 0;
	unused_put(own);
}

static void key_make(void)
{
	has_key = !pthread_key_create(&key, ranges_leave);
}

static struct ranges *ranges_own(void)
{
	int saved = errno;

	if (unlikely(!ranges)) {
		pthread_once(&once, key_make);
		ranges = unused_take();
		if (!ranges)
			ranges = calloc(1, sizeof(*ranges));
		if (ranges && has_key)
			pthread_setspecific(key, ranges);
	}
	errno = saved;
	return ranges;
}

/* ---- names ---- */

/* UTF-8 of as much as fits. */
static void text_narrow(char *out, size_t size, const wchar_t *wide)
{
	size_t n = 0;

	for (; *wide && n + 5 < size; wide++) {
		uint32_t c = (uint32_t)*wide;

		if (c < 0x80) {
			out[n++] = (char)c;
		} else if (c < 0x800) {
			out[n++] = (char)(0xc0 | c >> 6);
			out[n++] = (char)(0x80 | (c & 0x3f));
		} else {
			if (c >= 0x10000)
				out[n++] = (char)(0xf0 | (c >> 18 & 7));
			if (c >= 0x10000)
				out[n++] = (char)(0x80 | (c >> 12 & 0x3f));
			else
				out[n++] = (char)(0xe0 | (c >> 12 & 0xf));
			out[n++] = (char)(0x80 | (c >> 6 & 0x3f));
			out[n++] = (char)(0x80 | (c & 0x3f));
		}
	}
	out[n] = '\0';
}

/* PyTorch's emit_nvtx gives every call of an operator a name of its own: "aten::mm, seq = 17, sizes = …". */
static void name_cut(char *name)
{
	char *comma = strstr(name, ", seq = ");

	if (!comma)
		comma = strstr(name, ", op_id = ");
	if (!comma)
		comma = strstr(name, ", sizes = ");
	if (comma)
		*comma = '\0';
}

/* Whether the name is one of the first NAMES_MAX. */
static bool name_is_known(const char *name)
{
	static _Atomic uint64_t seen[NAMES_MAX * 4];
	static _Atomic unsigned nseen;
	uint64_t hash = 0xcbf29ce484222325u, none;

	for (const char *c = name; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
	hash |= 1;
	for (uint64_t i = hash >> 20;; i++) {
		_Atomic uint64_t *slot = &seen[i % (NAMES_MAX * 4)];

		none = atomic_load_explicit(slot, memory_order_relaxed);
		if (none == hash)
			return true;
		if (none)
			continue;
		if (atomic_load_explicit(&nseen, memory_order_relaxed) >= NAMES_MAX)
			return false;
		if (atomic_compare_exchange_strong(slot, &none, hash)) {
			atomic_fetch_add(&nseen, 1);
			return true;
		}
		if (none == hash)
			return true;
	}
}

/* A program that counts in its names would make a definition each time: after many, numbers become '#'. */
static void name_limit(char *name)
{
	char *out = name;

	if (name_is_known(name))
		return;
	for (const char *c = name; *c; c++) {
		bool is_digit = *c >= '0' && *c <= '9';

		if (!is_digit)
			*out++ = *c;
		else if (out == name || out[-1] != '#')
			*out++ = '#';
	}
	*out = '\0';
}

static void name_read(char name[NAME_SIZE], const struct nvtx_attributes *attributes)
{
	name[0] = '\0';
	if (!attributes || attributes->size < offsetof(struct nvtx_attributes, text) + sizeof(void *) ||
	    !attributes->text.ascii)
		return;
	switch (attributes->text_type) {
	case NVTX_TEXT_ASCII:
		strncat(name, attributes->text.ascii, NAME_SIZE - 1);
		break;
	case NVTX_TEXT_WIDE:
		text_narrow(name, NAME_SIZE, attributes->text.wide);
		break;
	case NVTX_TEXT_REGISTERED:
		strncat(name, attributes->text.registered->text, NAME_SIZE - 1);
		break;
	}
}

/* ---- steps ---- */

/* What frameworks call a step, before its number. */
static const char *const step_names[] = {
	"ProfilerStep", "step", "iteration", "iter", "train_step", "training_step", "train step",
	"training step", "train_iteration", "training_iteration", "train_iter", "global_step",
	"train_batch", "training_batch",
};

/*
 * Which of them this program uses: the first that it came with. An optimizer's "step" inside of an
 * "iteration" is none.
 */
static _Atomic unsigned step_name;	/* 1 + number in the list; 0: none yet */
static _Atomic uint64_t next_step;	/* for names without a number */

/* Behind the name, "17", " 17", "#17", ": 17", "=17", "(17)" or nothing. */
static bool step_number(const char *rest, uint64_t *number)
{
	const char *at = rest + strspn(rest, " #:=_-([");
	char *end;

	if (!*rest) {
		*number = UINT64_MAX;
		return true;
	}
	if (*at < '0' || *at > '9')
		return false;
	*number = strtoull(at, &end, 10);
	return !end[strspn(end, ")] ")] && at - rest <= 3;
}

static bool name_is_step(const char *name, uint64_t *number)
{
	unsigned used = atomic_load_explicit(&step_name, memory_order_relaxed), none = 0;

	for (unsigned i = 0; i < sizeof(step_names) / sizeof(*step_names); i++) {
		size_t n = strlen(step_names[i]);

		if ((used && used != i + 1) || strncasecmp(name, step_names[i], n) ||
		    !step_number(name + n, number))
			continue;
		atomic_compare_exchange_strong(&step_name, &none, i + 1);
		if (none && none != i + 1)
			return false;
		if (*number == UINT64_MAX)
			*number = atomic_fetch_add(&next_step, 1);
		return true;
	}
	return false;
}

/* ---- ranges ---- */

static bool in_step(const struct ranges *own)
{
	for (unsigned i = 0; i < own->n; i++)
		if (own->at[i].is_step)
			return true;
	return false;
}

static void range_begin(struct ranges *own, uint64_t id, const struct nvtx_domain *domain, char *name)
{
	struct range *range = &own->at[own->n++];
	struct thread *self = thread_self(REGION_NONE);
	uint64_t number = 0;

	*range = (struct range){ .id = id, .domain = domain };
	if (!self || self->cursor >= CURSOR_DEPTH || (domain && domain->is_ignored))
		return;
	range->is_recorded = true;
	range->is_step = !tacho_mark_has_steps && !in_step(own) && name_is_step(name, &number);
	if (range->is_step) {
		mark_begin(SPOOL_MARK_STEP, "step", number);
		return;
	}
	name_cut(name);
	name_limit(name);
	mark_begin(SPOOL_MARK_REGION, name, 0);
}

/* Ends all that are over from the innermost on. */
static void ranges_settle(struct ranges *own)
{
	while (own->n && atomic_load(&own->at[own->n - 1].is_over)) {
		struct range *range = &own->at[--own->n];

		if (range->is_recorded)
			mark_end(range->is_step ? SPOOL_MARK_STEP : SPOOL_MARK_REGION, 0);
	}
}

/* How many pushed ranges of a domain are open. */
static int domain_depth(const struct ranges *own, const struct nvtx_domain *domain)
{
	int n = 0;

	for (unsigned i = 0; i < own->n; i++)
		n += !own->at[i].id && own->at[i].domain == domain && !own->at[i].is_over;
	return n;
}

static int push(const struct nvtx_domain *domain, char *name)
{
	struct ranges *own = ranges_own();
	int depth, saved = errno;

	if (!own)
		return NO_TRACKING;
	ranges_settle(own);
	depth = domain_depth(own, domain);
	if (own->n == DEPTH_MAX)
		return depth + (int)own->beyond++;
	range_begin(own, 0, domain, name);
	errno = saved;
	return depth;
}

static int pop(const struct nvtx_domain *domain)
{
	struct ranges *own = ranges_own();
	int saved = errno;

	if (!own)
		return NO_TRACKING;
	if (own->beyond) {
		own->beyond--;
		return domain_depth(own, domain);
	}
	for (unsigned i = own->n; i-- > 0;) {
		if (own->at[i].id || own->at[i].domain != domain || own->at[i].is_over)
			continue;
		atomic_store(&own->at[i].is_over, true);
		ranges_settle(own);
		errno = saved;
		return domain_depth(own, domain);
	}
	return NO_TRACKING;
}

/*
 * Ranges by number: 48 bits of counter, 16 of the place in its thread's list.
 * Which thread that was is found in a table, since another one may end it.
 */
#define STARTED	1024			/* power of two; more open at once are never ended by another thread */
static struct { _Atomic uint64_t id; struct range *_Atomic range; } started[STARTED];

static uint64_t start(const struct nvtx_domain *domain, char *name)
{
	struct ranges *own = ranges_own();
	uint64_t id = atomic_fetch_add(&ids, 1) + 1;
	int saved = errno;

	if (!own)
		return id;
	ranges_settle(own);
	if (own->n < DEPTH_MAX) {
		range_begin(own, id, domain, name);
		atomic_store(&started[id % STARTED].range, &own->at[own->n - 1]);
		atomic_store(&started[id % STARTED].id, id);
	}
	errno = saved;
	return id;
}

static void end(uint64_t id)
{
	struct ranges *own = ranges_own();
	uint64_t wanted = id;
	int saved = errno;

	for (unsigned i = own ? own->n : 0; i-- > 0;)
		if (own->at[i].id == id)
			atomic_store(&own->at[i].is_over, true);
	/* a list's places are used again, but only when their range is over */
	if (id && atomic_compare_exchange_strong(&started[id % STARTED].id, &wanted, 0)) {
		struct range *range = atomic_load(&started[id % STARTED].range);

		if (range && range->id == id)
			atomic_store(&range->is_over, true);
	}
	if (own)
		ranges_settle(own);
	errno = saved;
}

static void mark(const struct nvtx_domain *domain, char *name)
{
	struct thread *self = thread_self(REGION_NONE);

	if (!self || self->cursor >= CURSOR_DEPTH || (domain && domain->is_ignored))
		return;
	name_cut(name);
	name_limit(name);
	mark_begin(SPOOL_MARK_REGION, name, 0);
	mark_end(SPOOL_MARK_REGION, 0);
}

/* ---- NVTX's functions ---- */

#define NAMED(from)				\
	char name[NAME_SIZE];			\
	name_read(name, from)
#define ATTRIBUTES(type, member, value)		\
	(&(struct nvtx_attributes){ .size = sizeof(struct nvtx_attributes), .text_type = type,	\
				    .text.member = value })
#define NARROW(text)	ATTRIBUTES(NVTX_TEXT_ASCII, ascii, text)
#define WIDE(text)	ATTRIBUTES(NVTX_TEXT_WIDE, wide, text)

static void mark_ex(const struct nvtx_attributes *a) { NAMED(a); mark(NULL, name); }
static void mark_a(const char *text) { NAMED(NARROW(text)); mark(NULL, name); }
static void mark_w(const wchar_t *text) { NAMED(WIDE(text)); mark(NULL, name); }
static uint64_t start_ex(const struct nvtx_attributes *a) { NAMED(a); return start(NULL, name); }
static uint64_t start_a(const char *text) { NAMED(NARROW(text)); return start(NULL, name); }
static uint64_t start_w(const wchar_t *text) { NAMED(WIDE(text)); return start(NULL, name); }
static int push_ex(const struct nvtx_attributes *a) { NAMED(a); return push(NULL, name); }
static int push_a(const char *text) { NAMED(NARROW(text)); return push(NULL, name); }
static int push_w(const wchar_t *text) { NAMED(WIDE(text)); return push(NULL, name); }
static int pop_default(void) { return pop(NULL); }

static void domain_mark(const struct nvtx_domain *domain, const struct nvtx_attributes *a)
{
	NAMED(a);
	mark(domain, name);
}

static uint64_t domain_start(const struct nvtx_domain *domain, const struct nvtx_attributes *a)
{
	NAMED(a);
	return start(domain, name);
}

static void domain_end(const struct nvtx_domain *domain, uint64_t id)
{
	(void)domain;
	end(id);
}

static int domain_push(const struct nvtx_domain *domain, const struct nvtx_attributes *a)
{
	NAMED(a);
	return push(domain, name);
}

/* NCCL's own ranges repeat what its wrappers and its profiler plugin tell. */
static struct nvtx_domain *domain_make(const char *name)
{
	int saved = errno;
	struct nvtx_domain *domain = calloc(1, sizeof(*domain));

	if (domain)
		domain->is_ignored = name && !strcmp(name, "NCCL");
	errno = saved;
	return domain;
}

static struct nvtx_domain *domain_make_wide(const wchar_t *wide)
{
	char name[NAME_SIZE];

	text_narrow(name, sizeof(name), wide ? wide : L"");
	return domain_make(name);
}

/* Kept as long as the process: NVTX has no call that gives a string back. */
static struct nvtx_string *string_make(const struct nvtx_domain *domain, const char *text)
{
	size_t n = strlen(text ? text : "");
	int saved = errno;
	struct nvtx_string *string = malloc(sizeof(*string) + n);

	(void)domain;
	if (string)
		memcpy(string->text, text ? text : "", n + 1);
	errno = saved;
	return string;
}

static struct nvtx_string *string_make_wide(const struct nvtx_domain *domain, const wchar_t *wide)
{
	char text[NAME_SIZE];

	text_narrow(text, sizeof(text), wide ? wide : L"");
	return string_make(domain, text);
}

/* Which function goes where: module, place in its table. Names of threads and categories are not used. */
static const struct {
	unsigned char module, place;
	nvtx_function function;
} functions[] = {
#define F(module, place, function) { NVTX_MODULE_##module, place, (nvtx_function)function }
	F(CORE, 1, mark_ex), F(CORE, 2, mark_a), F(CORE, 3, mark_w), F(CORE, 4, start_ex),
	F(CORE, 5, start_a), F(CORE, 6, start_w), F(CORE, 7, end), F(CORE, 8, push_ex),
	F(CORE, 9, push_a), F(CORE, 10, push_w), F(CORE, 11, pop_default),
	F(CORE2, 1, domain_mark), F(CORE2, 2, domain_start), F(CORE2, 3, domain_end),
	F(CORE2, 4, domain_push), F(CORE2, 5, pop), F(CORE2, 10, string_make),
	F(CORE2, 11, string_make_wide), F(CORE2, 12, domain_make), F(CORE2, 13, domain_make_wide),
#undef F
};

/* NVTX calls it at the program's first range. 1: the tool is there. */
TACHO_EXPORT int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t id));

int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t id))
{
	const struct nvtx_callbacks *callbacks = export_table(NVTX_TABLE_CALLBACKS);
	nvtx_function **table;
	unsigned size;

	if (!callbacks || callbacks->size < sizeof(*callbacks))
		return 0;
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (callbacks->get_table(functions[i].module, &table, &size) &&
		    functions[i].place < size && table[functions[i].place])
			*table[functions[i].place] = functions[i].function;
	return 1;
}

void nvtx_announce(const char *path)
{
	setenv("NVTX_INJECTION64_PATH", path, 0);
}
