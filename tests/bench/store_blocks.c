/*
 * store_blocks.c - bytes per stored profile, and the time to encode and to add up profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: store_blocks [-n PROFILES] [-l LEVEL] [-t] FILE...
 *
 * The files become one series, ten minutes apart. With -n, profiles are added to reach that number: each has as many rows as
 * a random one of the files, drawn from the cells of all files. The dictionary then lacks the stacks that further real
 * profiles would have. -t prints the bytes of each table of the dictionary.
 */
#include "config.h"

#include "base/io.h"
#include "base/mem.h"
#include "formats/formats.h"
#include "store/local/format/pack.h"
#include "store/local/format/segment.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static uint64_t state = 1;

static uint32_t number(uint32_t below)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((state >> 32) * below >> 32);
}

struct cell {
	uint32_t row;
	int64_t value[8];
};

/* The cells of all files. */
struct pool {
	struct cell *cell;
	size_t n, cap;
	uint32_t *rows; /* of each file */
	size_t n_files, cap_files;
	struct stored last;
	int64_t file_bytes, read_ms, add_ms;
};

static void fail(const char *what, const struct err *err)
{
	fprintf(stderr, "store_blocks: %s: %s\n", what, err->msg);
	exit(2);
}

static void add_cells(struct pool *pool, const struct stored *s)
{
	pool->rows = mem_grow(pool->rows, &pool->cap_files, pool->n_files + 1, sizeof(*pool->rows));
	pool->rows[pool->n_files++] = s->n;
	for (uint32_t i = 0; i < s->n; i++) {
		struct cell *c;

		pool->cell = mem_grow(pool->cell, &pool->cap, pool->n + 1, sizeof(*pool->cell));
		c = &pool->cell[pool->n++];
		*c = (struct cell){ .row = s->row[i] };
		for (uint32_t k = 0; k < s->n_columns && k < 8; k++)
			c->value[k] = s->value[(size_t)k * s->n + i];
	}
}

static double read_ms, add_ms;

static void add_file(struct chapter_builder *b, struct pool *pool, const char *path)
{
	static const struct store_label label = { "instance", "10.0.0.1:6060" };
	struct bytes bytes;
	struct profile *p = NULL;
	struct stored s;
	struct err err;
	double t = now_ms(), read;

	if (io_read_file(path, SIZE_MAX, NULL, &bytes, &err) ||
	    formats_read(&bytes, &formats_options_default, &p, &err))
		fail(path, &err);
	read = now_ms();
	if (dict_add_profile(chapter_builder_dict(b), p, &s, &err) ||
	    dict_add_series(chapter_builder_dict(b), "bench", "cpu", &label, 1, &s.series, &err))
		fail(path, &err);
	chapter_builder_add(b, &s);
	add_ms += now_ms() - read;
	read_ms += read - t;
	add_cells(pool, &s);
	dict_release_stored(&pool->last);
	pool->last = s;
	profile_free(p);
	free(bytes.data);
}

static int compare_cells(const void *a, const void *b)
{
	const struct cell *x = a, *y = b;

	return x->row < y->row ? -1 : x->row > y->row;
}

/* Draw a profile from the cells of all files. */
static void add_drawn(struct chapter_builder *b, const struct pool *pool, size_t i)
{
	struct stored s = pool->last;
	uint32_t n = pool->rows[number((uint32_t)pool->n_files)], k;
	struct cell *c = mem_alloc(n, sizeof(*c));

	for (k = 0; k < n; k++)
		c[k] = pool->cell[number((uint32_t)pool->n)];
	qsort(c, n, sizeof(*c), compare_cells);
	s.row = mem_alloc(n, sizeof(*s.row));
	s.value = mem_alloc((size_t)n * s.n_columns, sizeof(*s.value));
	s.n = 0;
	for (k = 0; k < n; k++)
		if (!k || c[k].row != c[k - 1].row)
			s.row[s.n++] = c[k].row;
	for (uint32_t column = 0; column < s.n_columns; column++) {
		int64_t *to = s.value + (size_t)column * s.n - 1;

		for (k = 0; k < n; k++)
			if (!k || c[k].row != c[k - 1].row)
				*++to = c[k].value[column];
			else
				*to += c[k].value[column];
	}
	s.start_ns += (int64_t)(i - pool->n_files + 1) * 1400000000 + number(1000000);
	s.duration_ns += number(1000000);
	chapter_builder_add(b, &s);
	free(s.row);
	free(s.value);
	free(c);
}

/* --- results --- */

static size_t print_tables(const struct dict *d, int level, bool print)
{
	static const char *const names[] = {
		[DICT_STRINGS] = "strings",       [DICT_FUNCTIONS] = "functions", [DICT_MAPPINGS] = "mappings",
		[DICT_LOCATIONS] = "locations",   [DICT_NODES] = "nodes",         [DICT_LABELS] = "labels",
		[DICT_LABEL_SETS] = "label sets", [DICT_ROWS] = "rows",           [DICT_METAS] = "metas",
		[DICT_SERIES] = "series"
	};
	struct packer *p = pack_new(level);
	size_t sum = 0;

	for (unsigned t = DICT_STRINGS; t < DICT_TABLES_END; t++) {
		struct buf raw = { 0 }, packed = { 0 };

		dict_encode(d, (enum dict_table)t, 0, &raw);
		pack_add(p, raw.data, raw.len, &packed);
		sum += packed.len + 32;
		if (print)
			printf("  %-10s %7u entries %8zu bytes, %8zu before compression\n", names[t],
			       dict_count(d, (enum dict_table)t), packed.len, raw.len);
		buf_release(&raw);
		buf_release(&packed);
	}
	pack_free(p);
	return sum;
}

