/*
 * text.c - profiles as text, as Go's runtime/pprof prints them
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The frames of a stack are printed one per line. Columns are aligned as Go's text/tabwriter does with tabs: in
 * consecutive lines that have a column, it is as wide as its widest cell plus one blank, rounded up to a multiple of 8.
 * Single threads are printed as Go prints goroutines. The profile "goroutine" has the exact format of Go, for programs
 * that parse it; the profile "threads" has more details.
 *
 * Readers subtract 1 from every address, also from that of the first frame, so 1 is added. Unlike in Go, the mappings
 * follow at the end, so that readers can look up names.
 */
#include "config.h"

#include "libcpaprof/collector/labels.h"
#include "libcpaprof/collector/process.h"
#include "libcpaprof/collector/read/order.h"
#include "libcpaprof/collector/read/task.h"
#include "libcpaprof/collector/write/stream.h"
#include "libcpaprof/collector/write/write.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATUS_SIZE = 4096, NAME_SIZE = 32, CREATORS_SHOWN = 1 };

/* State of the text writer. */
struct collector_text {
	const struct snap *s;
	snap_names_fn *names;
	void *names_arg;
	struct stream out;
	struct vec line, chars; /* frames of the current stack, to be aligned */
};

/* The length of the character at s; 0 if a terminal could interpret it: C0, C1 (also as raw bytes), bidi controls. */
static size_t safe_size(const char *s, size_t n)
{
	size_t size = collect_utf8_length(s, n);
	unsigned char c = (unsigned char)*s;

	if (size == 0 || c < ' ' || c == 0x7f || (c == 0xc2 && (unsigned char)s[1] < 0xa0))
		return 0;
	if (size == 3 && memcmp(s, "\xe2\x80", 2) == 0 && (unsigned char)s[2] >= 0xaa && (unsigned char)s[2] <= 0xae)
		return 0;
	return size;
}

/* Like put, but with '?' for control characters. */
static void put_safe(struct collector_text *t, const char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		size_t size = safe_size(s + i, n - i);

		stream_put(&t->out, size ? s + i : "?", size ? size : 1);
		i += size ? size : 1;
	}
}

/* Write a text in quotes, as Go does. */
static void quote(struct collector_text *t, const char *s, size_t n)
{
	static const char from[] = "\a\b\f\n\r\t\v\\\"", to[] = "abfnrtv\\\"";

	stream_put(&t->out, "\"", 1);
	for (size_t i = 0; i < n; i++) {
		const char *at = s[i] ? strchr(from, s[i]) : NULL;

		if (at)
			stream_add(&t->out, "\\%c", to[at - from]);
		else if ((unsigned char)s[i] < ' ' || s[i] == 0x7f)
			stream_add(&t->out, "\\x%02x", (unsigned)s[i]);
		else if ((unsigned char)s[i] == 0xc2 && i + 1 < n && (unsigned char)s[i + 1] < 0xa0)
			stream_add(&t->out, "\\u00%02x", (unsigned)(unsigned char)s[++i]);
		else
			stream_put(&t->out, &s[i], 1);
	}
	stream_put(&t->out, "\"", 1);
}

struct label_writer {
	struct collector_text *t;
	uint32_t n;
};

static int put_label(void *arg, const char *key, size_t n_key, const char *value, size_t n_value)
{
	struct label_writer *l = arg;

	stream_add(&l->t->out, l->n++ ? ", " : "{");
	quote(l->t, key, n_key);
	stream_add(&l->t->out, ":");
	quote(l->t, value, n_value);
	return 0;
}

static void put_labels(struct collector_text *t, uint32_t label)
{
	struct label_writer l = { .t = t };

	collect_labels(t->s->p->c, label, put_label, &l);
	stream_add(&t->out, l.n ? "}" : "{}");
}

/* Write " 0x...". Done by hand for speed: there are millions of addresses. */
static void snaptext_put_address(struct collector_text *t, uint64_t addr)
{
	static const char digit[] = "0123456789abcdef";
	char s[19];
	char *at = s + sizeof(s);

	do {
		*--at = digit[addr & 15];
		addr >>= 4;
	} while (addr);
	*--at = 'x';
	*--at = '0';
	*--at = ' ';
	stream_put(&t->out, at, (size_t)(s + sizeof(s) - at));
}

