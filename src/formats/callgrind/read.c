/*
 * read.c - call costs as a profile: flat, because a call graph has no stacks
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * From Valgrind's callgrind format specification. A cost line is a position, absolute or relative to the one before it,
 * and a cost per event. Positions apply to the function of the last fn= and to the file of the last fl=, fi= or fe=:
 * code that is inlined has the function that contains it and its own file. The cost line after calls= is the cost of the
 * callee, which the callee has too, so it is not added.
 */
#include "config.h"

#include "formats/callgrind/callgrind.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "formats/callgrind/names.h"
#include "formats/common/named_frames.h"
#include "formats/common/skipped.h"
#include "profile/builder.h"
#include "profile/edit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	PROBE_LINES = 50,
	PROBE_BYTES = 64 << 10,
	EVENTS_MAX = 32,
	POSITIONS_MAX = 3, /* instr, bb, line */
};

/* A part of a line; borrowed. */
struct callcosts_text {
	const char *s;
	size_t n;
};

struct callcosts_lines {
	const char *at, *end;
	size_t number; /* of the last line, from 1 */
};

struct callcosts_reader {
	const struct format_options *options;
	struct builder *b;
	struct named_frames *frames;
	struct callcosts_names files, functions, objects;

	struct callcosts_text events; /* the line of the first part */
	int64_t factor[EVENTS_MAX];   /* of the unit */
	size_t n_events;
	int64_t sum[EVENTS_MAX], summary[EVENTS_MAX], totals[EVENTS_MAX]; /* of all costs; as the file says */
	bool has_summary, has_totals;

	uint64_t position[POSITIONS_MAX]; /* of the last cost line */
	size_t n_positions, line_at;      /* position that is the line; POSITIONS_MAX: none */

	struct named_frame frame; /* function, current file and object */
	str_id function_file;     /* of the last fl= */
	bool has_function, after_call;

	str_id *map_file; /* [n_maps] */
	size_t n_maps, cap_maps;
	struct callcosts_text command; /* of the program; empty if it is not known */
	struct skipped calls, other;
};

/* Set line to the next line, without blanks at its ends. Return false at the end. */
static bool callcosts_next(struct callcosts_lines *l, struct callcosts_text *line)
{
	const char *newline;

	if (l->at == l->end)
		return false;
	newline = memchr(l->at, '\n', (size_t)(l->end - l->at));
	*line = (struct callcosts_text){ l->at, (size_t)((newline ? newline : l->end) - l->at) };
	l->at = newline ? newline + 1 : l->end;
	l->number++;
	while (line->n && strchr(" \t\r", line->s[line->n - 1]) && line->s[line->n - 1])
		line->n--;
	while (line->n && (*line->s == ' ' || *line->s == '\t')) {
		line->s++;
		line->n--;
	}
	return true;
}

/* Remove the key at the start and the blanks after it. */
static bool callcosts_take_key(struct callcosts_text *t, const char *key)
{
	size_t n = strlen(key);

	if (t->n < n || memcmp(t->s, key, n) != 0)
		return false;
	while (n < t->n && (t->s[n] == ' ' || t->s[n] == '\t'))
		n++;
	t->s += n;
	t->n -= n;
	return true;
}

/* Remove the next word and the blanks after it. Return false at the end. */
static bool callcosts_take_word(struct callcosts_text *t, struct callcosts_text *word)
{
	size_t n = 0;

	while (n < t->n && t->s[n] != ' ' && t->s[n] != '\t')
		n++;
	*word = (struct callcosts_text){ t->s, n };
	while (n < t->n && (t->s[n] == ' ' || t->s[n] == '\t'))
		n++;
	t->s += n;
	t->n -= n;
	return word->n > 0;
}

static bool callcosts_is_word(const struct callcosts_text *word, const char *text)
{
	return word->n == strlen(text) && memcmp(word->s, text, word->n) == 0;
}

enum format_match callcosts_probe(const uint8_t *data, size_t n)
{
	static const char first[] = "# callgrind format";
	struct callcosts_lines lines = { (const char *)data, (const char *)data + (n < PROBE_BYTES ? n : PROBE_BYTES),
					 0 };
	struct callcosts_text line;
	bool has_events = false, has_function = false;

