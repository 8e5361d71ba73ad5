/*
 * attach_symbols.c - see attach_symbols.h. Files are opened by the process's own root, so those of a
 * container are found. What a file says is not trusted: all that it leads to lies within it.
 */
#include "config.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "attach/attach_symbols.h"
#include "core/sys.h"

#define MAPS_MOST (8 << 20) /* bytes of a list of mappings */

struct image {
	const unsigned char *at;
	size_t size;
};

/* `n` items of `size` bytes at `offset`, NULL: not within the file. */
static const void *image_at(const struct image *image, uint64_t offset, uint64_t n, size_t size)
{
	if (offset > image->size || n > (image->size - offset) / size || offset % 8)
		return NULL;
	return image->at + offset;
}

static int image_open(struct image *image, const char *path)
{
	int fd = sys_open(path, O_RDONLY, 0);
	struct stat st;
	void *map = MAP_FAILED;

	if (fd < 0)
		return -1;
	if (!sys_fstat(fd, &st) && st.st_size > (off_t)sizeof(Elf64_Ehdr)) {
		image->size = (size_t)st.st_size;
		map = map_make(image->size, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	sys_close(fd);
	image->at = map;
	return map == MAP_FAILED ? -1 : 0;
}

/* Address at which the file's first segment wants to be; UINT64_MAX: it is no program or library. */
static uint64_t image_base(const struct image *image)
{
	const Elf64_Ehdr *head = image_at(image, 0, 1, sizeof(*head));
	const Elf64_Phdr *segments;

	if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
		head->e_ident[EI_CLASS] != ELFCLASS64)
		return UINT64_MAX;
	segments = image_at(image, head->e_phoff, head->e_phnum, sizeof(*segments));
	for (int i = 0; segments && i < head->e_phnum; i++)
		if (segments[i].p_type == PT_LOAD)
			return segments[i].p_vaddr - segments[i].p_offset;
	return UINT64_MAX;
}

struct wanted {
	const char *const *names;
	uint64_t *values;
	size_t n;
	uint64_t shift; /* from addresses in the file to those in memory */
};

static void symbol_take(const struct wanted *wanted, const char *name, uint64_t value)
{
	for (size_t i = 0; i < wanted->n; i++)
		if (!wanted->values[i] && !strcmp(wanted->names[i], name))
			wanted->values[i] = value + wanted->shift;
}

/* The symbols of a table. */
static void table_look(const struct image *image, const Elf64_Shdr *table, const Elf64_Shdr *texts,
	const struct wanted *wanted)
{
	size_t n = table->sh_size / sizeof(Elf64_Sym);
	const Elf64_Sym *symbols = image_at(image, table->sh_offset, n, sizeof(*symbols));

	if (texts->sh_offset > image->size || texts->sh_size > image->size - texts->sh_offset)
		return;
	for (size_t i = 0; symbols && i < n; i++) {
		const char *name = (const char *)image->at + texts->sh_offset + symbols[i].st_name;

		if (symbols[i].st_shndx != SHN_UNDEF && symbols[i].st_name < texts->sh_size &&
			memchr(name, 0, texts->sh_size - symbols[i].st_name))
			symbol_take(wanted, name, symbols[i].st_value);
	}
}

static void image_look(const struct image *image, const struct wanted *wanted)
{
	const Elf64_Ehdr *head = image_at(image, 0, 1, sizeof(*head));
	const Elf64_Shdr *sections = image_at(image, head->e_shoff, head->e_shnum,
		sizeof(*sections));

	for (int i = 0; sections && i < head->e_shnum; i++)
		if ((sections[i].sh_type == SHT_DYNSYM || sections[i].sh_type == SHT_SYMTAB) &&
			sections[i].sh_link < head->e_shnum)
			table_look(image, &sections[i], &sections[sections[i].sh_link], wanted);
}

/* Looks in the file that is mapped at `begin` from its first byte on. */
static void file_look(uint32_t pid, const char *file, uint64_t begin, const struct wanted *wanted)
{
	char path[PATH_MAX];
	struct image image;
	struct wanted here = *wanted;
	uint64_t base;

	if (snprintf(path, sizeof(path), "/proc/%u/root%s", pid, file) >= (int)sizeof(path) ||
		image_open(&image, path) < 0)
		return;
	base = image_base(&image);
	if (base != UINT64_MAX) {
		here.shift = begin - base;
		image_look(&image, &here);
	}
	sys_munmap((void *)(uintptr_t)image.at, image.size);
}

/* The name in a line of /proc/PID/maps that is about the first bytes of a file; NULL: it is not. */
static char *line_file(char *line, uint64_t *begin)
{
	unsigned long long from, offset;
	int at = 0;

	if (sscanf(line, "%llx-%*x %*s %llx %*s %*s %n", &from, &offset, &at) < 2 || offset ||
		!at || line[at] != '/')
		return NULL;
	*begin = from;
	return line + at;
}

/* Reads the mappings of a process; how many bytes. */
static size_t maps_read(uint32_t pid, char *text, size_t size)
{
	char path[64];
	size_t done = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	fd = sys_open(path, O_RDONLY, 0);
	while (fd >= 0 && done < size - 1 && (n = sys_read(fd, text + done, size - 1 - done)) > 0)
		done += (size_t)n;
	if (fd >= 0)
		sys_close(fd);
	text[done] = '\0';
	return done;
}

void symbols_find(uint32_t pid, const char *part, const char *const *names, uint64_t *values,
	size_t n)
{
	struct wanted wanted = { .names = names, .values = values, .n = n };
	char *text = sys_map(MAPS_MOST, MAP_PRIVATE), *line = text, *next, *file;
	uint64_t begin;

	memset(values, 0, n * sizeof(*values));
	if (text == MAP_FAILED)
		return;
	maps_read(pid, text, MAPS_MOST);
	for (; *line && !values[0]; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		if ((file = line_file(line, &begin)) && strstr(strrchr(file, '/'), part))
			file_look(pid, file, begin, &wanted);
	}
	sys_munmap(text, MAPS_MOST);
}
