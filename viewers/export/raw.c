/*
 * raw.c - a profile as text, in the layout of pprof -raw
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The ids of locations are made text once and copied from then on, and so are label sets: most
 * lines are made of these. Threads write a part of the rows each, whose size is added up before.
 */
#include "config.h"

#include "viewers/export/export.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/pool.h"
#include "base/texts.h"
#include "base/utf8.h"
#include "profile/label_order.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void add(struct buf *out, const struct profile *p, str_id id)
{
	utf8_add_safe(out, strtab_text(p->str, id), strtab_len(p->str, id));
}

static void add_line(struct buf *out, const char *title, const struct profile *p, str_id id)
{
	buf_addz(out, title);
	add(out, p, id);
	buf_addz(out, "\n");
}

/* "2023-11-14 22:13:20.5 +0000 UTC" in the local zone. */
static void add_time(struct buf *out, int64_t ns)
{
	time_t s = (time_t)(ns / 1000000000 - (ns % 1000000000 < 0));
	int64_t rest = ns - (int64_t)s * 1000000000;
	char text[64], fraction[16];
	struct tm tm = { 0 };
	int n = snprintf(fraction, sizeof(fraction), ".%09" PRId64, rest);

	while (n > 0 && (fraction[n - 1] == '0' || fraction[n - 1] == '.'))
		fraction[--n] = 0;
	localtime_r(&s, &tm);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	buf_addf(out, "Time: %s%s", text, fraction);
	strftime(text, sizeof(text), " %z %Z", &tm);
	buf_addf(out, "%s\n", text);
}

/* A duration as Go writes it: "4h35m2.83s", "1.5ms". */
static void add_go_duration(struct buf *out, int64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "\302\265s" }, { 1, "ns" } };
	uint64_t v = num_abs(ns), s = v / 1000000000;
	unsigned u = 0;

	while (u < 3 && v < units[u].ns)
		u++;
	if (ns < 0)
		buf_addz(out, "-");
	if (s >= 3600)
		buf_addf(out, "%" PRIu64 "h", s / 3600);
	if (s >= 60)
		buf_addf(out, "%" PRIu64 "m", s / 60 % 60);
	buf_addf(out, "%" PRIu64, u == 0 ? s % 60 : v / units[u].ns);
	if (v % units[u].ns) {
		char digits[24]; /* a 1 in front keeps the zeros behind the point */
		int n = snprintf(digits, sizeof(digits), "%" PRIu64, units[u].ns + v % units[u].ns);

		while (digits[n - 1] == '0')
			digits[--n] = 0;
		buf_addf(out, ".%s", digits + 1);
	}
	buf_addz(out, units[u].name);
}

/* pprof shows the first four characters: "4h35m2.83s" is "4h35". */
static void add_duration(struct buf *out, int64_t ns)
{
	struct buf text = { 0 };
	size_t end = 0;

	add_go_duration(&text, ns);
	for (unsigned i = 0; i < 4 && text.data[end]; i++)
		while ((text.data[++end] & 0xc0) == 0x80)
			;
	buf_addf(out, "Duration: %.*s\n", (int)end, text.data);
	buf_release(&text);
}

static void add_header(struct buf *out, const struct profile *p)
{
	const struct profile_meta *m = &p->meta;

	for (uint32_t i = 0; i < m->n_comments; i++)
		add_line(out, "Comment: ", p, m->comment[i]);
	if (m->doc_url)
		add_line(out, "Doc: ", p, m->doc_url);
	buf_addz(out, "PeriodType: ");
	add(out, p, m->period_type.name);
	add_line(out, " ", p, m->period_type.unit);
	buf_addf(out, "Period: %" PRId64 "\n", m->period);
	if (m->time_ns)
		add_time(out, m->time_ns);
	if (m->duration_ns)
		add_duration(out, m->duration_ns);
	buf_addz(out, "Samples:\n");
	for (uint32_t t = 0; t < p->n_types; t++) {
		buf_addz(out, t ? " " : "");
		add(out, p, p->type[t].name);
		buf_addz(out, "/");
		add(out, p, p->type[t].unit);
		if (p->type[t].name == m->default_type)
			buf_addz(out, "[dflt]");
	}
	buf_addz(out, "\n");
}

/* "key:[v1 v2]" for labels [first, end) of one key and kind, as the bytes that they are. */
static struct buf label_text(const struct profile *p, const uint32_t *label, uint32_t first, uint32_t end)
{
	str_id key = p->label_key[label[first]];
	struct buf b = { 0 };
	bool units = false;

	for (uint32_t i = first; i < end; i++)
		units = units || p->label_unit[label[i]];
	buf_add(&b, strtab_text(p->str, key), strtab_len(p->str, key));
	buf_addz(&b, ":[");
	for (uint32_t i = first; i < end; i++) {
		uint32_t l = label[i];
		str_id word = p->label_is_text[l] ? p->label_text[l] : p->label_unit[l];

		buf_addz(&b, i > first ? " " : "");
		if (!p->label_is_text[l])
			buf_addf(&b, units ? "%" PRId64 " " : "%" PRId64, p->label_num[l]);
		buf_add(&b, strtab_text(p->str, word), strtab_len(p->str, word));
	}
	buf_addz(&b, "]");
	return b;
}