	if (n >= sizeof(first) - 1 && memcmp(data, first, sizeof(first) - 1) == 0)
		return FORMAT_SURE;
	while (lines.number < PROBE_LINES && callcosts_next(&lines, &line)) {
		has_events |= callcosts_take_key(&line, "events:");
		has_function |= has_events && callcosts_take_key(&line, "fn=");
	}
	return has_function ? FORMAT_SURE : FORMAT_NO;
}

/* Read a number, decimal or after 0x hexadecimal. */
static bool callcosts_number(struct callcosts_text t, uint64_t *out)
{
	unsigned base = t.n > 2 && t.s[0] == '0' && t.s[1] == 'x' ? 16 : 10;

	*out = 0;
	for (size_t i = base == 16 ? 2 : 0; i < t.n; i++) {
		unsigned char c = (unsigned char)t.s[i];
		unsigned digit = c >= '0' && c <= '9' ? c - 0U - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10U : base;

		if (digit >= base || __builtin_mul_overflow(*out, base, out) ||
		    __builtin_add_overflow(*out, digit, out))
			return false;
	}
	return t.n > 0;
}

/* Read a cost; the memory that Xdebug writes may be negative. */
static bool callcosts_cost(struct callcosts_text t, int64_t *out)
{
	bool is_negative = t.n && *t.s == '-';
	uint64_t v;

	t.s += is_negative;
	t.n -= is_negative;
	if (!callcosts_number(t, &v))
		return false;
	v = v > INT64_MAX ? INT64_MAX : v;
	*out = is_negative ? -(int64_t)v : (int64_t)v;
	return true;
}

static int64_t callcosts_multiply(int64_t a, int64_t b)
{
	int64_t product;

	return __builtin_mul_overflow(a, b, &product) ? ((a < 0) == (b < 0) ? INT64_MAX : INT64_MIN) : product;
}

/* Units in names of events: "Time_(10ns)", "cpu(ms)". */
static const struct {
	const char *name, *unit;
	int64_t factor;
} callcosts_units[] = {
	{ "(10ns)", "nanoseconds", 10 },
	{ "(ns)", "nanoseconds", 1 },
	{ "(us)", "nanoseconds", 1000 },
	{ "(ms)", "nanoseconds", 1000000 },
	{ "(s)", "nanoseconds", 1000000000 },
	{ "(bytes)", "bytes", 1 },
	{ "(B)", "bytes", 1 },
	{ "(kB)", "bytes", 1024 },
	{ "(MB)", "bytes", 1048576 },
	{ "(count)", "count", 1 },
};

static void callcosts_add_event(struct callcosts_reader *r, struct callcosts_text name)
{
	struct strtab *str = builder_strings(r->b);
	const char *unit = "count";

	r->factor[r->n_events] = 1;
	for (size_t i = 0; i < sizeof(callcosts_units) / sizeof(callcosts_units[0]); i++) {
		size_t n = strlen(callcosts_units[i].name);

		if (name.n <= n || memcmp(name.s + name.n - n, callcosts_units[i].name, n) != 0)
			continue;
		name.n -= n;
		name.n -= name.n > 1 && name.s[name.n - 1] == '_';
		unit = callcosts_units[i].unit;
		r->factor[r->n_events] = callcosts_units[i].factor;
		break;
	}
	if (r->n_events == 0)
		builder_meta(r->b)->default_type = strtab_add(str, name.s, name.n);
	builder_type(r->b, strtab_add(str, name.s, name.n), strtab_addz(str, unit));
	r->n_events++;
}

/* Read "events: Ir Dr Dw". */
static int callcosts_read_events(struct callcosts_reader *r, struct callcosts_text t, struct err *err)
{
	struct callcosts_text word;

	if (r->n_events && (t.n != r->events.n || memcmp(t.s, r->events.s, t.n) != 0))
		return err_set(err, ERR_FORMAT, "the events are not those of the first part, \"%.*s\"",
			       (int)(r->events.n < 80 ? r->events.n : 80), r->events.s);
	if (r->n_events)
		return 0;
	r->events = t;
	while (callcosts_take_word(&t, &word)) {
		if (r->n_events == EVENTS_MAX)
			return err_set(err, ERR_LIMIT, "more than %d events", (int)EVENTS_MAX);
		callcosts_add_event(r, word);
	}
	return r->n_events ? 0 : err_set(err, ERR_FORMAT, "no event");
}

