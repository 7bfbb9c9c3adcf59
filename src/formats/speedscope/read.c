/*
 * read.c - files of speedscope.app
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Profiles may come before the frames to which they refer, and samples before their unit. So a first pass notes the
 * positions of all parts, and a second one reads samples and weights side by side; neither stores them.
 */
#include "config.h"

#include "formats/speedscope/speedscope.h"

#include "base/mem.h"
#include "base/num.h"
#include "formats/common/merged_rows.h"
#include "formats/common/named_frames.h"
#include "formats/common/skipped.h"
#include "formats/json/jsonr.h"
#include "profile/builder.h"

#include <stdlib.h>
#include <string.h>

enum { SPEEDSCOPE_TYPES_MAX = 64, SPEEDSCOPE_LABELS_MAX = 4 };

/* The dimension of the values of a profile. */
enum speedscope_unit { SPEEDSCOPE_TIME, SPEEDSCOPE_BYTES, SPEEDSCOPE_OTHER, N_SPEEDSCOPE_UNITS };

/* A profile: positions of its parts, 0 if there is none. */
struct speedscope_profile {
	size_t samples, weights, events, start_value, end_value, name;
	enum speedscope_unit unit;
	int64_t factor; /* of its numbers */
	bool is_evented;
	int64_t start, end;
	uint32_t type; /* sample type of its values */
	uint32_t labels[SPEEDSCOPE_LABELS_MAX];
	size_t n_labels;
};

struct speedscope_reader {
	const struct format_options *options;
	struct builder *b;
	struct named_frames *frames;
	struct merged_rows *rows;
	struct err *err;
	struct jsonr r, weights; /* weights: read beside samples */

	uint32_t *loc; /* [n_locs] of each frame */
	size_t n_locs, cap_locs;
	struct speedscope_profile *profile; /* [n_profiles] */
	size_t n_profiles, cap_profiles;
	size_t profiles_at; /* position of the list of profiles; 0: none */
	int64_t active;     /* number of the profile that is shown first */
	bool is_of_cpa;

	uint32_t *stack; /* frames of the sample, or those that are open: root first */
	size_t n_stack, cap_stack;
	uint32_t *leaf_first; /* the same as locations, leaf first */
	size_t cap_leaf_first;
	int64_t values[SPEEDSCOPE_TYPES_MAX];
	int64_t without_frame[N_SPEEDSCOPE_UNITS]; /* values between events while no frame was open */
	struct skipped fractions, unclosed, unopened;
};

/* ---- frames ---- */

static void speedscope_read_frame(struct speedscope_reader *s)
{
	struct named_frame frame = { 0 };
	struct strtab *str = builder_strings(s->b);
	struct jsonr *r = &s->r;
	uint32_t loc = 0;

	if (jsonr_open(r, JSONR_OBJECT))
		while (jsonr_key(r)) {
			if (jsonr_is(r, "name"))
				frame.name = jsonr_string(r) ? strtab_add(str, r->text, r->len) : 0;
			else if (jsonr_is(r, "file"))
				frame.file = jsonr_string(r) ? strtab_add(str, r->text, r->len) : 0;
			else if (jsonr_is(r, "line"))
				jsonr_int(r, &frame.line);
			else if (jsonr_is(r, "col"))
				jsonr_int(r, &frame.col);
			else
				jsonr_skip(r);
		}
	if (!r->rc)
		r->rc = named_frames_location(s->frames, &frame, &loc, s->err);
	s->loc = mem_grow(s->loc, &s->cap_locs, s->n_locs + 1, sizeof(*s->loc));
	s->loc[s->n_locs++] = loc;
}

static void speedscope_read_shared(struct speedscope_reader *s)
{
	struct jsonr *r = &s->r;

	if (!jsonr_open(r, JSONR_OBJECT))
		return;
	while (jsonr_key(r)) {
		if (!jsonr_is(r, "frames"))
			jsonr_skip(r);
		else if (jsonr_open(r, JSONR_ARRAY))
			while (jsonr_item(r))
				speedscope_read_frame(s);
	}
}

/* ---- first pass ---- */