static void put_addresses(struct collector_text *t, const struct snap_row *r)
{
	const struct table_loc *loc = t->s->p->table.loc.data;
	const uint32_t *frames = t->s->p->table.frames.data;

	for (uint32_t i = 0; i < r->n; i++)
		snaptext_put_address(t, loc[frames[r->at + i]].addr + 1);
	if (r->n == 0)
		stream_add(&t->out, " 0x1"); /* readers expect at least one address */
	stream_put(&t->out, "\n", 1);
}

enum { INLINED_MAX = 64, LINES_MAX = 1 << 16, CHARS_MAX = 1 << 24, TAB = 8, NAME_MAX_LEN = 4096 };

/* A line for a frame. Its cells are in text.chars: address, function+offset, place. n[1] is 0 without a name. */
struct text_line {
	uint32_t at, n[3];
	uint32_t n_function; /* length of the name without the offset */
	uint64_t offset;     /* offset into the function if it is known, else into the file */
};

static uint32_t snaptext_add_cell(struct collector_text *t, const char *s, size_t n)
{
	char *to;

	n = n < NAME_MAX_LEN ? n : NAME_MAX_LEN;
	to = vec_reserve(&t->chars, n, 1, CHARS_MAX);
	if (!to) {
		t->out.error = t->out.error ? t->out.error : -ENOMEM;
		return 0;
	}
	for (size_t i = 0, size; i < n; i += size ? size : 1) {
		size = safe_size(s + i, n - i);
		if (size)
			memcpy(to + i, s + i, size);
		else
			to[i] = '?';
	}
	t->chars.n += n;
	return (uint32_t)n;
}

/* Add the place of a frame: its source file and line, else its object. */
static uint32_t snaptext_add_place(struct collector_text *t, uint32_t map, const char *file, uint64_t line)
{
	const struct maps *maps = &t->s->p->maps;
	uint32_t n = 0;
	char number[32];

	if (file && *file) {
		n = snaptext_add_cell(t, file, strlen(file));
	} else if (map && map <= maps->map.n) {
		const struct map *m = (const struct map *)maps->map.data + map - 1;

		n = snaptext_add_cell(t, (const char *)maps->texts.data + m->path, m->n_path);
	} else {
		n = snaptext_add_cell(t, "??", 2);
	}
	snprintf(number, sizeof(number), ":%" PRIu64, line);
	return n + snaptext_add_cell(t, number, strlen(number));
}

/* Add a line. name is NULL if not known. */
static void snaptext_add_line(struct collector_text *t, uint64_t addr, uint32_t map, const struct snap_name *name)
{
	const struct map *m = map ? (const struct map *)t->s->p->maps.map.data + map - 1 : NULL;
	struct text_line *l = vec_reserve(&t->line, 1, sizeof(*l), LINES_MAX);
	char number[32];

	if (!l) {
		t->out.error = t->out.error ? t->out.error : -ENOMEM;
		return;
	}
	*l = (struct text_line){ .at = (uint32_t)t->chars.n };
	l->offset = name ? name->offset : m ? addr - m->start + m->offset : 0;
	snprintf(number, sizeof(number), "0x%" PRIx64, addr);
	l->n[0] = snaptext_add_cell(t, number, strlen(number));
	if (name) {
		l->n_function = l->n[1] = snaptext_add_cell(t, name->function, strlen(name->function));
		snprintf(number, sizeof(number), "+0x%" PRIx64, name->offset);
		l->n[1] += snaptext_add_cell(t, number, strlen(number));
	}
	l->n[2] = snaptext_add_place(t, map, name ? name->file : NULL, name ? name->line : 0);
	t->line.n++;
}

/* Add the lines of a location: one per function, with inlined functions. */
static void snaptext_add_lines(struct collector_text *t, uint32_t id)
{
	const struct table_loc *loc = (const struct table_loc *)t->s->p->table.loc.data + id;
	struct snap_name name = { 0 };
	uint32_t i = 0;

	if (id < N_PSEUDO_FRAMES) {
		name.function = pseudo_frame_name[id];
		snaptext_add_line(t, 0, 0, &name);
		return;
	}
	while (t->names && i < INLINED_MAX && t->names(t->names_arg, t->s->p, loc->addr, loc->map, i, &name) &&
	       name.function) {
		snaptext_add_line(t, loc->addr, loc->map, &name);
		i++;
	}
	if (i == 0)
		snaptext_add_line(t, loc->addr, loc->map, NULL);
}

