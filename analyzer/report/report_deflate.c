/* report_deflate.c - see report_deflate.h: what came before is found by the hash of three bytes. */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "report/report_deflate.h"

enum {
	WINDOW = 32768,
	LEAST = 3,
	MOST = 258,
	TRIES = 48, /* places that are compared: more find little more */
	HASHES = 1 << 15,
	END = 256, /* symbol */
};

struct packer {
	const unsigned char *data;
	size_t size;
	FILE *out;
	uint32_t bits, nbits;	/* that are not written yet */
	int64_t *last, *before; /* the last place of a hash; of a place the one before it */
};

static void put(struct packer *p, uint32_t value, uint32_t n)
{
	p->bits |= value << p->nbits;
	p->nbits += n;
	for (; p->nbits >= 8; p->nbits -= 8, p->bits >>= 8)
		putc((int)(p->bits & 0xff), p->out);
}

/* Codes begin with their highest bit, all else with its lowest. */
static void put_code(struct packer *p, uint32_t code, uint32_t n)
{
	for (uint32_t i = n; i > 0; i--)
		put(p, code >> (i - 1) & 1, 1);
}

/* A byte, END, or a length's symbol, in the fixed code. */
static void put_symbol(struct packer *p, uint32_t symbol)
{
	if (symbol < 144)
		put_code(p, 0x30 + symbol, 8);
	else if (symbol < 256)
		put_code(p, 0x190 + symbol - 144, 9);
	else if (symbol < 280)
		put_code(p, symbol - 256, 7);
	else
		put_code(p, 0xc0 + symbol - 280, 8);
}

/*
 * Lengths from 3 and distances from 1 go by groups, `per` of them for each number of further bits;
 * the first 2 * per symbols stand for themselves. `at` counts from 0: the symbol, its further bits.
 */
static uint32_t group(uint32_t at, uint32_t per, uint32_t *value, uint32_t *n)
{
	uint32_t bits = 0;

	while ((at >> bits) >= 2 * per)
		bits++;
	*n = bits;
	*value = at & ((1U << bits) - 1);
	return bits * per + (at >> bits);
}

static void put_match(struct packer *p, size_t length, size_t distance)
{
	uint32_t value, n, symbol = group((uint32_t)length - LEAST, 4, &value, &n);

	if (length == MOST) { /* has a symbol of its own */
		put_symbol(p, 285);
	} else {
		put_symbol(p, 257 + symbol);
		put(p, value, n);
	}
	symbol = group((uint32_t)distance - 1, 2, &value, &n);
	put_code(p, symbol, 5);
	put(p, value, n);
}

static uint32_t hash(const unsigned char *at)
{
	return ((uint32_t)at[0] << 10 ^ (uint32_t)at[1] << 5 ^ at[2]) % HASHES;
}

static void remember(struct packer *p, size_t at)
{
	uint32_t h;

	if (at + LEAST > p->size)
		return;
	h = hash(p->data + at);
	p->before[at % WINDOW] = p->last[h];
	p->last[h] = (int64_t)at;
}

/* The longest match of what begins at `at`, and how far back it lies; 0: none. */
static size_t match(const struct packer *p, size_t at, size_t *distance)
{
	size_t most = p->size - at < MOST ? p->size - at : MOST, best = 0;
	int64_t place = at + LEAST <= p->size ? p->last[hash(p->data + at)] : -1;

	for (int tries = 0; tries < TRIES && place >= 0 && at - (size_t)place < WINDOW; tries++) {
		const unsigned char *before = p->data + place;
		size_t n = 0;

		while (n < most && before[n] == p->data[at + n])
			n++;
		if (n > best) {
			best = n;
			*distance = at - (size_t)place;
		}
		if (n == most)
			break;
		place = p->before[(size_t)place % WINDOW];
	}
	return best >= LEAST ? best : 0;
}

static void pack(struct packer *p)
{
	size_t at = 0, distance = 0;

	for (size_t i = 0; i < HASHES; i++)
		p->last[i] = -1;
	put(p, 1, 1); /* the last block */
	put(p, 1, 2); /* of fixed codes */
	while (at < p->size) {
		size_t n = match(p, at, &distance);

		if (n)
			put_match(p, n, distance);
		else
			put_symbol(p, p->data[at]);
		for (size_t end = at + (n ? n : 1); at < end; at++)
			remember(p, at);
	}
	put_symbol(p, END);
	put(p, 0, 7);
}

unsigned char *deflate(const void *data, size_t size, size_t *packed_size)
{
	char *packed = NULL;
	struct packer p = { .data = data,
		.size = size,
		.out = open_memstream(&packed, packed_size),
		.last = malloc(HASHES * sizeof(*p.last)),
		.before = malloc(WINDOW * sizeof(*p.before)) };

	if (p.out && p.last && p.before)
		pack(&p);
	if (p.out && (fclose(p.out) != 0 || !p.last || !p.before)) {
		free(packed);
		packed = NULL;
	}
	if (!packed)
		log_error("out of memory to pack %zu bytes", size);
	free(p.last);
	free(p.before);
	return (unsigned char *)packed;
}