/* Read "positions: instr line". */
static int callcosts_read_positions(struct callcosts_reader *r, struct callcosts_text t, struct err *err)
{
	struct callcosts_text word;

	r->n_positions = 0;
	r->line_at = POSITIONS_MAX;
	while (callcosts_take_word(&t, &word)) {
		if (r->n_positions == POSITIONS_MAX ||
		    (!callcosts_is_word(&word, "instr") && !callcosts_is_word(&word, "bb") &&
		     !callcosts_is_word(&word, "line")))
			return err_set(err, ERR_FORMAT, "unknown positions");
		if (callcosts_is_word(&word, "line"))
			r->line_at = r->n_positions;
		r->position[r->n_positions++] = 0;
	}
	return r->n_positions ? 0 : err_set(err, ERR_FORMAT, "no position");
}

/* Add the numbers of summary: or totals:. */
static void callcosts_read_sums(const struct callcosts_reader *r, struct callcosts_text t, int64_t sums[EVENTS_MAX])
{
	struct callcosts_text word;
	int64_t cost;

	for (size_t i = 0; i < r->n_events && callcosts_take_word(&t, &word) && callcosts_cost(word, &cost); i++)
		sums[i] = num_add_capped(sums[i], callcosts_multiply(cost, r->factor[i]));
}

/* The mapping of an object, + 1. The number of objects is small. */
static int callcosts_find_map(struct callcosts_reader *r, str_id file, uint32_t *out, struct err *err)
{
	struct mapping m = { .id = r->n_maps + 1, .file = file, .has_functions = true };
	uint32_t id;
	int rc;

	for (size_t i = r->n_maps; i-- > 0;)
		if (r->map_file[i] == file) {
			*out = (uint32_t)i + 1;
			return 0;
		}
	if (format_exceeds(r->n_maps + 1, r->options->max_count) || r->n_maps == UINT16_MAX)
		return err_set(err, ERR_LIMIT, "more than %zu objects; raise the limit with --max-count", r->n_maps);
	rc = builder_mapping(r->b, &m, &id, err);
	if (rc < 0)
		return rc;
	r->map_file = mem_grow(r->map_file, &r->cap_maps, r->n_maps + 1, sizeof(*r->map_file));
	r->map_file[r->n_maps++] = file;
	*out = id + 1;
	return 0;
}

static int callcosts_set_file(struct callcosts_reader *r, struct callcosts_text t, bool is_function, struct err *err)
{
	struct strtab *str = builder_strings(r->b);
	int rc = callcosts_names_find(&r->files, str, t.s, t.n, &r->frame.file, err);

	if (rc == 0 && strcmp(strtab_text(str, r->frame.file), "???") == 0)
		r->frame.file = 0;
	if (rc == 0 && is_function)
		r->function_file = r->frame.file;
	return rc;
}

/* Read a line that names a file, function or object. Return ERR_UNKNOWN for other lines. */
static int callcosts_read_name(struct callcosts_reader *r, struct callcosts_text t, struct err *err)
{
	struct strtab *str = builder_strings(r->b);
	str_id name;
	int rc;

	if (callcosts_take_key(&t, "fl="))
		return callcosts_set_file(r, t, true, err);
	if (callcosts_take_key(&t, "fi=") || callcosts_take_key(&t, "fe="))
		return callcosts_set_file(r, t, false, err);
	if (callcosts_take_key(&t, "fn=")) {
		r->has_function = true;
		r->after_call = false;
		r->frame.file = r->function_file;
		return callcosts_names_find(&r->functions, str, t.s, t.n, &r->frame.name, err);
	}
	if (callcosts_take_key(&t, "ob=")) {
		rc = callcosts_names_find(&r->objects, str, t.s, t.n, &name, err);
		return rc < 0 ? rc : callcosts_find_map(r, name, &r->frame.map, err);
	}
	if (callcosts_take_key(&t, "cfn="))
		return callcosts_names_find(&r->functions, str, t.s, t.n, &name, err);
	if (callcosts_take_key(&t, "cfi=") || callcosts_take_key(&t, "cfl="))
		return callcosts_names_find(&r->files, str, t.s, t.n, &name, err);
	if (callcosts_take_key(&t, "cob="))
		return callcosts_names_find(&r->objects, str, t.s, t.n, &name, err);
	return ERR_UNKNOWN;
}

