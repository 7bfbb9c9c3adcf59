/*
 * push_datadog.c - profiles as Datadog's libraries send them to an agent or to the intake
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A form. In version 4 of the format the part event is JSON: start, end, tags_profiler ("service:shop,env:prod,...") and family;
 * the other parts are files, cpu.pprof, delta-heap.pprof, auto.pprof, main.jfr. In version 3 start, end and family are fields,
 * tags[] is a field per tag, and files are fields such as data[cpu.pprof]. From the libraries for Go, Java, Node.js and Python.
 */
#include "config.h"

#include "formats/push/push_int.h"

#include "base/buf.h"
#include "base/str.h"
#include "formats/json/jsonr.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { EVENT_MAX = 1 << 20, EVENT_DEPTH_MAX = 16, FILE_NAME_MAX = 100, DATE_LEN = 19 };

/* Tags of an upload, not of the process. */
static const char *const upload_tags[] = { "profile_seq", "snapshot", "format" };

struct datadog_reader {
	struct push *p;
	struct push_labels labels;
	char family[16];
	struct buf skipped;
	size_t cap;
};

/* Digits as a number; -1 if they are not all digits. */
static int datadog_digits(const char *s, size_t n)
{
	int v = 0;

	for (size_t i = 0; i < n; i++) {
		if (s[i] < '0' || s[i] > '9')
			return -1;
		v = v * 10 + s[i] - '0';
	}
	return v;
}

/* The seconds of "Z" or "+01:00"; false for other texts. */
static bool datadog_zone(const char *s, size_t n, int64_t *seconds)
{
	int hours, minutes;

	*seconds = 0;
	if (n == 1 && (*s == 'Z' || *s == 'z'))
		return true;
	if (n != 6 || (*s != '+' && *s != '-') || s[3] != ':')
		return false;
	hours = datadog_digits(s + 1, 2);
	minutes = datadog_digits(s + 4, 2);
	*seconds = (*s == '-' ? -1 : 1) * (hours * INT64_C(3600) + minutes * INT64_C(60));
	return hours >= 0 && minutes >= 0;
}

/* A time such as 2026-11-29T12:00:00.123456789Z in ns since 1970 (RFC 3339). Fails with ERR_FORMAT. */
static int datadog_date(const char *s, size_t n, const char *name, int64_t *out, struct err *err)
{
	struct tm tm = { 0 };
	int64_t zone = 0, ns = 0, unit = 100000000;
	size_t at = DATE_LEN;
	bool is_valid = n > DATE_LEN && s[4] == '-' && s[7] == '-' && (s[10] == 'T' || s[10] == ' ');

	if (is_valid) {
		tm = (struct tm){ .tm_year = datadog_digits(s, 4) - 1900,
				  .tm_mon = datadog_digits(s + 5, 2) - 1,
				  .tm_mday = datadog_digits(s + 8, 2),
				  .tm_hour = datadog_digits(s + 11, 2),
				  .tm_min = datadog_digits(s + 14, 2),
				  .tm_sec = datadog_digits(s + 17, 2) };
		is_valid = tm.tm_year >= 70 && tm.tm_year < 300 && tm.tm_mon >= 0 && tm.tm_mday > 0 &&
			   tm.tm_hour >= 0 && tm.tm_min >= 0 && tm.tm_sec >= 0;
	}
	if (is_valid && s[at] == '.')
		for (at++; at < n && s[at] >= '0' && s[at] <= '9'; at++, unit /= 10)
			ns += (s[at] - '0') * unit;
	if (!is_valid || !datadog_zone(s + at, n - at, &zone))
		return err_set(err, ERR_FORMAT, "%s is not a time like 2026-11-29T12:00:00Z", name);
	*out = ((int64_t)timegm(&tm) - zone) * INT64_C(1000000000) + ns;
	return 0;
}

