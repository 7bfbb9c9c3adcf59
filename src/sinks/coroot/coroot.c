/*
 * coroot.c - the sink of Coroot
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * From coroot collector/profiles.go and model/profile.go, and coroot-cluster-agent profiles/profiles.go: POST /v1/profiles with service.name
 * and the labels in the query. Sample types are named SOURCE:KIND_TYPE:UNIT, as "go:heap_inuse_space:bytes", and only known ones are shown.
 * Counts of CPU samples are not sent. The time of a profile is that of its end there.
 */
#include "config.h"

#include "sinks/coroot/coroot.h"

#include "base/mem.h"
#include "base/time.h"
#include "fetch/fetch.h"
#include "formats/pprof/pprof.h"
#include "profile/profile.h"
#include "sinks/outcome.h"
#include "sinks/request.h"

#include <stdlib.h>
#include <string.h>

struct coroot {
	struct sink sink;
	struct url url;
	struct fetch_options fetch;
};

/* Kinds, and their names in types. */
static const struct {
	const char *kind, *name;
} coroot_kinds[] = {
	{ "cpu", "profile" }, { "heap", "heap" },   { "allocs", "heap" },
	{ "mutex", "mutex" }, { "block", "block" }, { "goroutine", "goroutine" },
};

/* The name of a kind in types; NULL if Coroot does not have it. */
static const char *coroot_name(const char *kind)
{
	for (size_t i = 0; i < sizeof(coroot_kinds) / sizeof(coroot_kinds[0]); i++)
		if (strcmp(coroot_kinds[i].kind, kind) == 0)
			return coroot_kinds[i].name;
	return NULL;
}

static int coroot_open(const char *url, const struct sink_options *o, struct sink **out, struct err *err)
{
	struct coroot s = { .sink.kind = &sink_coroot, .fetch = o->fetch }, *opened;
	int rc = sink_refuse_words(o, "coroot", err);

	rc = rc < 0 ? rc : sink_parse_url(url, "coroot+", "/v1/profiles", &s.url, err);
	if (rc < 0)
		return rc;
	opened = mem_alloc(1, sizeof(*opened));
	*opened = s;
	*out = &opened->sink;
	return 0;
}

static void coroot_make_query(const struct sink_item *item, struct buf *query, struct sink_result *result)
{
	static const char service[] = "service.name";

	sink_add_parameter(query, service, item->service);
	for (size_t i = 0; i < item->n_labels; i++)
		if (strcmp(item->label[i].name, service) != 0)
			sink_add_parameter(query, item->label[i].name, item->label[i].value);
		else
			sink_add_note(result, "the label %s is left out", service);
}

/* Rename the sample types, without the count of samples of a CPU profile, and set the times. */
static void coroot_prepare(struct profile *p, const struct sink_item *item, const char *kind)
{
	struct buf name = { 0 };
	uint32_t n = 0;

	for (uint32_t t = 0; t < p->n_types; t++) {
		const char *type = profile_text(p, p->type[t].name);

		if (strcmp(kind, "profile") == 0 && strcmp(type, "samples") == 0)
			continue;
		name.len = 0;
		buf_addf(&name, "go:%s_%s:%s", kind, type, profile_text(p, p->type[t].unit));
		p->value[n] = p->value[t];
		p->type[n++] = (struct value_type){ strtab_addz(p->str, name.data), p->type[t].unit };
	}
	p->n_types = n;
	p->meta.default_type = 0;
	p->meta.duration_ns = sink_counted_ns(item);
	if (p->meta.duration_ns <= 0)
		p->meta.duration_ns = NS_PER_MINUTE; /* between snapshots, for Coroot's agent */
	p->meta.time_ns = item->start_ns + (item->duration_ns > 0 ? item->duration_ns : 0);
	buf_release(&name);
}

static int coroot_send_item(const struct coroot *s, const struct sink_item *item, struct stop *stop,
			    struct sink_result *out, struct err *err)
{
	const char *kind = coroot_name(item->kind);
	struct buf query = { 0 }, body = { 0 };
	struct url url = s->url;
	struct fetch_request r = { .url = &url };
	struct profile *p;
	struct err item_err;
	int rc;

	if (!kind) {
		sink_setf(out, SINK_REFUSED, "Coroot has no profiles of the kind %s", item->kind);
		return 0;
	}
	p = sink_copy_rows(item->profile, 0, item->profile->n_rows);
	coroot_prepare(p, item, kind);
	rc = pprof_write(p, 1, &body, &item_err);
	profile_free(p);
	if (rc < 0) {
		sink_setf(out, SINK_REFUSED, "%s", item_err.msg);
		rc = 0;
	} else {
		coroot_make_query(item, &query, out);
		url.query = query.data;
		r.body = body.data;
		r.n_body = body.len;
		rc = sink_send(&r, &s->fetch, stop, out, err);
		sink_release_response(&r);
	}
	buf_release(&query);
	buf_release(&body);
	return rc;
}

static int coroot_send(struct sink *sink, const struct sink_item *item, size_t n, struct stop *stop,
		       struct sink_result *result, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++)
		rc = coroot_send_item((const struct coroot *)sink, &item[i], stop, &result[i], err);
	return rc;
}

static void coroot_close(struct sink *sink)
{
	struct coroot *s = (struct coroot *)sink;

	url_release(&s->url);
	free(s);
}

static const char *const coroot_prefixes[] = { "coroot+http://", "coroot+https://", NULL };

const struct sink_kind sink_coroot = {
	.name = "coroot",
	.prefix = coroot_prefixes,
	.help = "Coroot, tried with a contract test only",
	.batch_max = 1,
	.open = coroot_open,
	.send = coroot_send,
	.close = coroot_close,
};