/* Add costs to the row of the current position. Each location has one row, with its number. */
static int callcosts_add_costs(struct callcosts_reader *r, const int64_t cost[EVENTS_MAX], struct err *err)
{
	uint32_t loc;
	int rc = named_frames_location(r->frames, &r->frame, &loc, err);

	if (rc == 0 && loc == builder_profile(r->b)->n_rows)
		return builder_sample(r->b, cost, &loc, 1, NULL, 0, err);
	for (uint32_t t = 0; t < r->n_events && rc == 0; t++) {
		int64_t *value = &builder_values(r->b, t)[loc];

		*value = num_add_capped(*value, cost[t]);
	}
	return rc;
}

/* Read the positions of a cost line. */
static int callcosts_take_positions(struct callcosts_reader *r, struct callcosts_text *t, struct err *err)
{
	struct callcosts_text word;

	for (size_t i = 0; i < r->n_positions; i++) {
		uint64_t v;
		char sign;

		if (!callcosts_take_word(t, &word))
			return err_set(err, ERR_FORMAT, "truncated within a position");
		sign = *word.s;
		if (callcosts_is_word(&word, "*"))
			continue;
		word.s += sign == '+' || sign == '-';
		word.n -= sign == '+' || sign == '-';
		if (!callcosts_number(word, &v))
			return err_set(err, ERR_FORMAT, "invalid position");
		r->position[i] = sign == '+' ? r->position[i] + v : sign == '-' ? r->position[i] - v : v;
	}
	return 0;
}

static int callcosts_read_cost(struct callcosts_reader *r, struct callcosts_text t, struct err *err)
{
	int64_t cost[EVENTS_MAX] = { 0 };
	struct callcosts_text word;
	int rc = callcosts_take_positions(r, &t, err);
	bool is_call = r->after_call, has_cost = false;

	if (rc < 0)
		return rc;
	r->after_call = false;
	if (r->n_events == 0)
		return err_set(err, ERR_FORMAT, "a cost before the line events:");
	for (size_t i = 0; callcosts_take_word(&t, &word); i++) {
		if (i == r->n_events)
			return err_set(err, ERR_FORMAT, "more costs than events");
		if (!callcosts_cost(word, &cost[i]))
			return err_set(err, ERR_FORMAT, "invalid cost");
		cost[i] = callcosts_multiply(cost[i], r->factor[i]);
		has_cost |= cost[i] != 0;
	}
	if (is_call || !has_cost)
		return 0;
	if (!r->has_function)
		return err_set(err, ERR_FORMAT, "a cost before the first line fn=");
	r->frame.line = 0;
	if (r->line_at < POSITIONS_MAX)
		r->frame.line = (int64_t)r->position[r->line_at];
	if (r->frame.line < 0)
		return err_set(err, ERR_FORMAT, "the line number is out of range");
	for (size_t i = 0; i < r->n_events; i++)
		r->sum[i] = num_add_capped(r->sum[i], cost[i]);
	return callcosts_add_costs(r, cost, err);
}

/* Headers that are not needed. */
static bool callcosts_is_header(struct callcosts_text t)
{
	static const char *const key[] = { "version:", "creator:", "pid:", "part:", "desc:", "event:",
					   "thread:",  "target:",  "rec:", "jump=", "jcnd=" };

	for (size_t i = 0; i < sizeof(key) / sizeof(key[0]); i++)
		if (callcosts_take_key(&t, key[i]))
			return true;
	return t.n == 0 || *t.s == '#';
}

