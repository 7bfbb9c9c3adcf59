/*
 * raw.c - a profile as text, in the layout of pprof -raw
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Ids of locations and label sets are formatted once and then copied, since most lines consist of them. Each thread
 * writes a part of the rows to its place, which follows from the sizes computed before.
 */
#include "config.h"

#include "viewers/export/export.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/pool.h"
#include "base/string_list.h"
#include "base/time.h"
#include "base/utf8.h"
#include "profile/label_order.h"
#include "profile/stack_walk.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void raw_add_string(struct buf *out, const struct profile *p, str_id id)
{
	utf8_add_safe(out, strtab_text(p->str, id), strtab_len(p->str, id));
}

static void raw_add_line(struct buf *out, const char *title, const struct profile *p, str_id id)
{
	buf_addz(out, title);
	raw_add_string(out, p, id);
	buf_addz(out, "\n");
}

/* Append a time such as "2023-11-14 22:13:20.5 +0000 UTC", in the local time zone. */
static void raw_add_time(struct buf *out, int64_t ns)
{
	time_add_local(out, ns, "Time: " TIME_SPACED);
	time_add_fraction(out, ns);
	time_add_local(out, ns, " %z %Z\n");
}

/* Append the first four characters of a duration, as pprof does: "4h35" for "4h35m2.83s". */
static void raw_add_duration(struct buf *out, int64_t ns)
{
	struct buf text = { 0 };
	size_t end = 0;

	time_add_go_duration(&text, ns);
	for (unsigned i = 0; i < 4 && text.data[end]; i++)
		while ((text.data[++end] & 0xc0) == 0x80)
			;
	buf_addf(out, "Duration: %.*s\n", (int)end, text.data);
	buf_release(&text);
}

static void raw_add_header(struct buf *out, const struct profile *p)
{
	const struct profile_meta *m = &p->meta;

	for (uint32_t i = 0; i < m->n_comments; i++)
		raw_add_line(out, "Comment: ", p, m->comment[i]);
	if (m->doc_url)
		raw_add_line(out, "Doc: ", p, m->doc_url);
	buf_addz(out, "PeriodType: ");
	raw_add_string(out, p, m->period_type.name);
	raw_add_line(out, " ", p, m->period_type.unit);
	buf_addf(out, "Period: %" PRId64 "\n", m->period);
	if (m->time_ns)
		raw_add_time(out, m->time_ns);
	if (m->duration_ns)
		raw_add_duration(out, m->duration_ns);
	buf_addz(out, "Samples:\n");
	for (uint32_t t = 0; t < p->n_types; t++) {
		buf_addz(out, t ? " " : "");
		raw_add_string(out, p, p->type[t].name);
		buf_addz(out, "/");
		raw_add_string(out, p, p->type[t].unit);
		if (p->type[t].name == m->default_type)
			buf_addz(out, "[dflt]");
	}
	buf_addz(out, "\n");
}

/* The text "key:[v1 v2]" of labels [first, end), which have one key and kind. Bytes are not escaped. */
static struct buf raw_label_text(const struct profile *p, const uint32_t *label, uint32_t first, uint32_t end)
{
	str_id key = p->label_key[label[first]];
	struct buf b = { 0 };
	bool has_units = false;

	for (uint32_t i = first; i < end; i++)
		has_units = has_units || p->label_unit[label[i]];
	buf_add(&b, strtab_text(p->str, key), strtab_len(p->str, key));
	buf_addz(&b, ":[");
	for (uint32_t i = first; i < end; i++) {
		uint32_t l = label[i];
		str_id word = p->label_is_text[l] ? p->label_text[l] : p->label_unit[l];

		buf_addz(&b, i > first ? " " : "");
		if (!p->label_is_text[l])
			buf_addf(&b, has_units ? "%" PRId64 " " : "%" PRId64, p->label_num[l]);
		buf_add(&b, strtab_text(p->str, word), strtab_len(p->str, word));
	}
	buf_addz(&b, "]");
	return b;
}

static int raw_compare_text(const void *a, const void *b)
{
	const struct buf *x = a, *y = b;
	int order = memcmp(x->data, y->data, x->len < y->len ? x->len : y->len);

	return order ? order : (x->len > y->len) - (x->len < y->len);
}

