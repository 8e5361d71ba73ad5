/*
 * report_deflate.c - texts packed by deflate_pack(), written to files that tests/report_packed.sh unpacks
 * with an unpacker of others: NAME.packed next to NAME.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_deflate.h"

static int write_file(const char *folder, const char *name, const char *suffix, const void *data,
	size_t size)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s%s", folder, name, suffix);
	file = fopen(path, "wb");
	if (!file)
		return -1;
	fwrite(data, 1, size, file);
	return fclose(file);
}

static int put_both(const char *folder, const char *name, const void *data, size_t size)
{
	size_t packed_size;
	unsigned char *packed = deflate_pack(data, size, &packed_size);
	int ret = !packed || write_file(folder, name, "", data, size) < 0 ||
		write_file(folder, name, ".packed", packed, packed_size) < 0;

	free(packed);
	return ret;
}

int main(int argc, char **argv)
{
	enum { LARGE = 300000 };
	unsigned char *large = malloc(LARGE), every[512];
	unsigned seed = 1;
	int ret = argc != 2 || !large;

	for (int i = 0; !ret && i < 512; i++)
		every[i] = (unsigned char)i;
	ret = ret || put_both(argv[1], "empty", "", 0) || put_both(argv[1], "one", "a", 1) ||
		put_both(argv[1], "every_byte", every, sizeof(every));
	/* repeats of all lengths and distances, also beyond the window */
	for (size_t i = 0; !ret && i < LARGE; i++) {
		seed = seed * 1103515245 + 12345;
		large[i] = i > 40000 && seed >> 20 & 31 ? large[i - 1 - i / 7 % 33000]
							: (unsigned char)(seed >> 16);
	}
	ret = ret || put_both(argv[1], "random", large, LARGE);
	if (!ret)
		memset(large, 'x', LARGE);
	ret = ret || put_both(argv[1], "same", large, LARGE);
	free(large);
	return ret;
}