static int compare_text(const void *a, const void *b)
{
	const struct buf *x = a, *y = b;
	int order = memcmp(x->data, y->data, x->len < y->len ? x->len : y->len);

	return order ? order : (x->len > y->len) - (x->len < y->len);
}

/* One line of the labels [first, end), which are of one kind; text has room for as many. */
static void add_labels(struct buf *out, const struct profile *p, const uint32_t *label, uint32_t first, uint32_t end,
		       struct buf *text)
{
	size_t n = 0;

	for (uint32_t i = first, next; i < end; i = next) {
		for (next = i + 1; next < end && p->label_key[label[next]] == p->label_key[label[i]];)
			next++;
		text[n++] = label_text(p, label, i, next);
	}
	qsort(text, n, sizeof(*text), compare_text);
	for (size_t i = 0; i < n; i++) {
		buf_addz(out, i ? " " : "                ");
		utf8_add_safe(out, text[i].data, text[i].len);
		buf_release(&text[i]);
	}
	if (n)
		buf_addz(out, "\n");
}

/* The lines of each label set, "" for none. */
static struct texts label_lines(const struct profile *p)
{
	const uint32_t *off = p->label_sets.off;
	struct texts lines = { 0 };
	uint32_t *label = profile_label_order(p), most = 0;
	struct buf *text;

	for (uint32_t s = 0; s < p->label_sets.n; s++)
		most = off[s + 1] - off[s] > most ? off[s + 1] - off[s] : most;
	text = mem_alloc(most, sizeof(*text));
	for (uint32_t s = 0; s < p->label_sets.n; s++) {
		uint32_t numbers = off[s];

		while (numbers < off[s + 1] && p->label_is_text[label[numbers]])
			numbers++;
		assert(off[s] <= numbers && numbers <= off[s + 1]);
		add_labels(&lines.all, p, label, off[s], numbers, text);
		add_labels(&lines.all, p, label, numbers, off[s + 1], text);
		texts_end(&lines);
	}
	free(text);
	free(label);
	return lines;
}

enum { ID_BYTES = 24 };

/* Location ids, each with a blank. The lengths have an array of their own, which stays in cache. */
struct ids {
	char (*text)[ID_BYTES]; /* [n_locs] */
	uint8_t *len;           /* [n_locs] */
};

static struct ids id_texts(const struct profile *p)
{
	struct ids ids = { mem_zalloc(p->n_locs, sizeof(*ids.text)), mem_alloc(p->n_locs, sizeof(*ids.len)) };

	for (uint32_t i = 0; i < p->n_locs; i++)
		ids.len[i] = (uint8_t)snprintf(ids.text[i], ID_BYTES, "%" PRIu64 " ", p->loc_id[i]);
	return ids;
}

/* What the lines of samples are made of, and the parts that threads write. */
struct samples {
	const struct profile *p;
	struct stop *stop;
	struct ids ids;
	struct texts lines; /* of label sets */
	unsigned n_parts;
	size_t *size; /* [n_parts] bytes */
	char *at;     /* where the first part goes */
};

/* The rows of a part are those from here to the start of the next. */
static uint32_t part_start(const struct samples *s, unsigned part)
{
	assert(part <= s->n_parts);
	return (uint32_t)((uint64_t)s->p->n_rows * part / s->n_parts);
}

/* A blank, and v right-aligned. */
static char *put_value(char *at, int64_t v)
{
	enum { WIDTH = 10 };
	char digits[NUM_DIGITS];
	size_t n = (size_t)(num_put(digits, v) - digits);

	*at++ = ' ';
	for (size_t i = n; i < WIDTH; i++)
		*at++ = ' ';
	memcpy(at, digits, n);
	return at + n;
}

static size_t row_size(const struct samples *s, uint32_t row)
{
	const struct profile *p = s->p;
	uint32_t set = p->labels[row];
	size_t n_lines, size = sizeof(": \n") - 1;
	char value[NUM_DIGITS + 2];

	texts_at(&s->lines, set, &n_lines);
	size += n_lines;
	for (uint32_t t = 0; t < p->n_types; t++)
		size += (size_t)(put_value(value, p->value[SIDE_TARGET][t][row]) - value);
	for (uint32_t i = p->stacks.off[p->stack[row]]; i < p->stacks.off[p->stack[row] + 1]; i++)
		size += s->ids.len[p->stacks.item[i]];
	return size;
}