/* The width in characters. */
static uint32_t snaptext_width(const char *s, uint32_t n)
{
	uint32_t width = 0;

	for (uint32_t i = 0; i < n; i++)
		width += ((unsigned char)s[i] & 0xc0) != 0x80;
	return width;
}

/* Write a cell, and tabs up to the next column. */
static void put_cell(struct collector_text *t, const char *s, uint32_t n, uint32_t column)
{
	uint32_t width = snaptext_width(s, n), to = (column + 1 + TAB - 1) / TAB * TAB;

	stream_put(&t->out, s, n);
	for (; width < to; width = width / TAB * TAB + TAB)
		stream_put(&t->out, "\t", 1);
}

/* Write lines [lo, hi), which all have names. */
static void put_run(struct collector_text *t, const struct text_line *lo, const struct text_line *hi)
{
	const char *chars = t->chars.data;
	uint32_t wide[2] = { 0 };

	for (const struct text_line *l = lo; l < hi; l++) {
		uint32_t addr = snaptext_width(chars + l->at, l->n[0]),
			 name = snaptext_width(chars + l->at + l->n[0], l->n[1]);

		wide[0] = addr > wide[0] ? addr : wide[0];
		wide[1] = name > wide[1] ? name : wide[1];
	}
	for (const struct text_line *l = lo; l < hi; l++) {
		stream_put(&t->out, "#\t", 2);
		put_cell(t, chars + l->at, l->n[0], wide[0]);
		put_cell(t, chars + l->at + l->n[0], l->n[1], wide[1]);
		stream_put(&t->out, chars + l->at + l->n[0] + l->n[1], l->n[2]);
		stream_put(&t->out, "\n", 1);
	}
}

static void put_frames(struct collector_text *t, const struct snap_row *r)
{
	const uint32_t *frames = t->s->p->table.frames.data;
	const struct text_line *line;
	size_t to = 0;

	t->line.n = t->chars.n = 0;
	for (uint32_t i = 0; i < r->n; i++)
		snaptext_add_lines(t, frames[r->at + i]);
	line = t->line.data;
	while (to < t->line.n) {
		size_t from = to;

		while (to < t->line.n && line[to].n[1])
			to++;
		put_run(t, line + from, line + to);
		for (; to < t->line.n && !line[to].n[1]; to++) {
			stream_put(&t->out, "#\t", 2);
			stream_put(&t->out, (const char *)t->chars.data + line[to].at, line[to].n[0]);
			stream_put(&t->out, "\n", 1);
		}
	}
	stream_put(&t->out, "\n", 1);
}

/* Write a frame in the format of a goroutine. Offsets are of return addresses, so 1 is added. */
static void put_call(struct collector_text *t, const char *before, const struct text_line *l)
{
	const char *s = (const char *)t->chars.data + l->at;

	stream_put(&t->out, before, strlen(before));
	stream_put(&t->out, l->n[1] ? s + l->n[0] : s, l->n[1] ? l->n_function : l->n[0]);
	stream_add(&t->out, "%s\n\t", *before ? "" : "(...)");
	stream_put(&t->out, s + l->n[0] + l->n[1], l->n[2]);
	stream_add(&t->out, " +0x%" PRIx64 "\n", l->offset + 1);
}

/* Write frames [at, at + n) in the format of a goroutine, two lines each and at most max frames. */
static void put_calls(struct collector_text *t, const char *before, uint32_t at, uint32_t n, uint32_t max)
{
	const uint32_t *frames = t->s->p->table.frames.data;

	for (uint32_t i = 0; i < n && max; i++) {
		t->line.n = t->chars.n = 0;
		snaptext_add_lines(t, frames[at + i]);
		for (uint32_t k = 0; k < t->line.n && max; k++, max--)
			put_call(t, before, (const struct text_line *)t->line.data + k);
	}
}