/* Append a line with the labels [first, end), which have the same kind; text is scratch space for that many labels. */
static void raw_add_labels(struct buf *out, const struct profile *p, const uint32_t *label, uint32_t first,
			   uint32_t end, struct buf *text)
{
	size_t n = 0;

	for (uint32_t i = first, next; i < end; i = next) {
		for (next = i + 1; next < end && p->label_key[label[next]] == p->label_key[label[i]];)
			next++;
		text[n++] = raw_label_text(p, label, i, next);
	}
	qsort(text, n, sizeof(*text), raw_compare_text);
	for (size_t i = 0; i < n; i++) {
		buf_addz(out, i ? " " : "                ");
		utf8_add_safe(out, text[i].data, text[i].len);
		buf_release(&text[i]);
	}
	if (n)
		buf_addz(out, "\n");
}

/* The lines of each label set; "" for an empty set. */
static struct string_list label_lines(const struct profile *p)
{
	const uint32_t *off = p->label_sets.off;
	struct string_list lines = { 0 };
	uint32_t *label = profile_label_order(p), max_labels = 0;
	struct buf *text;

	for (uint32_t s = 0; s < p->label_sets.n; s++)
		max_labels = off[s + 1] - off[s] > max_labels ? off[s + 1] - off[s] : max_labels;
	text = mem_alloc(max_labels, sizeof(*text));
	for (uint32_t s = 0; s < p->label_sets.n; s++) {
		uint32_t numbers = off[s];

		while (numbers < off[s + 1] && p->label_is_text[label[numbers]])
			numbers++;
		assert(off[s] <= numbers && numbers <= off[s + 1]);
		raw_add_labels(&lines.all, p, label, off[s], numbers, text);
		raw_add_labels(&lines.all, p, label, numbers, off[s + 1], text);
		string_list_end(&lines);
	}
	free(text);
	free(label);
	return lines;
}

enum { ID_BYTES = 24 };

/* Location ids as text, each with a blank. The lengths are in a separate array, which fits into the cache. */
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

/* Input for the lines of samples, and the parts of the output, one per thread. */
struct raw_samples {
	const struct profile *p;
	struct stop *stop;
	struct ids ids;
	struct string_list lines; /* lines of the label sets */
	unsigned n_parts;
	size_t *size; /* [n_parts] size of each part, in bytes */
	char *at;     /* start of the output of the first part */
};

/* The first row of a part; its last is before the start of the next part. */
static uint32_t part_start(const struct raw_samples *s, unsigned part)
{
	assert(part <= s->n_parts);
	return (uint32_t)((uint64_t)s->p->n_rows * part / s->n_parts);
}

/* Write a blank, and v right-aligned. Returns the end. */
static char *raw_write_value(char *at, int64_t v)
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

static size_t row_size(const struct raw_samples *s, uint32_t row)
{
	const struct profile *p = s->p;
	uint32_t set = p->labels[row];
	size_t n_lines, size = sizeof(": \n") - 1;
	char value[NUM_DIGITS + 2];
	uint32_t loc;

	string_list_get(&s->lines, set, &n_lines);
	size += n_lines;
	for (uint32_t t = 0; t < p->n_types; t++)
		size += (size_t)(raw_write_value(value, p->value[t][row]) - value);
	for (struct stack_walk w = stack_walk(p, p->stack[row], STACK_LEAF_FIRST); stack_walk_next(&w, &loc);)
		size += s->ids.len[loc];
	return size;
}

/*
 * Write a row. Returns its end.
 *
 * is_exact   do not write beyond the end of the row
 */
static char *write_row(char *at, const struct raw_samples *s, uint32_t row, bool is_exact)
{
	const struct profile *p = s->p;
	uint32_t set = p->labels[row], loc;
	const char *lines;
	size_t n;

	for (uint32_t t = 0; t < p->n_types; t++)
		at = raw_write_value(at, p->value[t][row]);
	*at++ = ':';
	*at++ = ' ';
	for (struct stack_walk w = stack_walk(p, p->stack[row], STACK_LEAF_FIRST); stack_walk_next(&w, &loc);) {
		uint8_t len = s->ids.len[loc];

		if (is_exact)
			memcpy(at, s->ids.text[loc], len);
		else
			memcpy(at, s->ids.text[loc], ID_BYTES); /* fast: a copy of constant length */
		at += len;
	}
	*at++ = '\n';
	lines = string_list_get(&s->lines, set, &n);
	if (n)
		memcpy(at, lines, n);
	return at + n;
}

