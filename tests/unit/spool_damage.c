/*
 * spool_damage.c - spool_damage cut|flip|random AT FILE: cuts a file off at a byte, flips a bit, or
 * writes noise.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long at = argc == 4 ? atol(argv[2]) : 0;
	FILE *file = argc == 4 ? fopen(argv[3], "r+") : NULL;
	unsigned noise = 12345 + at;
	int byte;

	if (!file)
		return 2;
	if (strcmp(argv[1], "cut") == 0) {
		fclose(file);
		return truncate(argv[3], at) ? 2 : 0;
	}
	fseek(file, at, SEEK_SET);
	byte = fgetc(file);
	fseek(file, at, SEEK_SET);
	if (strcmp(argv[1], "flip") == 0)
		fputc(byte ^ 1 << at % 8, file);
	else
		for (int i = 0; i < 24; i++)
			fputc((noise = noise * 1103515245 + 12345) >> 16, file);
	return fclose(file) ? 2 : 0;
}