static void speedscope_read_unit(struct jsonr *r, struct speedscope_profile *p)
{
	static const struct {
		const char *name;
		enum speedscope_unit unit;
		int64_t factor;
	} units[] = {
		{ "nanoseconds", SPEEDSCOPE_TIME, 1 },
		{ "microseconds", SPEEDSCOPE_TIME, 1000 },
		{ "milliseconds", SPEEDSCOPE_TIME, 1000000 },
		{ "seconds", SPEEDSCOPE_TIME, 1000000000 },
		{ "bytes", SPEEDSCOPE_BYTES, 1 },
	};

	if (jsonr_string(r))
		for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
			if (jsonr_is(r, units[i].name)) {
				p->unit = units[i].unit;
				p->factor = units[i].factor;
			}
}

/* Note the position of the value of a key. */
static void speedscope_note(struct jsonr *r, struct speedscope_profile *p)
{
	const struct {
		const char *name;
		size_t *at;
	} parts[] = { { "samples", &p->samples },        { "weights", &p->weights },    { "events", &p->events },
		      { "startValue", &p->start_value }, { "endValue", &p->end_value }, { "name", &p->name } };

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (jsonr_is(r, parts[i].name) && jsonr_peek(r) != 'n') /* not null */
			*parts[i].at = r->at;
	jsonr_skip(r);
}

static void speedscope_scan_profile(struct speedscope_reader *s)
{
	struct speedscope_profile p = { .unit = SPEEDSCOPE_OTHER, .factor = 1 };
	struct jsonr *r = &s->r;

	if (jsonr_open(r, JSONR_OBJECT))
		while (jsonr_key(r)) {
			if (jsonr_is(r, "unit"))
				speedscope_read_unit(r, &p);
			else if (jsonr_is(r, "type"))
				p.is_evented = jsonr_string(r) && jsonr_is(r, "evented");
			else
				speedscope_note(r, &p);
		}
	if (format_exceeds(s->n_profiles + 1, s->options->max_count))
		jsonr_fail(r, ERR_LIMIT, "more than %zu profiles; raise the limit with --max-count", s->n_profiles);
	s->profile = mem_grow(s->profile, &s->cap_profiles, s->n_profiles + 1, sizeof(*s->profile));
	s->profile[s->n_profiles++] = p;
}

static void speedscope_scan(struct speedscope_reader *s)
{
	struct jsonr *r = &s->r;

	s->active = -1;
	if (jsonr_open(r, JSONR_OBJECT))
		while (jsonr_key(r)) {
			if (jsonr_is(r, "shared")) {
				speedscope_read_shared(s);
			} else if (jsonr_is(r, "exporter")) {
				s->is_of_cpa = jsonr_string(r) && jsonr_is(r, "cpa");
			} else if (jsonr_is(r, "activeProfileIndex")) {
				jsonr_int(r, &s->active);
			} else if (jsonr_is(r, "profiles") && jsonr_open(r, JSONR_ARRAY)) {
				while (jsonr_item(r))
					speedscope_scan_profile(s);
			} else if (!jsonr_is(r, "profiles")) {
				jsonr_skip(r);
			}
		}
	jsonr_end(r);
	if (s->n_profiles == 0)
		jsonr_fail(r, ERR_FORMAT, "the file has no profiles");
}

/* ---- types and labels ---- */

/* Read the text at a position; it is in r->text. */
static bool speedscope_seek_text(struct jsonr *r, size_t at)
{
	if (!at)
		return false;
	jsonr_seek(r, at);
	return jsonr_string(r);
}

static void speedscope_seek_number(struct jsonr *r, size_t at, int64_t factor, int64_t *out)
{
	if (!at)
		return;
	jsonr_seek(r, at);
	jsonr_scaled(r, factor, out);
}

static const char *speedscope_type_unit(enum speedscope_unit unit)
{
	static const char *const names[] = { "nanoseconds", "bytes", "count" };

	return names[unit];
}

/* Add a sample type per profile, whose name is "cpu", or "alloc_objects (count)" for units that speedscope has not. */
static void speedscope_add_own_types(struct speedscope_reader *s)
{
	struct strtab *str = builder_strings(s->b);

	for (size_t i = 0; i < s->n_profiles; i++) {
		struct speedscope_profile *p = &s->profile[i];
		bool has_name = speedscope_seek_text(&s->r, p->name);
		const char *name = s->r.text, *open = NULL;
		size_t n = has_name ? s->r.len : 0;
		str_id unit = p->unit == SPEEDSCOPE_OTHER ? 0 : strtab_addz(str, speedscope_type_unit(p->unit));
		str_id type;

		if (p->unit == SPEEDSCOPE_OTHER && n > 2 && name[n - 1] == ')')
			open = memrchr(name, '(', n);
		if (open && open > name && open[-1] == ' ') {
			unit = strtab_add(str, open + 1, (size_t)(name + n - open) - 2);
			n = (size_t)(open - name) - 1;
		}
		type = strtab_add(str, name, n);
		p->type = (uint32_t)i;
		builder_type(s->b, type, unit);
		if (s->active == (int64_t)i)
			builder_meta(s->b)->default_type = type;
	}
}

