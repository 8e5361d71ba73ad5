/* otf2_file.c - see otf2_file.h. */
#include "config.h"

#include <sys/stat.h>
#include <unistd.h>

#include "otf2/otf2_file.h"

enum {
	CHUNK_HEADER = 0x03,
	CHUNK_END = 0x02,
	FILE_END = 0x01,
	LITTLE_ENDIAN_MARK = 'B',
	BIG_ENDIAN_MARK = '#',
	EVENT_SIZE_LEAST = 2,
};

static uint64_t number_read(const unsigned char *bytes, bool little)
{
	uint64_t number = 0;

	for (int i = 0; i < 8; i++)
		number = number << 8 | bytes[little ? 7 - i : i];
	return number;
}

/*
 * Number of the last event by the header of the last chunk, UINT64_MAX when the file does not end
 * there.
 */
static uint64_t last_event(int fd, uint64_t size, uint64_t chunk)
{
	uint64_t start = chunk ? (size - 1) / chunk * chunk : 0;
	unsigned char header[HEADER_SIZE], end[2];

	if (size < HEADER_SIZE + sizeof(end) || size - start < HEADER_SIZE ||
		pread(fd, header, sizeof(header), (off_t)start) != sizeof(header) ||
		pread(fd, end, sizeof(end), (off_t)(size - sizeof(end))) != sizeof(end))
		return UINT64_MAX;
	if (header[0] != CHUNK_HEADER || end[0] != CHUNK_END || end[1] != FILE_END ||
		(header[1] != LITTLE_ENDIAN_MARK && header[1] != BIG_ENDIAN_MARK))
		return UINT64_MAX;
	return number_read(header + 10, header[1] == LITTLE_ENDIAN_MARK);
}

struct event_file event_file_look(int fd, uint64_t chunk)
{
	struct event_file file = { 0 };
	struct stat st;

	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
		uint64_t room = (uint64_t)st.st_size / EVENT_SIZE_LEAST;
		uint64_t last = last_event(fd, (uint64_t)st.st_size, chunk);

		file.there = true;
		file.size = (uint64_t)st.st_size;
		file.complete = last <= room;
		file.nevents = file.complete ? last : room;
	}
	return file;
}
