/*
 * request.c - a profile as a request of Parca
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * From Parca's proto/parca/profilestore/v1alpha1/profilestore.proto, pkg/normalizer and pkg/profilestore. Ids must be 1..N in order, each
 * sample type must be a metric name of Prometheus, and a profile without a period type ended servers of 2025. A type has the suffix ":delta"
 * exactly if its profile has a duration (profilecolumnstore.go), and its UI divides values of deltas by it. So increases of counters have the
 * time since the profile before, and gauges, which are not counted during a time, are in a second profile without one.
 * Addresses are those of the process, which Parca makes relative with the mappings: the field normalized is false.
 */
#include "config.h"

#include "sinks/parca/parca_int.h"

#include "formats/common/put.h"
#include "formats/pprof/pprof.h"
#include "profile/profile.h"
#include "sinks/outcome.h"
#include "sinks/request.h"

#include <string.h>

enum { REQUEST_SERIES = 2, SERIES_LABELS = 1, SERIES_SAMPLES = 2, SET_LABEL = 1, RAW_PROFILE = 1 };

/* The limit of a message, 64 MiB (pkg/debuginfo/client.go, MaxMsgSize), without room for labels. */
enum { PARCA_PROFILE_MAX = (64 << 20) - (1 << 20) };

/* The names that Parca's own scrapes have (pkg/config/config.go); other kinds keep theirs. */
static const struct {
	const char *kind, *name;
} writeraw_names[] = { { "cpu", "process_cpu" }, { "heap", "memory" }, { "allocs", "memory" } };

struct writeraw_labels {
	struct buf names; /* of the labels so far, each between two newlines */
	struct buf set;
	size_t n_repeated;
};

static void writeraw_add_label(struct writeraw_labels *l, const char *name, const char *value)
{
	struct buf key = { 0 }, pair = { 0 };

	buf_addz(&key, "\n");
	sink_add_name(&key, name, "_");
	buf_addz(&key, "\n");
	if (*value && strstr(buf_text(&l->names), buf_text(&key))) {
		l->n_repeated++;
	} else if (*value) {
		put_bytes(&pair, 1, key.data + 1, key.len - 2);
		put_textz(&pair, 2, value);
		put_message(&l->set, SET_LABEL, &pair);
		buf_addz(&l->names, buf_text(&key));
	}
	buf_release(&key);
	buf_release(&pair);
}

static const char *writeraw_name(const char *kind)
{
	for (size_t i = 0; i < sizeof(writeraw_names) / sizeof(writeraw_names[0]); i++)
		if (strcmp(writeraw_names[i].kind, kind) == 0)
			return writeraw_names[i].name;
	return kind;
}

/* Append the labels, which end with those of the series: the first of a name is kept. */
static void writeraw_add_labels(const struct sink_item *item, struct buf *series, struct sink_result *result)
{
	struct writeraw_labels l = { 0 };
	struct buf name = { 0 };

	sink_add_name(&name, writeraw_name(item->kind), "_:");
	writeraw_add_label(&l, "__name__", buf_text(&name));
	writeraw_add_label(&l, "service_name", item->service);
	for (size_t i = 0; i < item->n_labels; i++)
		writeraw_add_label(&l, item->label[i].name, item->label[i].value);
	put_message(series, SERIES_LABELS, &l.set);
	if (l.n_repeated)
		sink_add_note(result, "%zu labels are left out: Parca would give them the names of others",
			      l.n_repeated);
	buf_release(&name);
	buf_release(&l.names);
	buf_release(&l.set);
}

/* Make a string part of a metric name, whose colons separate the parts. */
static void writeraw_set_part(struct profile *p, str_id *id)
{
	struct buf name = { 0 };

	sink_add_name(&name, profile_text(p, *id), "_");
	*id = strtab_addz(p->str, buf_text(&name));
	buf_release(&name);
}

/* Set the time, and a period type if there is none. */
static void writeraw_set_meta(struct profile *p, const struct sink_item *item, bool gauges)
{
	struct value_type *period = &p->meta.period_type;

	p->meta.time_ns = item->start_ns;
	p->meta.duration_ns = gauges ? 0 : sink_counted_ns(item);
	if (item->profile->n_types && !period->name && !period->unit)
		*period = item->profile->type[item->profile->n_types - 1];
	writeraw_set_part(p, &period->name);
	writeraw_set_part(p, &period->unit);
	for (uint32_t t = 0; t < p->n_types; t++) {
		writeraw_set_part(p, &p->type[t].name);
		writeraw_set_part(p, &p->type[t].unit);
	}
}

/* Append a profile with the gauges of an item, or with its other sample types; without the rows that have no value in these, and nothing if
   all are left out: the first snapshot of counters has no increase. Fails as pprof_write. */
static int writeraw_add_profile(const struct sink_item *item, bool gauges, struct buf *series, struct err *err)
{
	struct profile *p = sink_copy_rows(item->profile, 0, item->profile->n_rows);
	struct buf profile = { 0 }, sample = { 0 };
	int rc = 0;

	sink_select_types(p, gauges);
	sink_drop_zeros(p);
	if (p->n_types && (p->n_rows || !item->profile->n_rows)) {
		writeraw_set_meta(p, item, gauges);
		rc = pprof_write(p, 1, &profile, err);
		put_message(&sample, RAW_PROFILE, &profile);
		put_message(series, SERIES_SAMPLES, &sample);
	}
	profile_free(p);
	buf_release(&profile);
	buf_release(&sample);
	return rc;
}

bool writeraw_add_request(const struct sink_item *item, struct buf *out, struct sink_result *result)
{
	struct buf series = { 0 };
	struct err err;
	int rc;

	writeraw_add_labels(item, &series, result);
	rc = writeraw_add_profile(item, false, &series, &err);
	if (rc == 0)
		rc = writeraw_add_profile(item, true, &series, &err);
	if (rc < 0)
		sink_setf(result, SINK_REFUSED, "%s", err.msg);
	else if (series.len > PARCA_PROFILE_MAX)
		sink_setf(result, SINK_REFUSED, "the profile has %zu MiB; Parca accepts 63", series.len >> 20);
	else
		put_message(out, REQUEST_SERIES, &series);
	rc = rc < 0 || series.len > PARCA_PROFILE_MAX;
	buf_release(&series);
	return rc == 0;
}
