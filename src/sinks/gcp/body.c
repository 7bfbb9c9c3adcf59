/*
 * body.c - profiles as Cloud Profiler wants them: type, deployment, labels, bytes
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "sinks/gcp/gcp_int.h"

#include "base/base64.h"
#include "base/jsonw.h"
#include "base/time.h"
#include "formats/pprof/pprof.h"
#include "profile/compact.h"
#include "profile/temporality.h"
#include "sinks/outcome.h"
#include "sinks/request.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* Limits of profiler.proto: of a target, of a name and a value of a label, of all labels together. */
enum { TARGET_MAX = 255, LABEL_NAME_MAX = 63, LABEL_VALUE_MAX = 512, LABELS_MAX = 1024 };

static const struct {
	const char *kind;
	struct gcp_part part[GCP_PARTS_MAX];
} gcp_types[] = {
	{ "cpu", { { .type = "CPU", .all = true } } },
	{ "wall", { { .type = "WALL", .all = true } } },
	{ "fgprof", { { .type = "WALL", .all = true } } },
	{ "heap", { { .type = "HEAP", .gauges = true }, { .type = "HEAP_ALLOC" } } },
	{ "allocs", { { .type = "HEAP", .gauges = true }, { .type = "HEAP_ALLOC" } } },
	{ "goroutine", { { .type = "THREADS", .all = true } } },
	{ "threads", { { .type = "THREADS", .all = true } } },
	{ "mutex", { { .type = "CONTENTION", .all = true } } },
	{ "block", { { .type = "CONTENTION", .all = true } } },
};

static bool gcp_has_type(const struct profile *p, uint32_t t, const struct gcp_part *part)
{
	return part->all || (profile_temporality(p, t) == TEMPORALITY_GAUGE) == part->gauges;
}

size_t gcp_parts(const struct sink_item *item, struct gcp_part part[GCP_PARTS_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < sizeof(gcp_types) / sizeof(gcp_types[0]); i++)
		for (size_t k = 0; k < GCP_PARTS_MAX && strcmp(gcp_types[i].kind, item->kind) == 0; k++) {
			const struct gcp_part *p = &gcp_types[i].part[k];
			bool has_types = false;

			for (uint32_t t = 0; p->type && t < item->profile->n_types; t++)
				has_types |= gcp_has_type(item->profile, t, p);
			if (has_types)
				part[n++] = *p;
		}
	return n;
}

/* Append a text in lower case, with - for bytes that are neither letters, digits nor allowed, and neither end being one of these. */
static void gcp_add_name(struct buf *out, const char *text, size_t max, const char *allowed)
{
	size_t start = out->len;

	for (; *text; text++) {
		char c = (char)tolower((unsigned char)*text);

		if (!isalnum((unsigned char)c) && !strchr(allowed, c))
			c = '-';
		if (out->len - start < max && (out->len > start || isalnum((unsigned char)c)))
			buf_add(out, &c, 1);
	}
	while (out->len > start && !isalnum((unsigned char)out->data[out->len - 1]))
		out->len--;
}

struct gcp_labels {
	struct json *j;
	struct buf names; /* each between newlines */
	size_t bytes, n_left_out;
};

/* Add a label if there is room, and none of its name. */
static void gcp_add_label(struct gcp_labels *l, const char *name, const char *value)
{
	struct buf key = { 0 };
	size_t size;

	if (!value || !*value)
		return;
	buf_addz(&key, "\n");
	gcp_add_name(&key, name, LABEL_NAME_MAX, "-");
	size = key.len - 1 + strlen(value);
	buf_addz(&key, "\n");
	if (key.len == 2 || strlen(value) > LABEL_VALUE_MAX || l->bytes + size > LABELS_MAX ||
	    strstr(buf_text(&l->names), key.data)) {
		l->n_left_out++;
	} else {
		buf_add(&l->names, key.data, key.len);
		key.data[key.len - 1] = '\0';
		jsonw_add_text(l->j, key.data + 1, value);
		l->bytes += size;
	}
	buf_release(&key);
}

/* The labels that Cloud Profiler knows come first, so that they are not the ones without room. */
static size_t gcp_add_labels(const struct sink_item *item, const char *language, struct json *j)
{
	static const char *const known[] = { "language", "zone", "region", "version" };
	struct gcp_labels l = { .j = j };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const char *value = sink_label(item, known[i]);

		gcp_add_label(&l, known[i], value || i > 0 ? value : language);
	}
	for (size_t i = 0; i < item->n_labels; i++) {
		bool is_known = false;

		for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
			is_known |= strcmp(known[k], item->label[i].name) == 0;
		if (!is_known)
			gcp_add_label(&l, item->label[i].name, item->label[i].value);
	}
	buf_release(&l.names);
	return l.n_left_out;
}

bool gcp_add_deployment(const struct sink_item *item, const char *project, const char *language, struct buf *out,
			struct sink_result *result)
{
	struct json j = { .out = out, .is_one_line = true };
	struct buf target = { 0 };
	size_t n_left_out, n;

	gcp_add_name(&target, item->service, TARGET_MAX, "-_.");
	jsonw_open(&j, '{');
	jsonw_add_text(&j, "projectId", project);
	jsonw_add_text(&j, "target", buf_text(&target));
	jsonw_open_key(&j, "labels", '{');
	n_left_out = gcp_add_labels(item, language, &j);
	jsonw_close(&j, '}');
	jsonw_close(&j, '}');
	n = target.len;
	buf_release(&target);
	if (n_left_out)
		sink_add_note(result, "%zu of %zu labels are left out: Cloud Profiler accepts %d bytes", n_left_out,
			      item->n_labels, (int)LABELS_MAX);
	return n > 0;
}

int gcp_add_profile(const struct sink_item *item, const struct gcp_part *part, struct buf *out, struct err *err)
{
	struct profile *p = sink_copy_rows(item->profile, 0, item->profile->n_rows);
	int64_t duration_ns = part->gauges ? item->duration_ns : sink_counted_ns(item);
	struct buf bytes = { 0 };
	int rc;

	if (!part->all)
		sink_select_types(p, part->gauges);
	profile_drop_unused(p);
	p->meta.time_ns = item->start_ns;
	p->meta.duration_ns = duration_ns;
	rc = pprof_write(p, 1, &bytes, err);
	buf_addf(out, ",\"profileType\":\"%s\",\"duration\":\"%" PRId64 ".%09" PRId64 "s\",\"profileBytes\":\"",
		 part->type, duration_ns / NS_PER_S, duration_ns % NS_PER_S);
	base64_add(out, buf_text(&bytes), bytes.len);
	buf_addz(out, "\"");
	profile_free(p);
	buf_release(&bytes);
	return rc;
}