static void speedscope_add_types(struct speedscope_reader *s)
{
	static const char *const names[] = { "time", "space", "weight" };
	struct strtab *str = builder_strings(s->b);
	uint32_t type[N_SPEEDSCOPE_UNITS];
	bool has_type[N_SPEEDSCOPE_UNITS] = { false };

	s->is_of_cpa = s->is_of_cpa && s->n_profiles <= SPEEDSCOPE_TYPES_MAX;
	if (s->is_of_cpa) {
		speedscope_add_own_types(s);
		return;
	}
	for (size_t i = 0; i < s->n_profiles; i++) {
		struct speedscope_profile *p = &s->profile[i];

		if (!has_type[p->unit]) {
			type[p->unit] = builder_n_types(s->b);
			has_type[p->unit] = true;
			builder_type(s->b, strtab_addz(str, names[p->unit]),
				     strtab_addz(str, speedscope_type_unit(p->unit)));
		}
		p->type = type[p->unit];
	}
}

/* Take a number after a word, as in "Thread 12 ", from the text. Returns false, without change, if there is none. */
static bool speedscope_take_number(const char **at, const char *end, const char *word, int64_t *number)
{
	const char *s = *at + strlen(word), *first = s;
	int64_t v = 0;

	if ((size_t)(end - *at) <= strlen(word) || memcmp(*at, word, strlen(word)) != 0)
		return false;
	for (; s < end && *s >= '0' && *s <= '9'; s++)
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *s - '0', &v))
			return false;
	if (s == first || s == end || *s != ' ')
		return false;
	*number = v;
	*at = s + 1;
	return true;
}

static void speedscope_add_label(struct speedscope_reader *s, struct speedscope_profile *p,
				 const struct builder_label *label)
{
	int rc = s->r.rc ? s->r.rc : builder_label(s->b, label, &p->labels[p->n_labels], s->err);

	p->n_labels += rc == 0;
	s->r.rc = rc;
}

/* Add the name of a profile as labels; py-spy names them: Process 1 Thread 2 "name". */
static void speedscope_add_labels(struct speedscope_reader *s, struct speedscope_profile *p)
{
	struct strtab *str = builder_strings(s->b);
	struct jsonr *r = &s->r;
	const char *at, *end;
	int64_t pid, tid;
	bool has_pid, has_tid;

	if (!speedscope_seek_text(r, p->name))
		return;
	at = r->text;
	end = at + r->len;
	has_pid = speedscope_take_number(&at, end, "Process ", &pid);
	has_tid = speedscope_take_number(&at, end, "Thread ", &tid);
	if (has_tid && end - at >= 2 && *at == '"' && end[-1] == '"') {
		at++;
		end--;
	} else {
		at = r->text;
		has_pid = has_tid = false;
	}
	if (end > at)
		speedscope_add_label(s, p,
				     &(struct builder_label){ .key = strtab_addz(str, "thread"),
							      .text = strtab_add(str, at, (size_t)(end - at)),
							      .is_text = true });
	if (has_tid)
		speedscope_add_label(s, p, &(struct builder_label){ .key = strtab_addz(str, "tid"), .num = tid });
	if (has_pid)
		speedscope_add_label(s, p, &(struct builder_label){ .key = strtab_addz(str, "pid"), .num = pid });
}

/* ---- rows ---- */

/* Read a number of a profile. Fractions of units that are no time are rounded, and counted. */
static void speedscope_number(struct speedscope_reader *s, struct jsonr *r, const struct speedscope_profile *p,
			      int64_t *out)
{
	const char *point;

	if (!jsonr_scaled(r, p->factor, out) || p->unit == SPEEDSCOPE_TIME)
		return;
	point = memchr(r->text, '.', r->len);
	while (point && ++point < r->text + r->len)
		if (*point >= '1' && *point <= '9') {
			skipped_add(&s->fractions, r->start);
			return;
		}
}

