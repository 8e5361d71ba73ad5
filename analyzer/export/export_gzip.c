/* export_gzip.c - see export_gzip.h. */
#include "config.h"

#include <stdlib.h>

#include "export/export_gzip.h"

#ifdef HAVE_ZLIB
#include <zlib.h>

enum { BLOCK = 1 << 16, GZIP_WINDOW = 15 + 16, MEMORY = 8 };

struct gzip {
	z_stream stream;
	FILE *out;
	unsigned char block[BLOCK];
};

static int deflate_all(struct gzip *gzip, int flush)
{
	int ret;

	do {
		gzip->stream.next_out = gzip->block;
		gzip->stream.avail_out = BLOCK;
		ret = deflate(&gzip->stream, flush);
		fwrite(gzip->block, 1, BLOCK - gzip->stream.avail_out, gzip->out);
	} while (gzip->stream.avail_out == 0 && ret == Z_OK);
	return ret == Z_STREAM_ERROR || ferror(gzip->out) ? -1
							  : 0; /* Z_BUF_ERROR: all is written */
}

static ssize_t gzip_write(void *cookie, const char *data, size_t size)
{
	struct gzip *gzip = cookie;

	gzip->stream.next_in = (z_const Bytef *)data;
	gzip->stream.avail_in = (uInt)size;
	return deflate_all(gzip, Z_NO_FLUSH) < 0 ? 0 : (ssize_t)size;
}

static int gzip_close(void *cookie)
{
	struct gzip *gzip = cookie;
	int ret = deflate_all(gzip, Z_FINISH);

	deflateEnd(&gzip->stream);
	free(gzip);
	return ret;
}

bool export_gzip_is_there(void)
{
	return true;
}

FILE *export_gzip(FILE *out)
{
	struct gzip *gzip = calloc(1, sizeof(*gzip));
	FILE *file;

	if (!gzip)
		return NULL;
	gzip->out = out;
	if (deflateInit2(&gzip->stream, Z_BEST_SPEED, Z_DEFLATED, GZIP_WINDOW, MEMORY,
		    Z_DEFAULT_STRATEGY) != Z_OK) {
		free(gzip);
		return NULL;
	}
	file = fopencookie(gzip, "w",
		(cookie_io_functions_t){ .write = gzip_write, .close = gzip_close });
	if (!file) {
		deflateEnd(&gzip->stream);
		free(gzip);
	}
	return file;
}
#else
bool export_gzip_is_there(void)
{
	return false;
}

FILE *export_gzip(FILE *out)
{
	(void)out;
	return NULL;
}
#endif