struct sums {
	int64_t *sum;
	uint64_t n_cells;
};

static void add_row(void *arg, uint32_t row, uint32_t n, const uint32_t *cell, const int64_t *value)
{
	struct sums *s = arg;
	uint64_t sum = 0;

	(void)cell;
	for (uint32_t i = 0; i < n; i++)
		sum += (uint64_t)value[i];
	s->sum[row] += (int64_t)sum;
	s->n_cells += n;
}

/* Add up a column of all blocks. */
static void print_sum(const struct chapter *c, uint32_t column)
{
	struct sums s = { .sum = mem_zalloc(c->dict.n_rows, sizeof(*s.sum)) };
	struct buf buffer = { 0 };
	struct err err;
	double best = 1e9, open = 1e9;

	for (unsigned round = 0; round < 7; round++) {
		double t = now_ms(), t_open = 0;

		memset(s.sum, 0, c->dict.n_rows * sizeof(*s.sum));
		s.n_cells = 0;
		for (uint32_t i = 0; i < c->n_blocks; i++) {
			double before = now_ms();
			struct block b;

			if (chapter_open_block(c, i, &buffer, &b, &err))
				fail("block", &err);
			t_open += now_ms() - before;
			if (block_each_row(&b, column, add_row, &s, &err))
				fail("block", &err);
			block_release(&b);
		}
		t = now_ms() - t;
		best = t < best ? t : best;
		open = t_open < open ? t_open : open;
	}
	printf("sum of column %u: %.2f ms, of that %.2f ms decompression; %" PRIu64 " cells, %.2f ns per cell\n",
	       column + 1, best, open, s.n_cells, best * 1e6 / (double)s.n_cells);
	buf_release(&buffer);
	free(s.sum);
}

static int write_bytes(void *arg, const void *data, size_t n, struct err *err)
{
	return io_write_fd(*(int *)arg, data, n, err);
}

/* Write the chapter as a segment and read it. */
static void print_file(const struct chapter *c, int level)
{
	const struct segment_info info = { .tier = TIER_RAW };
	int fd = memfd_create("segment", MFD_CLOEXEC);
	struct segment_writer *w = segment_writer_new(&info, level, write_bytes, &fd);
	double t = now_ms(), written, best = 1e9;
	struct segment *s;
	struct err err;
	struct stat st;
	uint32_t crc;

	if (segment_writer_add(w, c, &err) || segment_writer_finish(w, &crc, &err))
		fail("write", &err);
	written = now_ms() - t;
	segment_writer_free(w);
	if (fstat(fd, &st) || segment_open(fd, "segment", &s, &err))
		fail("open", &err);
	for (unsigned round = 0; round < 7; round++) {
		struct chapter *read;

		t = now_ms();
		if (segment_read_chapter(s, 0, &read, &err))
			fail("read", &err);
		t = now_ms() - t;
		best = t < best ? t : best;
		chapter_free(read);
	}
	printf("file of %.2f MB: written in %.1f ms; dictionary of %u nodes read in %.2f ms, %.0f ns per node\n",
	       (double)st.st_size / 1e6, written, c->dict.n_nodes, best, best * 1e6 / c->dict.n_nodes);
	segment_close(s);
	close(fd);
}

int main(int argc, char **argv)
{
	struct chapter_builder *b = chapter_builder_new("bench");
	struct pool pool = { 0 };
	size_t n = 0, blocks = 0, dict, raw = 0;
	bool tables = false;
	int level = 3, o;
	struct chapter *c;
	struct err err;
	double t;

	while ((o = getopt(argc, argv, "n:l:t")) != -1)
		if (o == 'n')
			n = strtoul(optarg, NULL, 10);
		else if (o == 'l')
			level = atoi(optarg);
		else if (o == 't')
			tables = true;
		else
			return 2;
	for (int i = optind; i < argc && (!n || (size_t)(i - optind) < n); i++)
		add_file(b, &pool, argv[i]);
	for (size_t i = pool.n_files; i < n; i++)
		add_drawn(b, &pool, i);
	t = now_ms();
	if (chapter_builder_finish(b, level, &c, &err))
		fail("finish", &err);
	t = now_ms() - t;
	for (uint32_t i = 0; i < c->n_blocks; i++) {
		blocks += c->block[i].size;
		raw += c->block[i].raw;
	}
	dict = print_tables(&c->dict, level, tables);
	printf("%" PRIu64 " profiles of %.0f rows, level %d: samples %.1f bytes, dictionary %.1f bytes per profile\n",
	       c->profiles, (double)pool.n / (double)pool.n_files, level, (double)blocks / (double)c->profiles,
	       (double)dict / (double)c->profiles);
	printf("read %.0f us, add %.0f us per profile; blocks %.0f us per profile, %zu bytes before compression\n",
	       read_ms * 1e3 / (double)pool.n_files, add_ms * 1e3 / (double)pool.n_files, t * 1e3 / (double)c->profiles,
	       raw);
	for (uint32_t k = 0; c->n_blocks && k < c->block[0].n_columns; k++)
		print_sum(c, k);
	print_file(c, level);
	chapter_free(c);
	chapter_builder_free(b);
	return 0;
}