static void release_frames(struct collector_text *t)
{
	vec_release(&t->line, sizeof(struct text_line));
	vec_release(&t->chars, 1);
}

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
extern __typeof__(mallinfo2) mallinfo2 __attribute__((weak));

/* Write the statistics of the C library's allocator, which are available only in the program itself. */
static void put_malloc(struct collector_text *t)
{
	struct mallinfo2 m;

	if (t->s->p->pid != getpid() || !mallinfo2)
		return;
	m = mallinfo2();
	stream_add(&t->out, "# Arena = %zu\n# Ordblks = %zu\n# Hblks = %zu\n# Hblkhd = %zu\n", m.arena, m.ordblks,
		   m.hblks, m.hblkhd);
	stream_add(&t->out, "# Uordblks = %zu\n# Fordblks = %zu\n# Keepcost = %zu\n", m.uordblks, m.fordblks,
		   m.keepcost);
}
#else
static void put_malloc(struct collector_text *t)
{
	(void)t;
}
#endif

/* Convert the line "NAME:  N kB" to "# NAME = N * 1024". */
static void put_line(struct collector_text *t, const char *text, const char *name, const char *as)
{
	char *end, key[NAME_SIZE];
	const char *at;
	uint64_t n;

	snprintf(key, sizeof(key), "\n%s:", name);
	at = strstr(text, key);
	if (!at)
		return;
	n = strtoull(at + strlen(key), &end, 10);
	stream_add(&t->out, "# %s = %" PRIu64 "\n", as, strncmp(end, " kB", 3) == 0 ? n * 1024 : n);
}

/* Write the memory statistics of the process as "# key = value" lines. */
static void write_memory(struct collector_text *t)
{
	static const struct {
		const char *name, *as;
	} lines[] = {
		{ "VmPeak", "VmPeak" }, { "VmSize", "VmSize" },   { "VmRSS", "VmRSS" },  { "RssAnon", "RssAnon" },
		{ "VmSwap", "VmSwap" }, { "Threads", "Threads" }, { "VmHWM", "MaxRSS" },
	};
	char path[NAME_SIZE], status[STATUS_SIZE];

	snprintf(path, sizeof(path), "/proc/%d/status", (int)t->s->p->pid);
	if (t->s->p->has_ended || task_read_file(AT_FDCWD, path, status, sizeof(status)) <= 0)
		return;
	stream_add(&t->out, "\n# memory\n");
	put_malloc(t);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		put_line(t, status, lines[i].name, lines[i].as);
}

#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_MINUTE (60 * NS_PER_S)

static void put_head(struct collector_text *t, const struct snap_thread *thread, uint32_t label)
{
	size_t n_name = strnlen(thread->name, sizeof(thread->name)),
	       n_wait = strnlen(thread->wait, sizeof(thread->wait));
	bool go = strcmp(t->s->name, "goroutine") == 0;

	stream_add(&t->out, "%s %" PRIu32 " ", go ? "goroutine" : "thread", thread->tid);
	if (!go) {
		stream_put(&t->out, "\"", 1);
		put_safe(t, thread->name, n_name);
		stream_put(&t->out, "\" ", 2);
	}
	stream_put(&t->out, "[", 1);
	put_safe(t, thread->wait, n_wait);
	if (thread->wait_ns >= NS_PER_MINUTE)
		stream_add(&t->out, ", %" PRIu64 " minutes", thread->wait_ns / NS_PER_MINUTE);
	if (!go) {
		stream_add(&t->out, ", cpu %" PRIu64 ".%" PRIu64 "s", thread->cpu_ns / NS_PER_S,
			   thread->cpu_ns % NS_PER_S / (NS_PER_S / 10));
		if (label) {
			stream_add(&t->out, ", labels: ");
			put_labels(t, label);
		}
	}
	stream_add(&t->out, "]:\n");
}

