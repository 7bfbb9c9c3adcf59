/*
 * fuzz_collect_config.c - any bytes as the texts that the collector reads: collect.cpa, lists of targets, responses of name
 * servers, versions
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The first byte selects the text. Stops when an error does not name its file, when a configuration has values out of their
 * range, or when a target of a list has no address.
 */
#include "config.h"

#include "fuzz.h"

#include "scrape/find_int.h"
#include "scrape/schedule.h"
#include "scrape/scrape_config.h"
#include "scrape/version.h"

#include <string.h>

static const char name[] = "collect.cpa";

static void demand(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static void judge_labels(const struct store_label *label, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		demand(*label[i].name && *label[i].value && strlen(label[i].value) <= 256, "a label is empty or long");
		demand(i == 0 || strcmp(label[i - 1].name, label[i].name) < 0, "labels are not sorted");
	}
}

static void judge_job(const struct scrape_job *j)
{
	const int64_t day = INT64_C(86400000000000);
	struct scrape_schedule s;
	size_t kind = 0;
	int64_t at;

	demand(j->n_kinds > 0 && j->n_kinds <= SCRAPE_KINDS_MAX, "a job has no kinds");
	for (size_t i = 0; i < j->n_kinds; i++) {
		const struct scrape_kind *k = &j->kind[i];

		demand(*k->name && *k->path && k->every_ns >= 1000000000 && k->every_ns <= 31 * day,
		       "an interval is out of range");
		demand(k->capture_ns >= 0 && k->capture_ns <= k->every_ns, "a capture is longer than its interval");
		demand(i == 0 || j->kind[i - 1].capture_ns || !k->capture_ns, "captures are not first");
	}
	for (size_t i = 0; i < j->n_sources; i++) {
		demand(*j->source[i].address && j->source[i].line > 0, "a source has no line");
		judge_labels(j->source[i].label, j->source[i].n_labels);
	}
	judge_labels(j->label, j->n_labels);
	demand(j->n_versions > 0 && j->n_versions <= N_SCRAPE_VERSION_SOURCES, "a job has no version");
	scrape_schedule_init(&s, "x", j->kind, j->n_kinds, 20000 * day, false);
	at = scrape_schedule_next(&s, 20000 * day, &kind);
	demand(at >= 20000 * day && at <= 20031 * day && kind < j->n_kinds, "the first slot is out of range");
	scrape_schedule_release(&s);
}

static void check_config(const struct bytes *b)
{
	struct scrape_config *c = NULL;
	struct err err = { 0 };
	int rc = scrape_config_parse((const char *)b->data, b->n, name, NULL, &c, &err);

	if (rc < 0) {
		demand(rc == ERR_USAGE && !c && strncmp(err.msg, "collect.cpa:", 12) == 0,
		       "an error does not name its line");
		return;
	}
	for (size_t i = 0; i < c->n_jobs; i++)
		judge_job(&c->job[i]);
	demand(c->n_listens > 0 && c->shard <= c->n_shards, "no listener, or no such shard");
	for (size_t i = 1; i < c->n_keep_labels; i++)
		demand(strcmp(c->keep_label[i - 1], c->keep_label[i]) < 0, "kept labels are not sorted");
	scrape_config_unref(c);
}

static void check_list(int rc, struct scrape_list *l)
{
	for (size_t i = 0; rc == 0 && i < l->n; i++)
		judge_labels(l->found[i].label, l->found[i].n_labels);
	scrape_list_release(l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const struct store_label zone[] = { { "zone", "a" } };
	static const struct scrape_found like = { .address = "", .label = zone, .n_labels = 1 };
	struct bytes b = fuzz_bytes(n ? data + 1 : data, n ? n - 1 : 0);
	const char *text = (const char *)b.data;
	struct scrape_list l = { 0 };
	struct buf out = { 0 };
	struct err err = { 0 };

	switch (n ? data[0] : 0) {
	case 'l': /* a list of targets */
		check_list(scrape_find_in_text(text, b.n, name, &like, &l, &err), &l);
		break;
	case 's': /* SRV records */
		check_list(scrape_find_in_srv(b.data, b.n, "", &like, &l, &err), &l);
		break;
	case 'v': /* a version */
	case 'j':
		if (scrape_version_parse(text, b.n, data[0] == 'j' ? "git.commit" : "", &out, &err) == 0)
			demand(out.len > 0 && out.len <= SCRAPE_VERSION_MAX, "a version is empty or long");
		break;
	default:
		check_config(&b);
	}
	buf_release(&out);
	free(b.data);
	return 0;
}
