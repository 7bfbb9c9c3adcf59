/*
 * feature.c - features of the header that are of use: build ids, names of events, machine, clock
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "formats/perf/perf_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/utsname.h>

enum {
	FEATURE_BUILD_ID = 2,
	FEATURE_ARCH = 6,
	FEATURE_EVENT_DESC = 12,
	FEATURE_DIRECTORY = 24,
	FEATURE_CLOCK_DATA = 29
};
enum { FEATURE_SIMPLEPERF_FILES = 128, FEATURE_SIMPLEPERF_INFO = 129, FEATURE_SIMPLEPERF_FILES2 = 132 };
enum { BUILD_ID_BYTES = 20 };

/* The rest of a feature. */
struct perf_feature {
	const struct perf_reader *r;
	const uint8_t *p;
	size_t n;
};

static bool feature_u32(struct perf_feature *f, uint32_t *out)
{
	if (f->n < sizeof(*out))
		return false;
	*out = perfdata_u32(f->r, f->p);
	f->p += sizeof(*out);
	f->n -= sizeof(*out);
	return true;
}

static bool feature_skip(struct perf_feature *f, size_t n, const uint8_t **out)
{
	if (f->n < n)
		return false;
	*out = f->p;
	f->p += n;
	f->n -= n;
	return true;
}

/* A string: its length with padding, and bytes. */
static bool feature_text(struct perf_feature *f, const char **s, size_t *n)
{
	const uint8_t *text;
	uint32_t size;

	if (!feature_u32(f, &size) || !feature_skip(f, size, &text))
		return false;
	*s = (const char *)text;
	*n = strnlen(*s, size);
	return true;
}

/* The names of all events, found by their ids, or by their order if they have none. */
static void feature_read_names(struct perf_reader *r, const uint8_t *p, size_t n)
{
	struct perf_feature f = { r, p, n };
	uint32_t n_events, n_attr, n_ids;
	const uint8_t *skipped, *ids;
	const char *name;
	size_t n_name;

	if (!feature_u32(&f, &n_events) || !feature_u32(&f, &n_attr))
		return;
	for (uint32_t i = 0; i < n_events; i++) {
		uint32_t event = i, id;

		if (!feature_skip(&f, n_attr, &skipped) || !feature_u32(&f, &n_ids) ||
		    !feature_text(&f, &name, &n_name) || n_ids > f.n / sizeof(uint64_t) ||
		    !feature_skip(&f, n_ids * sizeof(uint64_t), &ids))
			return;
		if (n_ids && (id = perfdata_event_find_id(r, perfdata_u64(r, ids))) != PERF_NONE)
			event = r->id[id].event;
		if (event < r->n_events && n_name)
			r->event[event].name = strtab_add(builder_strings(r->b), name, n_name);
		r->has_names = true;
	}
}

str_id perfdata_feature_hex(struct perf_reader *r, const uint8_t *id, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	char text[2 * BUILD_ID_BYTES];

	n = n < BUILD_ID_BYTES ? n : BUILD_ID_BYTES;
	for (size_t i = 0; i < n; i++) {
		text[2 * i] = digits[id[i] >> 4];
		text[2 * i + 1] = digits[id[i] & 15];
	}
	return strtab_add(builder_strings(r->b), text, 2 * n);
}

void perfdata_feature_build_id(struct perf_reader *r, const struct perf_record *rec)
{
	enum { AT_ID = 12, AT_SIZE = 32, AT_NAME = 36, OLD_SIZE = 20 };
	size_t n_id = rec->misc & PERF_MISC_ID_SIZE && rec->n > AT_SIZE ? rec->p[AT_SIZE] : OLD_SIZE;
	const char *name = (const char *)rec->p + AT_NAME;
	str_id file;

	if (rec->n <= AT_NAME)
		return;
	file = strtab_add(builder_strings(r->b), name, strnlen(name, rec->n - AT_NAME));
	if (file >= r->n_build_ids) {
		size_t n = r->n_build_ids;

		r->build_id = mem_grow(r->build_id, &r->n_build_ids, (size_t)file + 1, sizeof(*r->build_id));
		memset(r->build_id + n, 0, (r->n_build_ids - n) * sizeof(*r->build_id));
	}
	r->build_id[file] = perfdata_feature_hex(r, rec->p + AT_ID, n_id);
}

