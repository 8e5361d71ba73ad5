/*
 * attach_unwind.c - see attach_unwind.h. Files are mapped once each; their tables locate a
 * function's caller. If a function needs the frame pointer and no function below has saved it, a
 * search finds it: the first word of the stack that points upwards and has a return address behind
 * it.
 */
#include "config.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach/attach_frames.h"
#include "attach/attach_image.h"
#include "attach/attach_unwind.h"
#include "core/memory.h"
#include "core/process.h"

#define MODULES	      512
#define NAMES	      4096
#define SEARCH_WORDS  512	/* of the stack, for a frame pointer */
#define FRAME_LARGEST (1 << 20) /* bytes */
#define AGAIN_NS      1000000000u /* between readings of the mappings for an address that is in none */

/* Rules are read for the registers of x86-64; elsewhere the innermost function is all. */
#ifdef __x86_64__
#define RULES_ARE_KNOWN true
#else
#define RULES_ARE_KNOWN false
#endif

/* A program or library that is mapped. */
static struct module {
	struct image image;
	struct frame_tables tables;
	uint64_t begin, end, shift;
	char path[PATH_MAX];
} * modules;
static unsigned nmodules;
static uint64_t read_ns;

static void tables_find(struct module *m)
{
	const Elf64_Ehdr *head = image_at(&m->image, 0, 1, sizeof(*head));
	const Elf64_Phdr *parts = image_at(&m->image, head->e_phoff, head->e_phnum, sizeof(*parts));

	m->tables = (struct frame_tables){ .at = m->image.at, .size = m->image.size };
	for (int i = 0; parts && i < head->e_phnum; i++)
		if (parts[i].p_type == PT_GNU_EH_FRAME)
			m->tables.index = parts[i].p_vaddr;
	for (int i = 0; parts && i < head->e_phnum; i++)
		if (parts[i].p_type == PT_LOAD && m->tables.index >= parts[i].p_vaddr &&
			m->tables.index - parts[i].p_vaddr < parts[i].p_filesz) {
			m->tables.code = parts[i].p_vaddr;
			m->tables.code_file = parts[i].p_offset;
			m->tables.code_size = parts[i].p_filesz;
		}
}

static void module_add(const char *file, uint64_t begin)
{
	struct module *m = &modules[nmodules];
	uint64_t base;

	for (unsigned i = 0; i < nmodules; i++)
		if (modules[i].begin == begin && !strcmp(modules[i].path, file))
			return;
	if (nmodules == MODULES || image_of(&m->image, tacho_process.pid, file) < 0)
		return;
	base = image_base(&m->image, &m->end);
	if (base == UINT64_MAX) {
		image_close(&m->image);
		return;
	}
	m->begin = begin;
	m->shift = begin - base;
	m->end += m->shift;
	snprintf(m->path, sizeof(m->path), "%s", file);
	tables_find(m);
	nmodules++;
}

static void mapping_take(const char *file, uint64_t begin, void *unused)
{
	(void)unused;
	module_add(file, begin);
}

static struct module *module_known(uint64_t at)
{
	for (unsigned i = 0; i < nmodules; i++)
		if (at >= modules[i].begin && at < modules[i].end)
			return &modules[i];
	return NULL;
}

static struct module *module_of(uint64_t at)
{
	struct module *m = module_known(at);
	uint64_t now = m ? 0 : clock_monotonic_ns();

	if (m || (read_ns && now - read_ns < AGAIN_NS))
		return m;
	if (!modules)
		modules = calloc(MODULES, sizeof(*modules));
	if (!modules)
		return NULL;
	read_ns = now;
	files_walk(tacho_process.pid, mapping_take, NULL);
	return module_known(at);
}

/* Whether a call instruction ends at this address. */
static bool is_return(uint64_t at)
{
	unsigned char code[7];

	if (!module_known(at) || memory_read(at - sizeof(code), code, sizeof(code)) < 0)
		return false;
	if (code[2] == 0xe8)
		return true;
	for (int i = 0; i < 6; i++) /* ff /2: call by register or memory, of 2 to 7 bytes */
		if (code[i] == 0xff && (code[i + 1] >> 3 & 7) == 2)
			return true;
	return false;
}

/* The frame pointer of the function with its stack at `sp`; 0: not found. */
static uint64_t pointer_search(uint64_t sp)
{
	uint64_t words[2];

	for (int i = 0; i < SEARCH_WORDS; i++, sp += 8) {
		if (memory_read(sp, words, sizeof(words)) < 0)
			return 0;
		if (words[0] > sp && words[0] - sp < FRAME_LARGEST && words[0] % 8 == 0 &&
			is_return(words[1]))
			return sp;
	}
	return 0;
}

struct unwind_registers {
	uint64_t pc, sp, bp; /* bp 0: not known */
};

/* Goes to the caller. False: that is not known, or there is none. */
static bool caller_find(struct unwind_registers *at, const struct module *m, bool is_innermost)
{
	struct frame_rule rule;
	uint64_t cfa, next[1];

	if (!frame_rule_find(&m->tables, at->pc - m->shift - !is_innermost, &rule) ||
		rule.is_outermost)
		return false;
	if (rule.cfa_register == FRAME_RBP && !at->bp)
		at->bp = pointer_search(at->sp);
	if (rule.cfa_register == FRAME_RSP)
		cfa = at->sp + (uint64_t)rule.cfa_offset;
	else if (rule.cfa_register == FRAME_RBP && at->bp)
		cfa = at->bp + (uint64_t)rule.cfa_offset;
	else
		return false;
	if (cfa <= at->sp || memory_read(cfa - 8, next, sizeof(next)) < 0)
		return false;
	if (rule.has_rbp && memory_read(cfa + (uint64_t)rule.rbp_at, &at->bp, sizeof(at->bp)) < 0)
		return false;
	at->pc = next[0];
	at->sp = cfa;
	return true;
}

/* The function at an address of a module; known from before where it was asked for. */
static const char *function_name(const struct module *m, uint64_t pc)
{
	static struct {
		uint64_t pc;
		const struct module *module;
		const char *name;
	} known[NAMES];
	size_t i = (pc * 0x9e3779b97f4a7c15u >> 32) % NAMES;

	if (known[i].pc != pc || known[i].module != m) {
		known[i].pc = pc;
		known[i].module = m;
		known[i].name = image_function(&m->image, pc - m->shift);
	}
	return known[i].name;
}

size_t unwind(uint64_t sp, uint64_t pc, struct attach_frame frames[ATTACH_FRAMES])
{
	struct unwind_registers at = { .pc = pc, .sp = sp };
	size_t n = 0;

	while (n < ATTACH_FRAMES) {
		const struct module *m = module_of(at.pc);
		const char *name;

		if (!m)
			return n;
		name = function_name(m, at.pc - (n > 0));
		frames[n++] = (struct attach_frame){ m->path, name ? name : "" };
		if (!RULES_ARE_KNOWN || !caller_find(&at, m, n == 1))
			return n;
	}
	return n;
}
