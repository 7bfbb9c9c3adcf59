/*
 * inflate.c - the floor of a command that reads a profile: read the file, and decompress it once into fresh memory
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include <libdeflate.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct packed {
	uint8_t *data;
	size_t n, n_inflated;
};

/* Read the file; gzip ends with the inflated size in four bytes, little-endian. */
static int packed_read(struct packed *p, const char *path)
{
	FILE *f = fopen(path, "rb");
	long n;

	if (!f || fseek(f, 0, SEEK_END) || (n = ftell(f)) < 18)
		return -1;
	rewind(f);
	p->n = (size_t)n;
	p->data = malloc(p->n);
	if (!p->data || fread(p->data, 1, p->n, f) != p->n)
		return -1;
	fclose(f);
	const uint8_t *end = p->data + p->n;
	for (int i = 1; i <= 4; i++)
		p->n_inflated = p->n_inflated << 8 | end[-i];
	return 0;
}

/* Returns 0 if the data is one gzip member of its size. */
static int packed_inflate(const struct packed *p)
{
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	size_t n = p->n_inflated, n_in = 0, n_out = 0;
	uint8_t *out = malloc(n + 1);
	int rc = -1;

	if (d && out && !libdeflate_gzip_decompress_ex(d, p->data, p->n, out, n, &n_in, &n_out) && n_in == p->n &&
	    n_out == n)
		rc = 0;
	free(out);
	libdeflate_free_decompressor(d);
	return rc;
}

int main(int argc, char **argv)
{
	struct packed p = { 0 };

	if (argc != 2) {
		fprintf(stderr, "usage: inflate FILE\n");
		return 2;
	}
	if (packed_read(&p, argv[1]) || packed_inflate(&p)) {
		fprintf(stderr, "inflate: %s: read failed, or not one whole gzip member\n", argv[1]);
		return 2;
	}
	printf("%zu bytes to %zu\n", p.n, p.n_inflated);
	free(p.data);
	return 0;
}