static int speedscope_add_row(struct speedscope_reader *s, const struct speedscope_profile *p, int64_t value,
			      int64_t time)
{
	uint32_t labels[SPEEDSCOPE_LABELS_MAX];
	size_t n_labels = p->n_labels;
	int rc = 0;

	memcpy(labels, p->labels, sizeof(labels));
	if (s->options->keeps_times && p->unit == SPEEDSCOPE_TIME)
		rc = builder_time_label(s->b, time, &labels[n_labels++], s->err);
	s->leaf_first = mem_grow(s->leaf_first, &s->cap_leaf_first, s->n_stack + 1, sizeof(*s->leaf_first));
	for (size_t i = 0; i < s->n_stack; i++)
		s->leaf_first[i] = s->loc[s->stack[s->n_stack - 1 - i]];
	s->values[p->type] = value;
	rc = rc < 0 ? rc : merged_rows_add(s->rows, s->values, s->leaf_first, s->n_stack, labels, n_labels, s->err);
	s->values[p->type] = 0;
	return rc;
}

static void speedscope_push(struct speedscope_reader *s, int64_t frame)
{
	if (frame < 0 || (uint64_t)frame >= s->n_locs) {
		jsonr_fail(&s->r, ERR_FORMAT, "frame %lld does not exist; there are %zu", (long long)frame, s->n_locs);
		return;
	}
	s->stack = mem_grow(s->stack, &s->cap_stack, s->n_stack + 1, sizeof(*s->stack));
	s->stack[s->n_stack++] = (uint32_t)frame;
}

/* Read the rows of a profile of samples: lists of frames, and a weight for each. */
static void speedscope_read_samples(struct speedscope_reader *s, const struct speedscope_profile *p)
{
	struct jsonr *r = &s->r, *w = &s->weights;
	int64_t time = 0;

	if (!p->samples)
		return;
	jsonr_seek(r, p->samples);
	jsonr_seek(w, p->weights);
	if (!jsonr_open(r, JSONR_ARRAY) || (p->weights && !jsonr_open(w, JSONR_ARRAY)))
		return;
	while (jsonr_item(r)) {
		int64_t weight = p->factor;

		s->n_stack = 0;
		if (jsonr_open(r, JSONR_ARRAY))
			while (jsonr_item(r)) {
				int64_t frame = -1;

				jsonr_int(r, &frame);
				speedscope_push(s, frame);
			}
		if (p->weights && !jsonr_item(w)) {
			jsonr_fail(r, ERR_FORMAT, "there are fewer weights than samples");
			return;
		}
		if (p->weights)
			speedscope_number(s, w, p, &weight);
		if (!r->rc && !w->rc)
			r->rc = speedscope_add_row(s, p, weight, time);
		time = num_add_capped(time, weight);
	}
	if (p->weights && !r->rc && jsonr_item(w))
		jsonr_fail(r, ERR_FORMAT, "there are more weights than samples");
}

/* Close a frame, and those that were opened after it. */
static void speedscope_close(struct speedscope_reader *s, int64_t frame)
{
	size_t n = s->n_stack;

	while (n && s->stack[n - 1] != (uint64_t)frame)
		n--;
	if (n == 0) {
		skipped_add(&s->unopened, s->r.start);
		return;
	}
	while (s->n_stack > n) {
		skipped_add(&s->unclosed, s->r.start);
		s->n_stack--;
	}
	s->n_stack--;
}

/* Add the value between two events to the stack that is open. */
static void speedscope_pass(struct speedscope_reader *s, const struct speedscope_profile *p, int64_t from, int64_t to)
{
	int64_t value = num_sub_capped(to, from);

	if (s->r.rc || value <= 0)
		return;
	if (s->n_stack)
		s->r.rc = speedscope_add_row(s, p, value, num_sub_capped(from, p->start));
	else
		s->without_frame[p->unit] = num_add_capped(s->without_frame[p->unit], value);
}

