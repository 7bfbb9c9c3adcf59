/*
 * target.c - the set of targets
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "scrape/target.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/url_escape.h"
#include "fetch/folder.h"
#include "scrape/scrape_config.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <stdatomic.h>
#include <xxhash.h>

/* Labels with their reference count. */
struct counted_labels {
	struct scrape_labels labels; /* first */
	atomic_uint refs;
};

struct scrape_labels *scrape_labels_ref(struct scrape_labels *l)
{
	atomic_fetch_add(&((struct counted_labels *)l)->refs, 1);
	return l;
}

void scrape_labels_unref(struct scrape_labels *l)
{
	struct counted_labels *counted = (struct counted_labels *)l;

	if (!l || atomic_fetch_sub(&counted->refs, 1) > 1)
		return;
	for (size_t i = 0; i < l->n; i++) {
		free((char *)l->label[i].name);
		free((char *)l->label[i].value);
	}
	free(l->label);
	free(l->service);
	free(counted);
}

static void target_add_label(struct scrape_labels *l, const char *name, const char *value)
{
	l->label[l->n++] = (struct store_label){ mem_strndup(name, strlen(name)), mem_strndup(value, strlen(value)) };
}

/* Merge two sorted lists; labels of b replace those of a. */
static void merge_labels(struct scrape_labels *out, const struct store_label *a, size_t n_a,
			 const struct store_label *b, size_t n_b)
{
	size_t i = 0, k = 0;

	while (i < n_a || k < n_b) {
		int order = i == n_a ? 1 : k == n_b ? -1 : strcmp(a[i].name, b[k].name);

		if (order < 0)
			target_add_label(out, a[i].name, a[i].value);
		else
			target_add_label(out, b[k].name, b[k].value);
		i += order <= 0;
		k += order >= 0;
	}
}

/* The labels of a target: of the job, of the target, and the instance unless they contain one. */
static struct scrape_labels *target_make_labels(const struct scrape_job *j, const struct scrape_found *f,
						const char *service, const char *instance)
{
	struct counted_labels *counted = mem_zalloc(1, sizeof(*counted));
	const struct store_label own = { "instance", instance };
	struct store_label *all = mem_alloc(j->n_labels + f->n_labels + 1, sizeof(*all));
	struct scrape_labels with = { .label = all };

	counted->refs = 1;
	counted->labels.service = mem_strndup(service, strlen(service));
	counted->labels.label = mem_alloc(j->n_labels + f->n_labels + 1, sizeof(*all));
	merge_labels(&with, &own, 1, j->label, j->n_labels);
	merge_labels(&counted->labels, with.label, with.n, f->label, f->n_labels);
	for (size_t i = 0; i < with.n; i++) {
		free((char *)with.label[i].name);
		free((char *)with.label[i].value);
	}
	free(all);
	return &counted->labels;
}

static bool target_is_equal(const struct scrape_labels *a, const struct scrape_labels *b)
{
	if (a->n != b->n) /* the service is part of the key */
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->label[i].name, b->label[i].name) != 0 ||
		    strcmp(a->label[i].value, b->label[i].value) != 0)
			return false;
	return true;
}

void scrape_target_free(struct scrape_target *t)
{
	if (!t)
		return;
	scrape_schedule_release(&t->schedule);
	scrape_labels_unref(t->labels);
	url_release(&t->folder);
	free(t->instance);
	free(t->kinds);
	free(t->key);
	free(t);
}

/* Is a kind among names that are separated by commas? "": all are. */
static bool target_has_kind(const char *kinds, const char *kind)
{
	size_t n = strlen(kind);

	for (const char *at = kinds; *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ','))
		if (strncmp(at, kind, n) == 0 && (!at[n] || at[n] == ','))
			return true;
	return !*kinds;
}

