/* report_deflate.c - see report_deflate.h. */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#include "base/log.h"
#include "report/report_deflate.h"

#ifdef HAVE_ZLIB
enum { WINDOW_BITS = -15, MEMORY_LEVEL = 9 }; /* raw: no header of zlib's */

static unsigned char *pack(const void *data, size_t size, size_t *packed_size)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)size };
	unsigned char *packed;
	int code;

	if (size > UINT32_MAX ||
		deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, WINDOW_BITS, MEMORY_LEVEL,
			Z_FIXED) != Z_OK)
		return NULL;
	*packed_size = deflateBound(&z, (uLong)size);
	packed = malloc(*packed_size);
	z.next_out = packed;
	z.avail_out = (uInt)*packed_size;
	code = packed ? deflate(&z, Z_FINISH) : Z_MEM_ERROR;
	*packed_size = z.total_out;
	deflateEnd(&z);
	if (code == Z_STREAM_END)
		return packed;
	free(packed);
	return NULL;
}
#else
/* Blocks that hold their bytes as they are. */
static unsigned char *pack(const void *data, size_t size, size_t *packed_size)
{
	enum { BLOCK = 65535, HEAD = 5 };
	unsigned char *packed = malloc(size + (size / BLOCK + 1) * HEAD), *to = packed;

	for (size_t at = 0, n; packed && (at < size || to == packed); at += n) {
		n = size - at < BLOCK ? size - at : BLOCK;
		*to++ = at + n == size; /* the last one */
		for (int inverse = 0; inverse < 2; inverse++) {
			uint16_t length = (uint16_t)(inverse ? ~n : n);

			*to++ = (unsigned char)(length & 0xff);
			*to++ = (unsigned char)(length >> 8);
		}
		memcpy(to, (const char *)data + at, n);
		to += n;
	}
	*packed_size = (size_t)(to - packed);
	return packed;
}
#endif

unsigned char *deflate_pack(const void *data, size_t size, size_t *packed_size)
{
	unsigned char *packed = pack(data, size, packed_size);

	if (!packed)
		log_error("out of memory to pack %zu bytes", size);
	return packed;
}
