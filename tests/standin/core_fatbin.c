/*
 * Parameter sizes of kernels from what nvcc registers: the cubin's .nv.info.NAME
 * sections, or the .param lines of the PTX. Entries may be compressed with zstd
 * (unpacked by the system's library, loaded when first needed) or LZ4.
 */
#include "standin.h"

#include <dlfcn.h>
#include <elf.h>
#include <fatbinary_section.h>
#include <stdlib.h>
#include <string.h>

enum { FATBIN_MAGIC = 0xBA55ED50, ENTRY_PTX = 1, ENTRY_ELF = 2, PARAMS_MAX = 1024 };
enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };
enum { EIFMT_NVAL = 1, EIFMT_BVAL = 2, EIFMT_HVAL = 3, EIFMT_SVAL = 4 };
enum { EIATTR_KPARAM_INFO = 0x17, EIATTR_CBANK_PARAM_SIZE = 0x19, EIATTR_KPARAM_INFO_V2 = 0x45 };

struct fat_header {
	uint32_t magic;
	uint16_t version, header_size;
	uint64_t size;
};

struct fat_entry {
	uint16_t kind, version;
	uint32_t header_size;
	uint64_t size; /* with padding */
	uint32_t packed_size, unknown0;
	uint16_t minor, major;
	uint32_t arch, name_at, name_size;
	uint64_t flags, unknown1, unpacked_size;
};

struct params {
	size_t sizes[PARAMS_MAX];
	unsigned count;
	size_t bytes; /* of all, as in the cubin */
};

static size_t lz4_unpack(char *out, size_t room, const unsigned char *in, size_t size)
{
	const unsigned char *end = in + size;
	size_t at = 0;

	while (in < end) {
		unsigned token = *in++;
		size_t length = token >> 4, distance;

		for (unsigned more = 255; length >= 15 && more == 255 && in < end; length += more)
			more = *in++;
		if (length > (size_t)(end - in) || length > room - at)
			return 0;
		memcpy(out + at, in, length);
		at += length;
		in += length;
		if (end - in < 2)
			break;
		distance = in[0] | (size_t)in[1] << 8;
		in += 2;
		length = token & 15;
		for (unsigned more = 255; length >= 15 && more == 255 && in < end; length += more)
			more = *in++;
		length += 4;
		if (!distance || distance > at || length > room - at)
			return 0;
		for (; length; length--, at++)
			out[at] = out[at - distance];
	}
	return at;
}

static size_t zstd_unpack(char *out, size_t room, const void *in, size_t size)
{
	size_t (*decompress)(void *, size_t, const void *, size_t) = NULL;
	void *lib = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);

	if (lib)
		*(void **)&decompress = dlsym(lib, "ZSTD_decompress");
	return decompress ? decompress(out, room, in, size) : 0;
}

/* The entry's content, allocated, with a 0 after it. */
static char *entry_unpack(const struct fat_entry *entry, size_t *size)
{
	const char *data = (const char *)entry + entry->header_size;
	bool packed = entry->header_size >= sizeof(*entry) &&
		(entry->flags & (FLAG_LZ4 | FLAG_ZSTD));
	char *out;

	*size = packed ? entry->unpacked_size : entry->size;
	out = calloc(1, *size + 1);
	if (!out)
		return NULL;
	if (!packed)
		memcpy(out, data, *size);
	else if (entry->flags & FLAG_ZSTD)
		packed = zstd_unpack(out, *size, data, entry->packed_size) != *size;
	else
		packed = lz4_unpack(out, *size, (const unsigned char *)data, entry->packed_size) !=
			*size;
	if (packed) {
		free(out);
		return NULL;
	}
	return out;
}

/* ---- cubin ---- */

/* One parameter; the second form is for kernels with more than 4 KiB of them. */
static void info_param(const unsigned char *data, bool second, struct params *params)
{
	uint32_t size;
	uint16_t ordinal;

	memcpy(&ordinal, data + 4, 2);
	memcpy(&size, data + 8, 4);
	if (ordinal >= PARAMS_MAX)
		return;
	params->sizes[ordinal] = second ? size & 0xffff : size >> 18;
	if (ordinal >= params->count)
		params->count = ordinal + 1u;
}