static void speedscope_read_event(struct speedscope_reader *s, const struct speedscope_profile *p, int64_t *last,
				  bool is_first)
{
	struct jsonr *r = &s->r;
	int64_t frame = -1, at = *last;
	char type = '\0';

	if (!jsonr_open(r, JSONR_OBJECT))
		return;
	while (jsonr_key(r)) {
		if (jsonr_is(r, "type"))
			type = jsonr_string(r) && r->len == 1 ? *r->text : '\0';
		else if (jsonr_is(r, "frame"))
			jsonr_int(r, &frame);
		else if (jsonr_is(r, "at"))
			speedscope_number(s, r, p, &at);
		else
			jsonr_skip(r);
	}
	if (!is_first && at < *last)
		jsonr_fail(r, ERR_FORMAT, "the event is earlier than the one before");
	if (type != 'O' && type != 'C')
		jsonr_fail(r, ERR_FORMAT, "an event that neither opens nor closes a frame");
	if (r->rc)
		return;
	if (!is_first)
		speedscope_pass(s, p, *last, at);
	*last = at;
	if (type == 'O')
		speedscope_push(s, frame);
	else
		speedscope_close(s, frame);
}

/* Read the rows of a profile of events. */
static void speedscope_read_events(struct speedscope_reader *s, const struct speedscope_profile *p)
{
	int64_t last = p->start;
	bool is_first = true;

	s->n_stack = 0;
	if (!p->events)
		return;
	jsonr_seek(&s->r, p->events);
	if (jsonr_open(&s->r, JSONR_ARRAY))
		for (; jsonr_item(&s->r); is_first = false)
			speedscope_read_event(s, p, &last, is_first);
	if (s->n_stack == 0)
		return;
	speedscope_pass(s, p, last, p->end);
	for (; s->n_stack; s->n_stack--)
		skipped_add(&s->unclosed, s->r.start);
}

static void speedscope_read_profile(struct speedscope_reader *s, struct speedscope_profile *p)
{
	struct profile_meta *meta = builder_meta(s->b);

	speedscope_seek_number(&s->r, p->start_value, p->factor, &p->start);
	speedscope_seek_number(&s->r, p->end_value, p->factor, &p->end);
	if (!s->is_of_cpa)
		speedscope_add_labels(s, p);
	if (!s->is_of_cpa && p->unit == SPEEDSCOPE_TIME && num_sub_capped(p->end, p->start) > meta->duration_ns)
		meta->duration_ns = num_sub_capped(p->end, p->start);
	if (p->is_evented)
		speedscope_read_events(s, p);
	else
		speedscope_read_samples(s, p);
}

static void speedscope_add_comments(struct speedscope_reader *s)
{
	struct buf text = { 0 };

	skipped_add_comment(&s->fractions, s->b, "speedscope: rounded", "fraction", "fractions", "byte");
	skipped_add_comment(&s->unclosed, s->b, "speedscope:", "frame is not closed; it ends with the frame around it",
			    "frames are not closed; they end with the frame around them", "byte");
	skipped_add_comment(&s->unopened, s->b, "speedscope: skipped", "end of a frame that is not open",
			    "ends of frames that are not open", "byte");
	for (unsigned unit = 0; unit < N_SPEEDSCOPE_UNITS; unit++) {
		if (!s->without_frame[unit])
			continue;
		buf_addf(&text, "speedscope: %lld %s without any frame are not counted",
			 (long long)s->without_frame[unit], speedscope_type_unit((enum speedscope_unit)unit));
		builder_comment(s->b, strtab_addz(builder_strings(s->b), buf_text(&text)));
		text.len = 0;
	}
	buf_release(&text);
}

int speedscope_read(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
		    struct err *err)
{
	struct speedscope_reader s = { .options = options, .b = builder_new(), .err = err };
	int rc;

	s.frames = named_frames_new(s.b, options);
	jsonr_init(&s.r, data, n, JSONR_DEPTH, err);
	jsonr_init(&s.weights, data, n, JSONR_DEPTH, err);
	speedscope_scan(&s);
	if (!s.r.rc)
		speedscope_add_types(&s);
	s.rows = merged_rows_new(s.b, options, n);
	for (size_t i = 0; i < s.n_profiles && !s.r.rc && !s.weights.rc; i++) {
		speedscope_read_profile(&s, &s.profile[i]);
		if (s.r.rc || s.weights.rc)
			err_wrap(err, "profile %zu", i + 1);
	}
	speedscope_add_comments(&s);
	rc = s.r.rc ? s.r.rc : s.weights.rc;
	if (rc == 0)
		*out = builder_seal(s.b);
	jsonr_release(&s.r);
	jsonr_release(&s.weights);
	merged_rows_free(s.rows);
	named_frames_free(s.frames);
	builder_free(s.b);
	free(s.loc);
	free(s.profile);
	free(s.stack);
	free(s.leaf_first);
	return rc;
}