static void write_threads(struct collector_text *t)
{
	const struct snap_thread *thread = t->s->thread.data;
	const struct snap_row *row = t->s->row.data;
	size_t n = t->s->thread.n, n_row_of = (n + 1) * sizeof(uint32_t);
	uint32_t *row_of = memory_map(n_row_of); /* [n + 1] index of the row + 1, by index of the thread + 1 */

	if (!row_of)
		t->out.error = -ENOMEM;
	for (size_t i = 0; row_of && i < t->s->row.n; i++)
		if (row[i].thread <= n)
			row_of[row[i].thread] = (uint32_t)i + 1;
	for (uint32_t i = 0; i < n && !t->out.error; i++) {
		const struct snap_row *mine = row_of[i + 1] ? &row[row_of[i + 1] - 1] : NULL;

		if (i)
			stream_put(&t->out, "\n", 1);
		put_head(t, &thread[i], mine ? mine->label : 0);
		if (mine)
			put_calls(t, "", mine->at, mine->n, UINT32_MAX);
		put_calls(t, "created by ", thread[i].creator_at, thread[i].creator_n, CREATORS_SHOWN);
	}
	memory_unmap(row_of, n_row_of);
}

static void snaptext_write_mappings(struct collector_text *t)
{
	const struct maps *maps = &t->s->p->maps;
	const struct map *m = maps->map.data;
	const char *texts = maps->texts.data;

	stream_add(&t->out, "\n--- Memory map: ---\n");
	for (size_t i = 0; i < maps->map.n; i++, m++) {
		stream_add(&t->out, "0x%" PRIx64 "-0x%" PRIx64 " ", m->start, m->limit);
		put_safe(t, texts + m->path, m->n_path);
		stream_add(&t->out, " (@%" PRIx64 ")", m->offset);
		if (m->n_id)
			stream_add(&t->out, " ");
		stream_put(&t->out, texts + m->id, m->n_id);
		stream_put(&t->out, "\n", 1);
	}
}

/* Compare two addresses by their texts: "0x10" comes before "0x2". */
static int snaptext_compare(uint64_t a, uint64_t b)
{
	int digits_a = a ? 16 - __builtin_clzll(a) / 4 : 1, digits_b = b ? 16 - __builtin_clzll(b) / 4 : 1;

	a <<= 4 * (16 - digits_a);
	b <<= 4 * (16 - digits_b);
	if (a != b)
		return a < b ? -1 : 1;
	return digits_a - digits_b;
}

/* Order by the main value, largest first, then by the texts of the addresses. */
static int snaptext_compare_rows(const struct snap *s, const struct snap_row *a, const struct snap_row *b)
{
	const struct table_loc *loc = s->p->table.loc.data;
	const uint32_t *frames = s->p->table.frames.data;
	bool heap = s->kind == SNAP_HEAP || s->kind == SNAP_ALLOCS;
	bool wait = s->kind == SNAP_BLOCK || s->kind == SNAP_MUTEX;
	int64_t x = heap ? a->raw[1] : a->value[wait], y = heap ? b->raw[1] : b->value[wait];

	if (x != y)
		return x > y ? -1 : 1;
	for (uint32_t i = 0; i < a->n && i < b->n; i++) {
		uint64_t of_a = loc[frames[a->at + i]].addr, of_b = loc[frames[b->at + i]].addr;

		if (of_a != of_b)
			return snaptext_compare(of_a + 1, of_b + 1);
	}
	return a->n != b->n ? (a->n < b->n ? -1 : 1) : a->label < b->label ? -1 : a->label > b->label;
}

static int snaptext_compare_ids(const void *arg, uint32_t a, uint32_t b)
{
	const struct collector_text *t = arg;
	const struct snap_row *row = t->s->row.data;

	return snaptext_compare_rows(t->s, &row[a], &row[b]);
}

static void each_row(struct collector_text *t, void (*put_row)(struct collector_text *t, const struct snap_row *r))
{
	const struct snap_row *row = t->s->row.data;
	size_t n = t->s->row.n;
	uint32_t *order = n ? order_make(n, snaptext_compare_ids, t) : NULL;

	if (n && !order)
		t->out.error = -ENOMEM;
	for (size_t i = 0; order && i < n && !t->out.error; i++)
		put_row(t, &row[order[i]]);
	order_free(order, n);
}

static void put_count(struct collector_text *t, const struct snap_row *r)
{
	stream_add(&t->out, "%" PRId64 " @", r->value[0]);
	put_addresses(t, r);
	if (r->label) {
		stream_add(&t->out, "# labels: ");
		put_labels(t, r->label);
		stream_put(&t->out, "\n", 1);
	}
	put_frames(t, r);
}