str_id perfdata_feature_find_build_id(const struct perf_reader *r, str_id file)
{
	return file < r->n_build_ids ? r->build_id[file] : 0;
}

static void feature_read_build_ids(struct perf_reader *r, const uint8_t *p, size_t n)
{
	struct perf_record rec;

	for (size_t at = 0; perfdata_record_at(r, p + at, n - at, &rec); at += rec.n)
		perfdata_feature_build_id(r, &rec);
}

/* Was it recorded on a machine like this one, so that the unwinder knows its registers? */
static void feature_read_arch(struct perf_reader *r, const uint8_t *p, size_t n)
{
	struct perf_feature f = { r, p, n };
	struct utsname own;
	const char *name;
	size_t n_name;

	if (feature_text(&f, &name, &n_name) && uname(&own) == 0)
		r->is_own_machine =
			!r->is_swapped && strlen(own.machine) == n_name && memcmp(own.machine, name, n_name) == 0;
}

/* The wall clock: version u32, clock u32, wall clock u64, time of samples u64. */
static void feature_read_clock(struct perf_reader *r, const uint8_t *p, size_t n)
{
	enum { AT_WALL = 8, AT_TIME = 16, SIZE = 24 };

	if (n >= SIZE)
		r->clock = (struct perf_clock){ true, perfdata_u64(r, p + AT_WALL), perfdata_u64(r, p + AT_TIME) };
}

/* Name the event of a line "NAME,TYPE,CONFIG". */
static void feature_read_type(struct perf_reader *r, const char *line)
{
	unsigned type;
	uint64_t config;
	char name[128];

	if (sscanf(line, "%127[^,\n],%u,%" SCNu64, name, &type, &config) != 3)
		return;
	for (size_t i = 0; i < r->n_events; i++)
		if (!r->event[i].name && r->event[i].type == type && r->event[i].config == config)
			r->event[i].name = strtab_addz(builder_strings(r->b), name);
}

/* Properties that simpleperf records: keys and values, which end with a NUL. */
static void feature_read_info(struct perf_reader *r, const uint8_t *p, size_t n)
{
	enum { TYPES_MAX = 1 << 16 };
	const char *at = (const char *)p, *end = at + n, *value;

	for (; at < end && (value = memchr(at, '\0', (size_t)(end - at))) && ++value < end; at = value) {
		const char *key = at, *value_end = memchr(value, '\0', (size_t)(end - value));

		if (!value_end)
			return;
		r->is_simpleperf |= strcmp(key, "simpleperf_version") == 0;
		for (const char *line = value_end - value < TYPES_MAX ? value : NULL;
		     line && strcmp(key, "event_type_info") == 0;) {
			feature_read_type(r, line);
			line = strchr(line, '\n');
			line += line != NULL;
		}
		value = value_end + 1;
	}
}

void perfdata_feature_read(struct perf_reader *r, uint64_t feature, const uint8_t *p, size_t n)
{
	switch (feature) {
	case FEATURE_BUILD_ID:
		feature_read_build_ids(r, p, n);
		break;
	case FEATURE_ARCH:
		feature_read_arch(r, p, n);
		break;
	case FEATURE_EVENT_DESC:
		feature_read_names(r, p, n);
		break;
	case FEATURE_SIMPLEPERF_INFO:
		feature_read_info(r, p, n);
		break;
	case FEATURE_SIMPLEPERF_FILES:
	case FEATURE_SIMPLEPERF_FILES2:
		r->has_symbols |= n > 0;
		break;
	case FEATURE_DIRECTORY:
		r->has_directory = true;
		break;
	case FEATURE_CLOCK_DATA:
		feature_read_clock(r, p, n);
		break;
	}
}