/* Add a tag "name:value"; one without a colon has no value and is not a label. */
static int add_tag(struct datadog_reader *r, const char *tag, size_t n, struct err *err)
{
	const char *colon = memchr(tag, ':', n);
	size_t n_name = colon ? (size_t)(colon - tag) : 0;
	struct push_label *label;
	int rc;

	if (n_name == 0)
		return 0;
	rc = push_add_label(r->p, &r->labels, tag, n_name, colon + 1, n - n_name - 1, err);
	if (rc < 0)
		return err_wrap(err, "tag");
	label = &r->labels.label[r->labels.n - 1];
	if (strcmp(label->name, "service") == 0)
		label->name = "service_name";
	for (size_t i = 0; i < sizeof(upload_tags) / sizeof(upload_tags[0]); i++)
		if (strcmp(label->name, upload_tags[i]) == 0) {
			r->labels.n--;
			break;
		}
	return 0;
}

static int add_tags(struct datadog_reader *r, const char *tags, size_t n, struct err *err)
{
	int rc = 0;

	for (size_t at = 0; at < n && rc == 0;) {
		const char *comma = memchr(tags + at, ',', n - at);
		size_t end = comma ? (size_t)(comma - tags) : n;

		while (at < end && tags[at] == ' ')
			at++;
		rc = add_tag(r, tags + at, end - at, err);
		at = end + 1;
	}
	return rc;
}

static void set_family(struct datadog_reader *r, const char *s, size_t n)
{
	n = n < sizeof(r->family) - 1 ? n : sizeof(r->family) - 1;
	memcpy(r->family, s, n);
	r->family[n] = '\0';
}

/* Use a field of the event. Unknown ones are ignored. */
static int use_event_field(struct datadog_reader *r, const char *name, const char *s, size_t n, struct err *err)
{
	if (strcmp(name, "start") == 0 || strcmp(name, "recording-start") == 0)
		return datadog_date(s, n, "start", &r->p->from_ns, err);
	if (strcmp(name, "end") == 0 || strcmp(name, "recording-end") == 0)
		return datadog_date(s, n, "end", &r->p->until_ns, err);
	if (strcmp(name, "family") == 0)
		set_family(r, s, n);
	else if (strcmp(name, "tags_profiler") == 0 || strcmp(name, "tags") == 0)
		return add_tags(r, s, n, err);
	else if (strcmp(name, "tags[]") == 0)
		return add_tag(r, s, n, err);
	return 0;
}

/* Read the part event. */
static int read_event(struct datadog_reader *r, const struct push_form_part *part, struct err *err)
{
	static const char *const names[] = { "start", "end", "family", "tags_profiler" };
	struct jsonr j;
	int rc = 0;

	if (part->n > EVENT_MAX)
		return err_set(err, ERR_LIMIT, "event: more than %d bytes", (int)EVENT_MAX);
	jsonr_init(&j, part->data, part->n, EVENT_DEPTH_MAX, err);
	if (jsonr_open(&j, JSONR_OBJECT))
		while (rc == 0 && jsonr_key(&j)) {
			size_t i = 0;

			while (i < sizeof(names) / sizeof(names[0]) && !jsonr_is(&j, names[i]))
				i++;
			if (i == sizeof(names) / sizeof(names[0]))
				jsonr_skip(&j);
			else if (jsonr_string(&j))
				rc = use_event_field(r, names[i], j.text, j.len, err);
		}
	rc = rc < 0 ? rc : j.rc;
	jsonr_release(&j);
	return rc < 0 ? err_wrap(err, "event") : 0;
}

static bool name_ends_with(const char *s, size_t n, const char *end)
{
	size_t n_end = strlen(end);

	return n >= n_end && memcmp(s + n - n_end, end, n_end) == 0;
}