static void size_part(void *arg, unsigned part)
{
	struct raw_samples *s = arg;
	size_t size = 0;

	for (uint32_t row = part_start(s, part); row < part_start(s, part + 1) && !stop_step(s->stop, row); row++)
		size += row_size(s, row);
	s->size[part] = size;
}

/* A row may write ID_BYTES beyond its end, which the next row overwrites; rows at the end of the part are exact. */
static void raw_write_part(void *arg, unsigned part)
{
	struct raw_samples *s = arg;
	uint32_t end = part_start(s, part + 1);
	char *at = s->at;

	for (unsigned i = 0; i < part; i++)
		at += s->size[i];
	for (uint32_t row = part_start(s, part); row < end && !stop_step(s->stop, row); row++)
		at = write_row(at, s, row, end - row <= ID_BYTES);
}

/* Append the lines of all samples; nothing if stopped. Fails ERR_LIMIT, ERR_STOPPED. */
static int raw_add_samples(struct buf *out, const struct profile *p, struct stop *stop, struct err *err)
{
	enum { ROWS_FOR_THREADS = 10000 };
	struct raw_samples s = { .p = p,
				 .stop = stop,
				 .ids = id_texts(p),
				 .lines = label_lines(p),
				 .n_parts = p->n_rows < ROWS_FOR_THREADS ? 1 : pool_size() };
	size_t size = 0;
	int rc;

	s.size = mem_alloc(s.n_parts, sizeof(*s.size));
	stop_begin(stop, "writing samples", 2 * (uint64_t)p->n_rows);
	pool_run(size_part, &s, s.n_parts);
	for (unsigned i = 0; i < s.n_parts && !stop_is_set(stop); i++)
		size += s.size[i];
	rc = stop_check(stop, err);
	rc = rc == 0 ? export_stacks_check_bytes(size, err) : rc;
	if (rc == 0) {
		s.at = buf_room(out, size);
		pool_run(raw_write_part, &s, s.n_parts);
		rc = stop_check(stop, err);
	}
	if (rc == 0)
		out->len += size;
	string_list_release(&s.lines);
	free(s.size);
	free(s.ids.text);
	free(s.ids.len);
	return rc;
}

static void raw_add_function(struct buf *out, const struct profile *p, uint32_t line)
{
	uint32_t f = p->line_func[line];

	raw_add_string(out, p, p->func_name[f]);
	buf_addz(out, " ");
	raw_add_string(out, p, p->func_file[f]);
	buf_addf(out, ":%" PRId64 ":%" PRId64 " s=%" PRId64, p->line_no[line], p->line_col[line], p->func_start[f]);
	if (p->func_name[f] != p->func_sysname[f]) {
		buf_addz(out, "(");
		raw_add_string(out, p, p->func_sysname[f]);
		buf_addz(out, ")");
	}
	buf_addz(out, "\n");
}

static void raw_add_locations(struct buf *out, const struct profile *p)
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
			raw_add_function(out, p, l);
		}
	}
}

static void add_mappings(struct buf *out, const struct profile *p)
{
	for (uint32_t i = 0; i < p->n_maps; i++) {
		const struct mapping *m = &p->map[i];

		buf_addf(out, "%" PRIu64 ": 0x%" PRIx64 "/0x%" PRIx64 "/0x%" PRIx64 " ", m->id, m->start, m->limit,
			 m->offset);
		raw_add_string(out, p, m->file);
		buf_addz(out, " ");
		raw_add_string(out, p, m->build_id);
		buf_addf(out, " %s%s%s%s\n", m->has_functions ? "[FN]" : "", m->has_filenames ? "[FL]" : "",
			 m->has_line_numbers ? "[LN]" : "", m->has_inline_frames ? "[IN]" : "");
	}
}

int raw_draw(const struct profile *p, struct stop *stop, struct buf *out, struct err *err)
{
	int rc;

	raw_add_header(out, p);
	rc = raw_add_samples(out, p, stop, err);
	if (rc < 0)
		return rc;
	buf_addz(out, "Locations\n");
	raw_add_locations(out, p);
	buf_addz(out, "Mappings\n");
	add_mappings(out, p);
	return 0;
}