/* The kinds of a target, of those of its job, into kind, [SCRAPE_KINDS_MAX]. Returns their number. */
static size_t target_kinds(const struct scrape_job *j, const char *kinds, struct scrape_kind *kind)
{
	size_t n = 0;

	for (size_t i = 0; i < j->n_kinds; i++)
		if (target_has_kind(kinds, j->kind[i].name))
			kind[n++] = j->kind[i];
	return n;
}

/* A target without a schedule. Fails with ERR_USAGE when the address is invalid. */
static int make_target(const struct scrape_config *c, const struct scrape_found *f, struct scrape_target **out,
		       struct err *err)
{
	const struct scrape_job *j = &c->job[f->job];
	const char *service = f->service && *f->service ? f->service : j->name, *kinds = f->kinds ? f->kinds : "";
	struct scrape_kind kind[SCRAPE_KINDS_MAX];
	struct scrape_target *t;
	struct buf key = { 0 };
	const char *instance;
	struct url folder;

	if (target_kinds(j, kinds, kind) == 0)
		return err_set(err, ERR_USAGE, "%s: the job scrapes none of the kinds %.200s", f->address, kinds);
	if (scrape_target_url(f->address, j->folder, &folder, err) < 0)
		return ERR_USAGE;
	t = mem_zalloc(1, sizeof(*t));
	t->folder = folder;
	t->job = f->job;
	t->kinds = mem_strndup(kinds, strlen(kinds));
	buf_addf(&key, "%s ", service);
	url_add_redacted(&folder, &key);
	t->key = mem_strndup(key.data, key.len);
	buf_release(&key);
	instance = folder.socket ? folder.socket : folder.host;
	t->instance = mem_strndup(instance, strlen(instance));
	t->labels = target_make_labels(j, f, service, instance);
	*out = t;
	return 0;
}

static int compare_targets(const void *a, const void *b)
{
	const struct scrape_target *x = *(struct scrape_target *const *)a, *y = *(struct scrape_target *const *)b;
	int order = strcmp(x->key, y->key);

	return order ? order : (x->job > y->job) - (x->job < y->job);
}

static bool is_of_shard(const struct scrape_config *c, const struct scrape_target *t)
{
	return c->n_shards < 2 || XXH3_64bits(t->key, strlen(t->key)) % c->n_shards == c->shard - 1;
}

/* The targets of a list, sorted, without duplicates and without those of other shards. */
static void make_targets(const struct scrape_config *c, const struct scrape_list *list, struct scrape_targets *out,
			 struct buf *notes)
{
	struct scrape_target **all = mem_alloc(list->n + 1, sizeof(struct scrape_target *));
	size_t n = 0, n_kept = 0;

	for (size_t i = 0; i < list->n; i++) {
		struct err err;

		if (make_target(c, &list->found[i], &all[n], &err) < 0)
			buf_addf(notes, "%s%starget %s\n", c->job[list->found[i].job].name,
				 *c->job[list->found[i].job].name ? ": " : "", err.msg);
		else if (is_of_shard(c, all[n]))
			n++;
		else
			scrape_target_free(all[n]);
	}
	qsort(all, n, sizeof(struct scrape_target *), compare_targets);
	for (size_t i = 0; i < n; i++) {
		if (n_kept && strcmp(all[n_kept - 1]->key, all[i]->key) == 0) {
			buf_addf(notes, "target %s is listed twice; the first one is used\n", all[i]->key);
			scrape_target_free(all[i]);
		} else if (n_kept == SCRAPE_TARGETS_MAX) {
			scrape_target_free(all[i]);
		} else {
			all[n_kept++] = all[i];
		}
	}
	if (n > n_kept && n_kept == SCRAPE_TARGETS_MAX)
		buf_addf(notes, "more than %d targets; the others are not scraped\n", SCRAPE_TARGETS_MAX);
	*out = (struct scrape_targets){ all, n_kept };
}