static int callcosts_read_line(struct callcosts_reader *r, struct callcosts_text t, size_t number, struct err *err)
{
	int rc;

	if (t.n == 0)
		return 0;
	if ((*t.s >= '0' && *t.s <= '9') || *t.s == '+' || *t.s == '-' || *t.s == '*')
		return callcosts_read_cost(r, t, err);
	rc = callcosts_read_name(r, t, err);
	if (rc != ERR_UNKNOWN)
		return rc;
	if (callcosts_take_key(&t, "calls=")) {
		r->after_call = true;
		skipped_add(&r->calls, number);
	} else if (callcosts_take_key(&t, "events:")) {
		return callcosts_read_events(r, t, err);
	} else if (callcosts_take_key(&t, "positions:")) {
		return callcosts_read_positions(r, t, err);
	} else if (callcosts_take_key(&t, "cmd:")) {
		callcosts_take_word(&t, &r->command);
	} else if (callcosts_take_key(&t, "summary:")) {
		callcosts_read_sums(r, t, r->summary);
		r->has_summary = true;
	} else if (callcosts_take_key(&t, "totals:")) {
		callcosts_read_sums(r, t, r->totals);
		r->has_totals = true;
	} else if (!callcosts_is_header(t)) {
		skipped_add(&r->other, number);
	}
	return 0;
}

static void callcosts_add_comments(struct callcosts_reader *r)
{
	const int64_t *expected = r->has_summary ? r->summary : r->totals;
	struct buf text = { 0 };

	if (r->calls.n)
		buf_addf(&text, "callgrind: %zu call%s not read: a call graph has no stacks, so cum is equal to flat",
			 r->calls.n, r->calls.n == 1 ? " is" : "s are");
	if (text.len)
		builder_comment(r->b, strtab_addz(builder_strings(r->b), buf_text(&text)));
	buf_release(&text);
	skipped_add_comment(&r->other, r->b, "callgrind: skipped", "line of unknown kind", "lines of unknown kind",
			    "line");
	for (size_t i = 0; i < r->n_events && (r->has_summary || r->has_totals); i++) {
		if (expected[i] == r->sum[i])
			continue;
		buf_addf(&text, "callgrind: the costs of %s add up to %" PRId64 ", but the file says %" PRId64,
			 strtab_text(builder_strings(r->b), builder_profile(r->b)->type[i].name), r->sum[i],
			 expected[i]);
		builder_comment(r->b, strtab_addz(builder_strings(r->b), buf_text(&text)));
		buf_release(&text);
		return;
	}
}

static int callcosts_read_lines(struct callcosts_reader *r, struct callcosts_lines lines, struct err *err)
{
	struct callcosts_text line;
	int rc = 0;

	while (rc == 0 && callcosts_next(&lines, &line)) {
		rc = callcosts_read_line(r, line, lines.number, err);
		if (rc < 0)
			err_wrap(err, "line %zu", lines.number);
	}
	if (rc == 0 && r->n_events == 0)
		return err_set(err, ERR_FORMAT, "no line events:");
	if (rc == 0)
		callcosts_add_comments(r);
	return rc;
}

/* Make the object of the program the first mapping. Its name has the path; that in the command may have none. */
static void callcosts_set_program(const struct callcosts_reader *r, struct profile *p)
{
	struct buf name = { 0 };

	buf_add(&name, r->command.s, r->command.n);
	for (uint32_t i = 0; r->command.n && i < p->n_maps; i++)
		if (strcmp(path_base(profile_text(p, p->map[i].file)), path_base(buf_text(&name))) == 0) {
			profile_set_program(p, i);
			break;
		}
	buf_release(&name);
}

int callcosts_read(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
		   struct err *err)
{
	const struct callcosts_lines lines = { (const char *)data, (const char *)data + n, 0 };
	struct callcosts_reader r = { .options = options, .b = builder_new(), .n_positions = 1 };
	int rc;

	r.frames = named_frames_new(r.b, options);
	callcosts_names_init(&r.files);
	callcosts_names_init(&r.functions);
	callcosts_names_init(&r.objects);
	rc = callcosts_read_lines(&r, lines, err);
	if (rc == 0)
		callcosts_set_program(&r, *out = builder_seal(r.b));
	callcosts_names_release(&r.files);
	callcosts_names_release(&r.functions);
	callcosts_names_release(&r.objects);
	named_frames_free(r.frames);
	builder_free(r.b);
	free(r.map_file);
	return rc;
}
