/*
 * nvtx.c - NVTX's functions for tools: its ranges become user regions on the calling thread, and
 * those by which frameworks name their steps become steps (nvtx_range.c, nvtx_name.c).
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nvtx/nvtx.h"
#include "nvtx/nvtx_range.h"
#include "core/span.h"

#define NAME_SIZE 128

struct nvtx_string {
	char text[1]; /* as long as it is */
};

static void name_read(char name[NAME_SIZE], const struct nvtx_attributes *attributes)
{
	name[0] = '\0';
	if (!attributes ||
		attributes->size < offsetof(struct nvtx_attributes, text) + sizeof(void *) ||
		!attributes->text.ascii)
		return;
	switch (attributes->text_type) {
	case NVTX_TEXT_ASCII: strncat(name, attributes->text.ascii, NAME_SIZE - 1); break;
	case NVTX_TEXT_WIDE: name_narrow(name, NAME_SIZE, attributes->text.wide); break;
	case NVTX_TEXT_REGISTERED:
		strncat(name, attributes->text.registered->text, NAME_SIZE - 1);
		break;
	}
}

#define NAMED(from)                                                                                \
	char name[NAME_SIZE];                                                                      \
	name_read(name, from)
#define ATTRIBUTES(type, member, value)                                                            \
	(&(struct nvtx_attributes){ .size = sizeof(struct nvtx_attributes),                        \
		.text_type = type,                                                                 \
		.text.member = value })
#define NARROW(text) ATTRIBUTES(NVTX_TEXT_ASCII, ascii, text)
#define WIDE(text)   ATTRIBUTES(NVTX_TEXT_WIDE, wide, text)

static void mark_ex(const struct nvtx_attributes *a)
{
	NAMED(a);
	range_mark(NULL, name);
}
static void mark_a(const char *text)
{
	NAMED(NARROW(text));
	range_mark(NULL, name);
}
static void mark_w(const wchar_t *text)
{
	NAMED(WIDE(text));
	range_mark(NULL, name);
}
static uint64_t start_ex(const struct nvtx_attributes *a)
{
	NAMED(a);
	return range_start(NULL, name);
}
static uint64_t start_a(const char *text)
{
	NAMED(NARROW(text));
	return range_start(NULL, name);
}
static uint64_t start_w(const wchar_t *text)
{
	NAMED(WIDE(text));
	return range_start(NULL, name);
}
static int push_ex(const struct nvtx_attributes *a)
{
	NAMED(a);
	return range_push(NULL, name);
}
static int push_a(const char *text)
{
	NAMED(NARROW(text));
	return range_push(NULL, name);
}
static int push_w(const wchar_t *text)
{
	NAMED(WIDE(text));
	return range_push(NULL, name);
}
static int pop_default(void)
{
	return range_pop(NULL);
}

static void domain_mark(const struct nvtx_domain *domain, const struct nvtx_attributes *a)
{
	NAMED(a);
	range_mark(domain, name);
}

static uint64_t domain_start(const struct nvtx_domain *domain, const struct nvtx_attributes *a)
{
	NAMED(a);
	return range_start(domain, name);
}

static void domain_end(const struct nvtx_domain *domain, uint64_t id)
{
	(void)domain;
	range_end(id);
}

static int domain_push(const struct nvtx_domain *domain, const struct nvtx_attributes *a)
{
	NAMED(a);
	return range_push(domain, name);
}

/* NCCL's own ranges repeat what its wrappers and its profiler plugin report. */
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

	name_narrow(name, sizeof(name), wide ? wide : L"");
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

	name_narrow(text, sizeof(text), wide ? wide : L"");
	return string_make(domain, text);
}

/*
 * Which function goes where: module, place in its table. Names of threads and categories are not
 * used.
 */
static const struct {
	unsigned char module, place;
	nvtx_function function;
} functions[] = {
#define F(module, place, function)                                                                 \
	{                                                                                          \
		NVTX_MODULE_##module, place, (nvtx_function)function                               \
	}
	F(CORE, 1, mark_ex),
	F(CORE, 2, mark_a),
	F(CORE, 3, mark_w),
	F(CORE, 4, start_ex),
	F(CORE, 5, start_a),
	F(CORE, 6, start_w),
	F(CORE, 7, range_end),
	F(CORE, 8, push_ex),
	F(CORE, 9, push_a),
	F(CORE, 10, push_w),
	F(CORE, 11, pop_default),
	F(CORE2, 1, domain_mark),
	F(CORE2, 2, domain_start),
	F(CORE2, 3, domain_end),
	F(CORE2, 4, domain_push),
	F(CORE2, 5, range_pop),
	F(CORE2, 10, string_make),
	F(CORE2, 11, string_make_wide),
	F(CORE2, 12, domain_make),
	F(CORE2, 13, domain_make_wide),
#undef F
};

/* NVTX calls it at the program's first range. 1: the tool exists. */
TACHO_EXPORT int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t id));

int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t id))
{
	const struct nvtx_callbacks *callbacks = export_table(NVTX_TABLE_CALLBACKS);
	nvtx_function **table;
	unsigned size;

	if (!callbacks || callbacks->size < sizeof(*callbacks))
		return 0;
	name_setup();
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