static void snaptext_write_counts(struct collector_text *t)
{
	const struct snap_row *row = t->s->row.data;
	int64_t total = 0;

	for (size_t i = 0; i < t->s->row.n; i++)
		if (__builtin_add_overflow(total, row[i].value[0], &total))
			total = INT64_MAX;
	put_safe(t, t->s->name, strlen(t->s->name));
	stream_add(&t->out, " profile: total %" PRId64 "\n", total);
	each_row(t, put_count);
}

static void put_heap(struct collector_text *t, const struct snap_row *r)
{
	stream_add(&t->out, "%" PRId64 ": %" PRId64 " [%" PRId64 ": %" PRId64 "] @", r->raw[0], r->raw[1], r->raw[2],
		   r->raw[3]);
	put_addresses(t, r);
	put_frames(t, r);
}

static void snaptext_write_heap(struct collector_text *t)
{
	const struct snap_row *row = t->s->row.data;
	int64_t total[SNAP_VALUES] = { 0 };

	for (size_t i = 0; i < t->s->row.n; i++)
		for (int k = 0; k < SNAP_VALUES; k++)
			if (__builtin_add_overflow(total[k], row[i].raw[k], &total[k]))
				total[k] = INT64_MAX - 1;
	/* if both pairs are equal, pprof assumes that the profile has only one pair */
	total[3] += total[1] == total[3];
	stream_add(&t->out, "heap profile: %" PRId64 ": %" PRId64 " [%" PRId64 ": %" PRId64 "] @ ", total[0], total[1],
		   total[2], total[3]);
	/* Go writes heap/2N, with which google-pprof divides by zero if a row has nothing in use */
	if (t->s->gperf)
		stream_add(&t->out, "heap_v2/%" PRIu64 "\n", t->s->period);
	else
		stream_add(&t->out, "heap/%" PRIu64 "\n", 2 * t->s->period);
	each_row(t, put_heap);
	write_memory(t);
}

static void put_wait(struct collector_text *t, const struct snap_row *r)
{
	stream_add(&t->out, "%" PRId64 " %" PRId64 " @", r->value[1], r->value[0]);
	put_addresses(t, r);
	put_frames(t, r);
}

static void write_contention(struct collector_text *t)
{
	stream_add(&t->out, "--- %s:\ncycles/second=1000000000\n", t->s->kind == SNAP_MUTEX ? "mutex" : "contention");
	/* values are already scaled, and readers multiply by this */
	if (t->s->kind == SNAP_MUTEX)
		stream_add(&t->out, "sampling period=1\n");
	each_row(t, put_wait);
}

static void snaptext_write_body(struct collector_text *t, int debug)
{
	switch (t->s->kind) {
	case SNAP_HEAP:
	case SNAP_ALLOCS:
		snaptext_write_heap(t);
		break;
	case SNAP_BLOCK:
	case SNAP_MUTEX:
		write_contention(t);
		break;
	case SNAP_THREADS:
		if (debug > 1) {
			write_threads(t);
			return;
		}
		/* fall through */
	default:
		snaptext_write_counts(t);
	}
	snaptext_write_mappings(t);
}

int write_snap_text(const struct snap *s, int debug, snap_names_fn *names, void *names_arg, snap_sink_fn *sink,
		    void *arg)
{
	struct collector_text *t = memory_map(sizeof(*t));
	struct snap stacks = *s;
	int rc;

	if (!t)
		return -ENOMEM;
	t->s = s;
	t->names = names;
	t->names_arg = names_arg;
	t->out.sink = sink;
	t->out.arg = arg;
	if (s->kind == SNAP_THREADS && debug == 1) {
		t->out.error = snap_merge_threads(s, &stacks);
		t->s = &stacks;
	}
	snaptext_write_body(t, debug);
	stream_flush(&t->out);
	rc = t->out.error;
	if (t->s == &stacks)
		vec_release(&stacks.row, sizeof(struct snap_row));
	release_frames(t);
	memory_unmap(t, sizeof(*t));
	return rc;
}
