/*
 * inflate.c - the yardstick: time to decompress a gzip file in memory
 * SPDX-License-Identifier: Apache-2.0
 *
 * The file is read first. A run allocates a buffer of the inflated size, decompresses into it and frees it, so the page
 * faults are part of the time, as for any program that decompresses a profile once. The median is the first number of
 * the line, which bench.c reads.
 */
#include "config.h"

#include <libdeflate.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MAX_RUNS = 1000 };

struct packed {
	uint8_t *data;
	size_t n, n_inflated;
};

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

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

/* Milliseconds of one run; negative if the data does not have its size. */
static double inflate_once(const struct packed *p)
{
	double start = now_ms(), ms = -1;
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	size_t n = p->n_inflated, n_in = 0, n_out = 0;
	uint8_t *out = malloc(n + 1);

	if (d && out && !libdeflate_gzip_decompress_ex(d, p->data, p->n, out, n, &n_in, &n_out) && n_in == p->n &&
	    n_out == n)
		ms = now_ms() - start;
	free(out);
	libdeflate_free_decompressor(d);
	return ms;
}

static int compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	int n = argc == 3 ? atoi(argv[2]) : 1;
	double ms[MAX_RUNS], sorted[MAX_RUNS];
	struct packed p = { 0 };

	if (argc < 2 || argc > 3 || n < 1 || n > MAX_RUNS) {
		fprintf(stderr, "usage: inflate FILE [RUNS]\n");
		return 2;
	}
	if (packed_read(&p, argv[1])) {
		fprintf(stderr, "inflate: %s: read failed, or too short for gzip\n", argv[1]);
		return 2;
	}
	/* Fix the threshold, else malloc would reuse the block, with its pages, for later runs. */
	mallopt(M_MMAP_THRESHOLD, 128 * 1024);
	for (int i = 0; i < n; i++) {
		sorted[i] = ms[i] = inflate_once(&p);
		if (ms[i] < 0) {
			fprintf(stderr, "inflate: %s: not one whole gzip member\n", argv[1]);
			return 2;
		}
	}
	qsort(sorted, (size_t)n, sizeof(*sorted), compare_double);
	printf("%.3f ms, median of", (sorted[n / 2] + sorted[(n - 1) / 2]) / 2);
	for (int i = 0; i < n; i++)
		printf(" %.3f", ms[i]);
	printf("; %zu bytes to %zu\n", p.n, p.n_inflated);
	free(p.data);
	return 0;
}