/* Attributes: format, number, then 2 bytes: a value, or the size of the data after them. */
static void info_parse(const unsigned char *data, size_t size, struct params *params)
{
	size_t at = 0;

	while (at + 4 <= size) {
		unsigned format = data[at], attribute = data[at + 1];
		size_t value = data[at + 2] | (size_t)data[at + 3] << 8;

		at += 4;
		if (attribute == EIATTR_CBANK_PARAM_SIZE)
			params->bytes = value;
		if (format != EIFMT_SVAL)
			continue;
		if (value > size - at)
			return;
		if ((attribute == EIATTR_KPARAM_INFO || attribute == EIATTR_KPARAM_INFO_V2) &&
			value >= 12)
			info_param(data + at, attribute == EIATTR_KPARAM_INFO_V2, params);
		at += value;
	}
}

static int cubin_params(const char *elf, size_t size, const char *name, struct params *params)
{
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)elf;
	const Elf64_Shdr *sections;
	const char *names;

	if (size < sizeof(*head) || memcmp(elf, ELFMAG, SELFMAG) != 0 ||
		head->e_shoff + (uint64_t)head->e_shnum * sizeof(*sections) > size)
		return -1;
	sections = (const Elf64_Shdr *)(elf + head->e_shoff);
	names = elf + sections[head->e_shstrndx].sh_offset;
	for (unsigned i = 0; i < head->e_shnum; i++) {
		const char *section = names + sections[i].sh_name;

		if (strncmp(section, ".nv.info.", 9) != 0 || strcmp(section + 9, name) != 0)
			continue;
		info_parse((const unsigned char *)elf + sections[i].sh_offset, sections[i].sh_size,
			params);
		return params->count || !params->bytes ? 0 : -1;
	}
	return -1;
}

/* ---- PTX ---- */

static size_t ptx_param_size(const char *line)
{
	static const struct {
		const char *type;
		size_t size;
	} TYPES[] = { { ".b8", 1 }, { ".u8", 1 }, { ".s8", 1 }, { ".b16", 2 }, { ".u16", 2 },
		{ ".s16", 2 }, { ".f16", 2 }, { ".b32", 4 }, { ".u32", 4 }, { ".s32", 4 },
		{ ".f32", 4 }, { ".b64", 8 }, { ".u64", 8 }, { ".s64", 8 }, { ".f64", 8 } };
	size_t end = strcspn(line, ",)"), size = 0;
	const char *bracket = memchr(line, '[', end);

	for (size_t i = 0; i < sizeof(TYPES) / sizeof(TYPES[0]); i++) {
		const char *found = strstr(line, TYPES[i].type);

		if (found && found < line + end && strchr(" \t", found[strlen(TYPES[i].type)]))
			size = TYPES[i].size;
	}
	return bracket ? size * strtoul(bracket + 1, NULL, 10) : size;
}

static int ptx_params(const char *ptx, const char *name, struct params *params)
{
	size_t len = strlen(name);
	const char *at = ptx;

	while ((at = strstr(at, ".entry"))) {
		const char *end;

		at += 6 + strspn(at + 6, " \t\n");
		if (strncmp(at, name, len) != 0 || !strchr("( \t\n", at[len]))
			continue;
		at += len + strspn(at + len, " \t\n");
		end = *at == '(' ? strchr(at, ')') : at;
		while (end && (at = strstr(at, ".param")) && at < end &&
			params->count < PARAMS_MAX) {
			at += 6;
			params->sizes[params->count++] = ptx_param_size(at);
		}
		return end ? 0 : -1;
	}
	return -1;
}

static int entry_params(const struct fat_entry *entry, const char *name, struct params *params)
{
	size_t size;
	char *content = entry_unpack(entry, &size);
	int ret = -1;

	if (content && entry->kind == ENTRY_ELF)
		ret = cubin_params(content, size, name, params);
	else if (content && entry->kind == ENTRY_PTX)
		ret = ptx_params(content, name, params);
	free(content);
	return ret;
}

STANDIN_EXPORT int standin_fatbin_params(const void *wrapper, const char *name, size_t **sizes,
	unsigned *count)
{
	const __fatBinC_Wrapper_t *wrap = wrapper;
	const struct fat_header *head = (const void *)wrap->data;
	struct params params = { .count = 0 };
	const char *at, *end;
	int ret = -1;

	if (wrap->magic != FATBINC_MAGIC || head->magic != FATBIN_MAGIC)
		return -1;
	at = (const char *)head + head->header_size;
	end = at + head->size;
	while (ret < 0 && at + sizeof(struct fat_entry) <= end) {
		const struct fat_entry *entry = (const void *)at;

		ret = entry_params(entry, name, &params);
		at += entry->header_size + entry->size;
	}
	if (ret < 0)
		return -1;
	*sizes = calloc(params.count + 1, sizeof(**sizes));
	if (!*sizes)
		return -1;
	memcpy(*sizes, params.sizes, params.count * sizeof(**sizes));
	*count = params.count;
	return 0;
}
