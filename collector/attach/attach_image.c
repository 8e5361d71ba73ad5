/*
 * attach_image.c - see attach_image.h. Files are opened through the process's root, so files of a
 * container are found. A file's contents are not trusted: each offset is checked to be within the
 * file.
 */
#include "config.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "attach/attach_image.h"
#include "core/sys.h"

#define MAPS_MOST (8 << 20) /* bytes of a list of mappings */

const void *image_at(const struct image *image, uint64_t offset, uint64_t n, size_t size)
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

uint64_t image_base(const struct image *image, uint64_t *end)
{
	const Elf64_Ehdr *head = image_at(image, 0, 1, sizeof(*head));
	const Elf64_Phdr *segments;
	uint64_t base = UINT64_MAX;

	*end = 0;
	if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
		head->e_ident[EI_CLASS] != ELFCLASS64)
		return UINT64_MAX;
	segments = image_at(image, head->e_phoff, head->e_phnum, sizeof(*segments));
	for (int i = 0; segments && i < head->e_phnum; i++)
		if (segments[i].p_type == PT_LOAD) {
			if (base == UINT64_MAX)
				base = segments[i].p_vaddr - segments[i].p_offset;
			if (segments[i].p_vaddr + segments[i].p_memsz > *end)
				*end = segments[i].p_vaddr + segments[i].p_memsz;
		}
	return base;
}

/* The symbols of a table, until `take` is content. */
static bool table_walk(const struct image *image, const Elf64_Shdr *table, const Elf64_Shdr *texts,
	symbol_taker *take, void *user)
{
	size_t n = table->sh_size / sizeof(Elf64_Sym);
	const Elf64_Sym *symbols = image_at(image, table->sh_offset, n, sizeof(*symbols));

	if (texts->sh_offset > image->size || texts->sh_size > image->size - texts->sh_offset)
		return false;
	for (size_t i = 0; symbols && i < n; i++) {
		const char *name = (const char *)image->at + texts->sh_offset + symbols[i].st_name;
		struct image_symbol symbol = { name, symbols[i].st_value, symbols[i].st_size,
			ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC };

		if (symbols[i].st_shndx != SHN_UNDEF && symbols[i].st_name < texts->sh_size &&
			memchr(name, 0, texts->sh_size - symbols[i].st_name) && take(&symbol, user))
			return true;
	}
	return false;
}

void image_symbols(const struct image *image, symbol_taker *take, void *user)
{
	const Elf64_Ehdr *head = image_at(image, 0, 1, sizeof(*head));
	const Elf64_Shdr *sections = image_at(image, head->e_shoff, head->e_shnum,
		sizeof(*sections));
	bool is_over = false;

	for (int i = 0; sections && i < head->e_shnum && !is_over; i++)
		if ((sections[i].sh_type == SHT_DYNSYM || sections[i].sh_type == SHT_SYMTAB) &&
			sections[i].sh_link < head->e_shnum)
			is_over = table_walk(image, &sections[i], &sections[sections[i].sh_link],
				take, user);
}

struct symbol_asked {
	uint64_t address;
	const char *name;
};

static bool function_take(const struct image_symbol *symbol, void *user)
{
	struct symbol_asked *asked = user;

	if (!symbol->is_function || asked->address < symbol->value ||
		asked->address - symbol->value >= symbol->size)
		return false;
	asked->name = symbol->name;
	return true;
}

const char *image_function(const struct image *image, uint64_t address)
{
	struct symbol_asked asked = { .address = address };

	image_symbols(image, function_take, &asked);
	return asked.name;
}

int image_of(struct image *image, uint32_t pid, const char *file)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "/proc/%u/root%s", pid, file) < (int)sizeof(path)
		? image_open(image, path)
		: -1;
}

void image_close(struct image *image)
{
	sys_munmap((void *)(uintptr_t)image->at, image->size);
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

void files_walk(uint32_t pid, file_taker *take, void *user)
{
	char *text = sys_map(MAPS_MOST, MAP_PRIVATE), *line = text, *next, *file;
	uint64_t begin;

	if (text == MAP_FAILED)
		return;
	maps_read(pid, text, MAPS_MOST);
	for (; *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		if ((file = line_file(line, &begin)))
			take(file, begin, user);
	}
	sys_munmap(text, MAPS_MOST);
}
