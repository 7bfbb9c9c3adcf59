/*
 * side.c - metadata of a side of a comparison
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/side.h"

#include "base/path.h"
#include "base/unit.h"
#include "profile/scale.h"
#include "report/head.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

static const char *const host_key[] = { "host", "hostname", "instance", "node" };
enum { N_HOST_KEYS = sizeof(host_key) / sizeof(host_key[0]) };

/* Index of a key of n bytes in the list of keys for a host name; N_HOST_KEYS for none. */
static size_t key_rank(const char *key, size_t n)
{
	size_t i;

	for (i = 0; i < N_HOST_KEYS; i++)
		if (strlen(host_key[i]) == n && memcmp(host_key[i], key, n) == 0)
			break;
	return i;
}

static const char *host_of_labels(const struct profile *p, struct arena *mem)
{
	uint32_t n[N_HOST_KEYS] = { 0 };
	str_id found[N_HOST_KEYS] = { 0 };
	struct buf text = { 0 };
	const char *host = "";
	size_t rank;

	for (uint32_t i = 0; i < p->n_labels; i++) {
		const char *key = profile_text(p, p->label_key[i]);

		rank = key_rank(key, strlen(key));
		if (rank == N_HOST_KEYS || !p->label_is_text[i] || !p->label_text[i])
			continue;
		n[rank]++;
		found[rank] = p->label_text[i];
	}
	for (rank = 0; rank < N_HOST_KEYS && n[rank] == 0; rank++)
		;
	if (rank == N_HOST_KEYS)
		return "";
	if (n[rank] == 1)
		return report_head_text(p, found[rank], mem);
	buf_addf(&text, "%" PRIu32 " of them", n[rank]);
	host = arena_strndup(mem, text.data, text.len);
	buf_release(&text);
	return host;
}

/* Find a comment such as "host=db1" or "hostname: db1". */
static const char *host_of_comments(const struct profile *p, struct arena *mem)
{
	for (uint32_t i = 0; i < p->meta.n_comments; i++) {
		const char *text = report_head_text(p, p->meta.comment[i], mem);
		size_t n = strcspn(text, "=:");

		if (text[n] && key_rank(text, n) < N_HOST_KEYS)
			return text + n + 1 + strspn(text + n + 1, " ");
	}
	return "";
}

void side_find_builds(const struct profile *p, struct arena *mem, struct side_builds *out)
{
	struct buf program = { 0 }, base = { 0 };

	*out = (struct side_builds){ .id = arena_alloc(mem, p->n_maps, sizeof(*out->id)) };
	for (uint32_t i = 0; i < p->n_maps; i++) {
		const char *id = report_head_text(p, p->map[i].build_id, mem);
		size_t k = 0;

		base.len = 0;
		path_add_base(i ? &base : &program, report_head_text(p, p->map[i].file, mem));
		if (!*id || (i && strcmp(buf_text(&base), buf_text(&program)) != 0))
			continue;
		while (k < out->n && strcmp(out->id[k], id) != 0)
			k++;
		if (k == out->n) /* a copy: a trend frees its profiles */
			out->id[out->n++] = arena_strndup(mem, id, strlen(id));
	}
	out->n = out->n > 1 ? out->n : 0;
	buf_release(&program);
	buf_release(&base);
}

void side_fill(struct compare_side *s, const struct profile *p, const struct side_sources *from, int64_t total,
	       struct arena *mem)
{
	struct buf base = { 0 };

	assert(from->n == 0 || from->source);
	*s = (struct compare_side){ .source = from->source,
				    .n_sources = from->n,
				    .file = "",
				    .build_id = "",
				    .time_ns = p->meta.time_ns,
				    .duration_ns = p->meta.duration_ns,
				    .total = total,
				    .traffic = from->traffic };
	side_find_builds(p, mem, &s->builds);
	if (p->n_maps && p->map[0].file) {
		path_add_base(&base, report_head_text(p, p->map[0].file, mem));
		s->file = arena_strndup(mem, base.data, base.len);
		buf_release(&base);
	}
	if (p->n_maps)
		s->build_id = report_head_text(p, p->map[0].build_id, mem);
	s->host = host_of_labels(p, mem);
	if (!*s->host)
		s->host = host_of_comments(p, mem);
}

static void side_add_period(const struct profile *p, struct buf *out)
{
	unit_add_label(out, p->meta.period, profile_text(p, p->meta.period_type.unit), "auto");
}

static void warn_period(const struct profile *base, const struct profile *new, struct buf *notes)
{
	const char *unit_b = profile_text(base, base->meta.period_type.unit);
	const char *unit_t = profile_text(new, new->meta.period_type.unit);
	double b = (double)base->meta.period, t = (double)new->meta.period;

	if (b == 0 || t == 0)
		return;
	if (unit_is_compatible(unit_b, unit_t) && b * scale_ratio(unit_b, unit_t) == t)
		return;
	buf_addz(notes, "periods differ: before was sampled every ");
	side_add_period(base, notes);
	buf_addz(notes, ", after every ");
	side_add_period(new, notes);
	buf_addz(notes, "\n");
}

static void side_warn_builds(const char *side, const struct profile *p, struct buf *notes)
{
	struct arena *mem = arena_new();
	struct side_builds b;

	side_find_builds(p, mem, &b);
	if (b.n)
		buf_addf(notes, "%s has profiles of %zu builds of the program, %.16s and %.16s%s\n", side, b.n, b.id[0],
			 b.id[1], b.n > 2 ? " and others" : "");
	arena_free(mem);
}

void side_warn(const struct profile *base, const struct profile *new, bool normalized, struct buf *notes)
{
	int64_t b = base->meta.duration_ns, t = new->meta.duration_ns;

	if (base->meta.time_ns && new->meta.time_ns && base->meta.time_ns > new->meta.time_ns)
		buf_addz(notes, "before is newer than after; check that the sides are not swapped\n");
	warn_period(base, new, notes);
	side_warn_builds("before", base, notes);
	side_warn_builds("after", new, notes);
	if (normalized || b <= 0 || t <= 0 || ((double)b <= 1.1 * (double)t && (double)t <= 1.1 * (double)b))
		return;
	buf_addz(notes, "durations differ: before took ");
	unit_add_label(notes, b, "ns", "auto");
	buf_addz(notes, ", after ");
	unit_add_label(notes, t, "ns", "auto");
	buf_addz(notes, "; --normalize=duration makes them comparable\n");
}