/* Replace everything but schedule and owner_data of a target by a newer one, which is freed. */
static void target_update(struct scrape_target *old, struct scrape_target *new, const struct scrape_job *j,
			  int64_t now_ns)
{
	struct scrape_labels *labels = old->labels;
	struct scrape_kind kind[SCRAPE_KINDS_MAX];
	struct url folder = old->folder;
	char *kinds = old->kinds;

	if (!target_is_equal(old->labels, new->labels)) {
		old->labels = new->labels;
		new->labels = labels;
	}
	old->folder = new->folder; /* user and password may differ */
	new->folder = folder;
	old->kinds = new->kinds;
	new->kinds = kinds;
	old->job = new->job;
	scrape_schedule_change(&old->schedule, kind, target_kinds(j, old->kinds, kind), now_ns);
	scrape_target_free(new);
}

void scrape_targets_update(struct scrape_targets *t, const struct scrape_config *c, const struct scrape_list *list,
			   int64_t now_ns, bool at_once, scrape_removed_fn *removed, void *arg, struct buf *notes)
{
	struct scrape_targets old = *t;
	size_t k = 0;

	make_targets(c, list, t, notes);
	for (size_t i = 0; i < t->n; i++) {
		const struct scrape_job *j = &c->job[t->target[i]->job];
		struct scrape_kind kind[SCRAPE_KINDS_MAX];

		while (k < old.n && strcmp(old.target[k]->key, t->target[i]->key) < 0)
			removed(arg, old.target[k++]);
		if (k < old.n && strcmp(old.target[k]->key, t->target[i]->key) == 0) {
			target_update(old.target[k], t->target[i], j, now_ns);
			t->target[i] = old.target[k++];
		} else {
			scrape_schedule_init(&t->target[i]->schedule, t->target[i]->key, kind,
					     target_kinds(j, t->target[i]->kinds, kind), now_ns, at_once);
		}
	}
	while (k < old.n)
		removed(arg, old.target[k++]);
	free(old.target);
}

void scrape_targets_release(struct scrape_targets *t)
{
	for (size_t i = 0; i < t->n; i++)
		scrape_target_free(t->target[i]);
	free(t->target);
	*t = (struct scrape_targets){ 0 };
}

/* ---- addresses of targets ---- */

static void set_folder(struct url *u, const char *folder)
{
	struct buf path = { 0 };
	size_t n = strlen(folder);

	while (n && folder[n - 1] == '/')
		n--;
	url_escape(folder, n, URL_PATH, &path);
	free(u->path);
	u->path = mem_strndup(buf_text(&path), path.len);
	buf_release(&path);
}

int scrape_target_url(const char *address, const char *folder, struct url *out, struct err *err)
{
	struct buf local = { 0 };
	int rc;

	if (*address == ':')
		buf_addf(&local, "localhost%s", address);
	else
		buf_addz(&local, address);
	for (const char *at = address; *at; at++) {
		if ((unsigned char)*at <= ' ' || *at == 0x7f) {
			buf_release(&local);
			return err_set(err, ERR_USAGE, "%.100s: not an address; write HOST:PORT, a URL or unix:SOCKET",
				       address);
		}
	}
	rc = fetch_folder(buf_text(&local), out, err);
	buf_release(&local);
	if (rc < 0) {
		if (rc == ERR_UNKNOWN) {
			url_redact(address, &local);
			err_set(err, ERR_USAGE, "%.300s: not an address; write HOST:PORT, a URL or unix:SOCKET",
				buf_text(&local));
			buf_release(&local);
		}
		return ERR_USAGE;
	}
	if (*folder && strcmp(out->path, SCRAPE_FOLDER_DEFAULT) == 0 && !strstr(address, SCRAPE_FOLDER_DEFAULT))
		set_folder(out, folder);
	return 0;
}

bool scrape_target_has_port(const char *address)
{
	const char *colon = strrchr(address, ':');

	return colon && colon > address && colon[1] && strspn(colon + 1, "0123456789") == strlen(colon + 1) &&
	       strlen(colon + 1) <= 5;
}