/* exact  no byte behind the row may be written to */
static char *put_row(char *at, const struct samples *s, uint32_t row, bool exact)
{
	const struct profile *p = s->p;
	uint32_t set = p->labels[row];
	const char *lines;
	size_t n;

	for (uint32_t t = 0; t < p->n_types; t++)
		at = put_value(at, p->value[SIDE_TARGET][t][row]);
	*at++ = ':';
	*at++ = ' ';
	for (uint32_t i = p->stacks.off[p->stack[row]]; i < p->stacks.off[p->stack[row] + 1]; i++) {
		uint32_t loc = p->stacks.item[i];
		uint8_t len = s->ids.len[loc];

		if (exact)
			memcpy(at, s->ids.text[loc], len);
		else
			memcpy(at, s->ids.text[loc], ID_BYTES); /* a known length is an instruction or two */
		at += len;
	}
	*at++ = '\n';
	lines = texts_at(&s->lines, set, &n);
	if (n)
		memcpy(at, lines, n);
	return at + n;
}

static void size_part(void *arg, unsigned part)
{
	struct samples *s = arg;
	size_t size = 0;

	for (uint32_t row = part_start(s, part); row < part_start(s, part + 1) && !stop_step(s->stop, row); row++)
		size += row_size(s, row);
	s->size[part] = size;
}

/* A row may be followed by ID_BYTES of nonsense, which the next row overwrites. */
static void put_part(void *arg, unsigned part)
{
	struct samples *s = arg;
	uint32_t end = part_start(s, part + 1);
	char *at = s->at;

	for (unsigned i = 0; i < part; i++)
		at += s->size[i];
	for (uint32_t row = part_start(s, part); row < end && !stop_step(s->stop, row); row++)
		at = put_row(at, s, row, end - row <= ID_BYTES);
}

/* Stopped: nothing is added. */
static void add_samples(struct buf *out, const struct profile *p, struct stop *stop)
{
	enum { WORTH_THREADS = 10000 };
	struct samples s = { .p = p,
			     .stop = stop,
			     .ids = id_texts(p),
			     .lines = label_lines(p),
			     .n_parts = p->n_rows < WORTH_THREADS ? 1 : pool_size() };
	size_t size = 0;

	s.size = mem_alloc(s.n_parts, sizeof(*s.size));
	stop_begin(stop, "writing samples", 2 * (uint64_t)p->n_rows);
	pool_run(size_part, &s, s.n_parts);
	for (unsigned i = 0; i < s.n_parts && !stop_is_set(stop); i++)
		size += s.size[i];
	s.at = buf_room(out, size);
	if (!stop_is_set(stop))
		pool_run(put_part, &s, s.n_parts);
	if (!stop_is_set(stop))
		out->len += size;
	texts_release(&s.lines);
	free(s.size);
	free(s.ids.text);
	free(s.ids.len);
}

static void add_function(struct buf *out, const struct profile *p, uint32_t line)
{
	uint32_t f = p->line_func[line];

	add(out, p, p->func_name[f]);
	buf_addz(out, " ");
	add(out, p, p->func_file[f]);
	buf_addf(out, ":%" PRId64 ":%" PRId64 " s=%" PRId64, p->line_no[line], p->line_col[line], p->func_start[f]);
	if (p->func_name[f] != p->func_sysname[f]) {
		buf_addz(out, "(");
		add(out, p, p->func_sysname[f]);
		buf_addz(out, ")");
	}
	buf_addz(out, "\n");
}

static void add_locations(struct buf *out, const struct profile *p)
{
	for (uint32_t i = 0; i < p->n_locs; i++) {
		buf_addf(out, "%6" PRIu64 ": 0x%" PRIx64 " ", p->loc_id[i], p->loc_addr[i]);
		if (p->loc_map[i] != PROFILE_NONE)
			buf_addf(out, "M=%" PRIu64 " ", p->map[p->loc_map[i]].id);
		if (p->loc_folded[i])
			buf_addz(out, "[F] ");
		if (p->loc_line[i] == p->loc_line[i + 1])
			buf_addz(out, "\n");
		for (uint32_t l = p->loc_line[i]; l < p->loc_line[i + 1]; l++) {
			buf_addz(out, l > p->loc_line[i] ? "             " : "");
			add_function(out, p, l);
		}
	}
}

static void add_mappings(struct buf *out, const struct profile *p)
{
	for (uint32_t i = 0; i < p->n_maps; i++) {
		const struct mapping *m = &p->map[i];

		buf_addf(out, "%" PRIu64 ": 0x%" PRIx64 "/0x%" PRIx64 "/0x%" PRIx64 " ", m->id, m->start, m->limit,
			 m->offset);
		add(out, p, m->file);
		buf_addz(out, " ");
		add(out, p, m->build_id);
		buf_addf(out, " %s%s%s%s\n", m->has_functions ? "[FN]" : "", m->has_filenames ? "[FL]" : "",
			 m->has_line_numbers ? "[LN]" : "", m->has_inline_frames ? "[IN]" : "");
	}
}

int raw_draw(const struct profile *p, struct stop *stop, struct buf *out, struct err *err)
{
	add_header(out, p);
	add_samples(out, p, stop);
	if (stop_is_set(stop))
		return stop_check(stop, err);
	buf_addz(out, "Locations\n");
	add_locations(out, p);
	buf_addz(out, "Mappings\n");
	add_mappings(out, p);
	return 0;
}