/* The name of the file of a part: "cpu.pprof" of data[cpu.pprof]. */
static const char *find_file_name(struct datadog_reader *r, const struct push_form_part *part)
{
	const char *name = part->name;
	size_t n = part->n_name;

	if (n > 6 && memcmp(name, "data[", 5) == 0 && name[n - 1] == ']') {
		name += 5;
		n -= 6;
	} else if (part->n_file && !name_ends_with(name, n, ".pprof")) {
		name = part->file;
		n = part->n_file;
	}
	return arena_strndup(r->p->mem, name, n < FILE_NAME_MAX ? n : FILE_NAME_MAX);
}

/* The kind in the name of a file of Go; the others follow from the sample types. */
static const char *find_file_kind(const char *name)
{
	name += starts_with(name, "delta-") ? strlen("delta-") : 0;
	return push_kind_of_name(name);
}

/* Add a file, or note that it is not a profile. */
static int add_file(struct datadog_reader *r, const struct push_form_part *part, struct err *err)
{
	const char *name = find_file_name(r, part);
	struct push_item item = { .id = "",
				  .kind = find_file_kind(name),
				  .has_kinds = true,
				  /* other libraries count since the last upload */
				  .is_cumulative = strcmp(r->family, "go") == 0 && !starts_with(name, "delta-") &&
						   strcmp(name, "cpu.pprof") != 0,
				  .data = part->data,
				  .n = part->n };

	if (!name_ends_with(name, strlen(name), ".pprof") && !name_ends_with(name, strlen(name), ".jfr")) {
		if (!push_is_text(name, strlen(name)))
			name = "a file with an invalid name";
		buf_addf(&r->skipped, "%s%s", r->skipped.len ? ", " : "", name);
		return 0;
	}
	return push_add_item(r->p, &r->cap, &item, err);
}

/* Is a part a field of version 3? They have no file name. */
static bool is_event_field(const struct push_form_part *part)
{
	return part->n_file == 0 && part->n_name < FILE_NAME_MAX && memchr(part->name, '.', part->n_name) == NULL;
}

/* Read all parts: first the description, then the files, which come before it or after it. */
static int read_parts(struct datadog_reader *r, struct push_form *f, bool wants_files, struct err *err)
{
	struct push_form_part part;
	char name[FILE_NAME_MAX];
	int rc = 0;

	for (int i = 0; rc == 0 && push_form_next(f, &part); i++) {
		if (i == PUSH_FORM_PARTS_MAX)
			return err_set(err, ERR_LIMIT, "more than %d parts in the form", (int)PUSH_FORM_PARTS_MAX);
		if (push_form_is(&part, "event")) {
			rc = wants_files ? 0 : read_event(r, &part, err);
		} else if (!is_event_field(&part)) {
			rc = wants_files ? add_file(r, &part, err) : 0;
		} else if (!wants_files) {
			memcpy(name, part.name, part.n_name);
			name[part.n_name] = '\0';
			rc = use_event_field(r, name, (const char *)part.data, part.n, err);
		}
	}
	return rc;
}

int push_read_datadog(const char *content_type, const uint8_t *data, size_t n, struct push *out, struct err *err)
{
	struct push p = { .mem = arena_new(), .skipped = "" };
	struct datadog_reader r = { .p = &p };
	const struct push_label *label;
	struct push_form f;
	const uint8_t *first;
	int rc = push_form_open(&f, content_type, data, n, err);

	first = f.at;
	rc = rc < 0 ? rc : read_parts(&r, &f, false, err);
	f.at = first;
	rc = rc < 0 ? rc : read_parts(&r, &f, true, err);
	if (rc == 0 && p.n == 0)
		rc = err_set(err, ERR_FORMAT, "the form has no complete part with a profile, *.pprof or *.jfr");
	label = push_copy_labels(&p, &r.labels);
	for (size_t i = 0; i < p.n; i++) {
		p.item[i].label = label;
		p.item[i].n_labels = r.labels.n;
	}
	p.skipped = r.skipped.len ? arena_strndup(p.mem, r.skipped.data, r.skipped.len) : "";
	buf_release(&r.skipped);
	push_form_release(&f);
	if (rc < 0)
		push_release(&p);
	else
		*out = p;
	return rc;
}
