/*
 * proto_top.c - read profile.proto: one walk over the top level
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The string table stands at the end of most files, so the walk takes the strings and only notes
 * where the other messages are.
 */
#include "config.h"

#include "reader/proto_int.h"

#include "base/mem.h"
#include "reader/cursor.h"

#include <inttypes.h>

enum {
	TAG_SAMPLE = PROFILE_SAMPLE << 3 | WIRE_BYTES,
	PREFETCH_BYTES = 2048,
	USUAL_TYPES = 10000,
	USUAL_MAPPINGS = 1000000,
};

static int count_check(const struct proto *p, size_t n, const char *what, struct err *err)
{
	if (reader_over(n, p->limits->max_count))
		return err_set(err, ERR_LIMIT, "more than %" PRIu64 " %s; --max-count lifts this limit",
			       p->limits->max_count, what);
	return 0;
}

/*
 * What max_count allows of a table that has few entries in any real profile: usual by default, and
 * more when the limit is raised.
 */
static uint64_t few_limit(uint64_t max_count, uint64_t usual)
{
	uint64_t scaled = max_count / (reader_limits_default.max_count / usual);

	return max_count <= usual ? max_count : scaled > usual ? scaled : usual;
}

/* usual: entries by default; 0 goes by max_count alone */
static int spans_add(struct tables *t, struct spans *s, const struct field *f, const char *what, uint64_t usual,
		     struct err *err)
{
	uint64_t limit = t->p.limits->max_count;

	if (usual)
		limit = few_limit(limit, usual);
	s->span = mem_grow(s->span, &s->cap, s->n + 1, sizeof(*s->span));
	s->span[s->n++] = (struct span){ f->data, f->n };
	if (reader_over(s->n, limit))
		return err_set(err, ERR_LIMIT, "more than %" PRIu64 " %s; --max-count lifts this limit", limit, what);
	return 0;
}

static int top_string(struct tables *t, const struct field *f, struct err *err)
{
	struct proto *p = &t->p;

	if (p->n_str == 0 && f->n != 0)
		return err_set(err, ERR_FORMAT, "the first string is not empty");
	p->str = mem_grow(p->str, &p->cap_str, p->n_str + 1, sizeof(*p->str));
	p->str[p->n_str++] = strtab_add(builder_strings(p->builder), (const char *)f->data, f->n);
	return count_check(p, p->n_str, "strings", err);
}

static int top_sample(struct tables *t, const struct field *f, const uint8_t *start, struct err *err)
{
	struct proto *p = &t->p;

	if (p->n_samples >= UINT32_MAX - 2 * SAMPLES_PER_BLOCK)
		return err_set(err, ERR_LIMIT, "more than 4 billion samples");
	if (p->n_samples % SAMPLES_PER_BLOCK == 0) {
		p->block = mem_grow(p->block, &p->cap_blocks, p->n_blocks + 1, sizeof(*p->block));
		p->block[p->n_blocks++] = (struct sample_block){ .start = start, .first = p->n_samples };
	}
	p->block[p->n_blocks - 1].n++;
	p->n_samples++;
	p->sample_bytes += f->n;
	return count_check(p, p->n_samples, "samples", err);
}

static void add_comment(struct header *h, uint64_t string)
{
	h->comment = mem_grow(h->comment, &h->cap_comments, h->n_comments + 1, sizeof(*h->comment));
	h->comment[h->n_comments++] = string;
}

static bool top_comments(struct tables *t, struct cursor *c, const struct field *f)
{
	struct header *h = &t->head;
	struct cursor packed = { 0 };
	uint64_t v;

	if (f->type == WIRE_VARINT) {
		add_comment(h, f->value);
		return true;
	}
	if (!cursor_expect(c, f, WIRE_BYTES))
		return false;
	packed = (struct cursor){ f->data, f->data + f->n, NULL };
	while (packed.at < packed.end) {
		if (!cursor_varint(&packed, &v)) {
			c->wrong = packed.wrong;
			return false;
		}
		add_comment(h, v);
	}
	return true;
}

/* The fields that are one number. */
static int top_number(struct tables *t, const struct field *f, struct err *err)
{
	struct profile_meta *m = builder_meta(t->p.builder);

	switch (f->number) {
	case PROFILE_DROP:
		t->head.drop = f->value;
		break;
	case PROFILE_KEEP:
		t->head.keep = f->value;
		break;
	case PROFILE_TIME:
		if (m->time_ns != 0)
			return err_set(err, ERR_FORMAT, "concatenated profiles: a second time_nanos stands in it");
		m->time_ns = (int64_t)f->value;
		break;
	case PROFILE_DURATION:
		m->duration_ns = (int64_t)f->value;
		break;
	case PROFILE_PERIOD:
		m->period = (int64_t)f->value;
		break;
	case PROFILE_DEFAULT_TYPE:
		t->head.default_type = f->value;
		break;
	default:
		t->head.doc_url = f->value;
	}
	return 0;
}

/* The name of a source file, the number of a line, and then lines. */
static int top_source(struct tables *t, struct cursor *c, const struct field *f, struct err *err)
{
	if (!cursor_expect(c, f, f->number == PROFILE_SOURCE_LINE ? WIRE_VARINT : WIRE_BYTES))
		return 0;
	if (f->number == PROFILE_SOURCE_FILE) {
		t->source_file = (struct span){ f->data, f->n };
		t->source_line = 1;
	} else if (f->number == PROFILE_SOURCE_LINE) {
		t->source_line = (int64_t)f->value;
	} else if (t->source_file.n && t->source_line > 0 && t->source_line < INT64_MAX) {
		profile_texts_add(&t->texts, (const char *)t->source_file.data, t->source_file.n, t->source_line++,
				  (const char *)f->data, f->n);
	}
	return count_check(&t->p, t->texts.n, "source lines", err);
}

static int top_message(struct tables *t, const struct field *f, const uint8_t *start, struct err *err)
{
	switch (f->number) {
	case PROFILE_SAMPLE:
		return top_sample(t, f, start, err);
	case PROFILE_STRING:
		return top_string(t, f, err);
	case PROFILE_TYPE:
		return spans_add(t, &t->types, f, "sample types", USUAL_TYPES, err);
	case PROFILE_MAPPING:
		return spans_add(t, &t->maps, f, "mappings", USUAL_MAPPINGS, err);
	case PROFILE_LOCATION:
		return spans_add(t, &t->locs, f, "locations", 0, err);
	case PROFILE_FUNCTION:
		return spans_add(t, &t->funcs, f, "functions", 0, err);
	default:
		t->period_type = (struct span){ f->data, f->n };
		return 0;
	}
}

static bool top_is_message(uint64_t number)
{
	return (number >= PROFILE_TYPE && number <= PROFILE_STRING) || number == PROFILE_PERIOD_TYPE;
}

/*
 * Pass over samples of less than 128 bytes, up to the end of a block: most of a file is these.
 *
 * Gives   where the next field starts
 */
static const uint8_t *skip_samples(struct proto *p, const uint8_t *at)
{
	uint32_t n = 0, left = SAMPLES_PER_BLOCK - p->n_samples % SAMPLES_PER_BLOCK;
	const uint8_t *start = at;

	if (left == SAMPLES_PER_BLOCK) /* the first of a block is noted by top_sample */
		return at;
	while (n < left && p->end - at >= 2 && at[0] == TAG_SAMPLE && at[1] < 0x80 && at[1] <= p->end - at - 2) {
		__builtin_prefetch(at + PREFETCH_BYTES);
		at += 2 + at[1];
		n++;
	}
	p->sample_bytes += (size_t)(at - start);
	p->n_samples += n;
	p->block[p->n_blocks - 1].n += n;
	return at;
}

/* Walk the top level: strings are taken, samples counted, other messages noted. */
int proto_walk(struct tables *t, struct err *err)
{
	struct cursor c = { t->p.data, t->p.end, NULL };
	const uint8_t *start = c.at;
	struct field f = { 0 };
	int rc = 0;

	for (; rc == 0 && cursor_field(&c, &f); start = c.at) {
		if (f.number == 0)
			c.wrong = "field number 0";
		else if (f.number == PROFILE_COMMENT)
			top_comments(t, &c, &f);
		else if (top_is_message(f.number))
			rc = cursor_expect(&c, &f, WIRE_BYTES) ? top_message(t, &f, start, err) : 0;
		else if (f.number >= PROFILE_DROP && f.number <= PROFILE_DOC_URL)
			rc = cursor_expect(&c, &f, WIRE_VARINT) ? top_number(t, &f, err) : 0;
		else if (f.number >= PROFILE_SOURCE_FILE && f.number <= PROFILE_SOURCE_TEXT)
			rc = top_source(t, &c, &f, err);
		if (c.wrong)
			break;
		if (f.number == PROFILE_SAMPLE)
			c.at = skip_samples(&t->p, c.at);
	}
	if (rc == 0 && c.wrong)
		return err_set(err, ERR_FORMAT, "byte %zu: %s", (size_t)(start - t->p.data), c.wrong);
	return rc == 0 ? count_check(&t->p, t->p.n_samples, "samples", err) : rc;
}
