/*
 * pods.c - the pods of a list or an event of Kubernetes' API, and the set of those that are targets
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The set has only pods that are targets, or whose annotations cannot be used, each in one block: of a cluster with 100,000 pods
 * most are neither.
 */
#include "config.h"

#include "scrape/pods.h"

#include "base/jansson.h"
#include "base/mem.h"
#include "scrape/find_int.h"
#include "scrape/pods_int.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { GONE = 410, NAME_MAX_BYTES = 255, KEY_MAX = 2 * NAME_MAX_BYTES + 2, NOTES_SHOWN = 10, NOTE_MAX = 500 };

struct scrape_pod {
	char *key;                  /* "prod/shop-1" */
	struct scrape_found *found; /* [n], with their strings in one block */
	size_t n;
	char *note; /* NULL: none */
};

static void pods_release_pod(struct scrape_pod *p)
{
	free(p->key);
	free(p->found);
	free(p->note);
}

void scrape_pods_set_release(struct scrape_pods_set *s)
{
	for (size_t i = 0; i < s->n; i++)
		pods_release_pod(&s->pod[i]);
	free(s->pod);
	free(s->version);
	free(s->next_page);
	*s = (struct scrape_pods_set){ .source = s->source };
}

/* ---- a pod of the set ---- */

static char *pods_put(char **at, const char *text)
{
	size_t n = strlen(text) + 1;
	char *to = memcpy(*at, text, n);

	*at += n;
	return to;
}

/* Copy the targets of a list into one block. */
static struct scrape_found *pods_pack(const struct scrape_list *l)
{
	size_t room = l->n * sizeof(struct scrape_found), n_labels = 0;
	struct scrape_found *found;
	struct store_label *label;
	char *at;

	for (size_t i = 0; i < l->n; i++) {
		const struct scrape_found *f = &l->found[i];

		room += strlen(f->address) + strlen(f->service) + strlen(f->kinds) + 3;
		room += f->n_labels * sizeof(struct store_label);
		n_labels += f->n_labels;
		for (size_t k = 0; k < f->n_labels; k++)
			room += strlen(f->label[k].name) + strlen(f->label[k].value) + 2;
	}
	found = mem_alloc(room + 1, 1);
	label = (struct store_label *)(found + l->n);
	at = (char *)(label + n_labels);
	for (size_t i = 0; i < l->n; i++) {
		const struct scrape_found *f = &l->found[i];

		found[i] = (struct scrape_found){ .label = label, .n_labels = f->n_labels };
		found[i].address = pods_put(&at, f->address);
		found[i].service = pods_put(&at, f->service);
		found[i].kinds = pods_put(&at, f->kinds);
		for (size_t k = 0; k < f->n_labels; k++, label++) {
			label->name = pods_put(&at, f->label[k].name);
			label->value = pods_put(&at, f->label[k].value);
		}
	}
	return found;
}

static int pods_compare(const void *a, const void *b)
{
	return strcmp(((const struct scrape_pod *)a)->key, ((const struct scrape_pod *)b)->key);
}

/* The index of the first pod that is not before this one. */
static size_t pods_find(const struct scrape_pods_set *s, const char *key)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(s->pod[mid].key, key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Remove the pod at an index. */
static void pods_remove(struct scrape_pods_set *s, size_t at)
{
	s->n_targets -= s->pod[at].n;
	pods_release_pod(&s->pod[at]);
	memmove(s->pod + at, s->pod + at + 1, (--s->n - at) * sizeof(*s->pod));
}

/* Insert a pod at an index, unless it has neither targets nor a note. Fails with ERR_LIMIT. */
static int pods_insert(struct scrape_pods_set *s, size_t at, const char *key, const struct scrape_list *targets,
		       const struct buf *note, struct err *err)
{
	size_t n_note = note->len < NOTE_MAX ? note->len : NOTE_MAX;

	if (targets->n == 0 && note->len == 0)
		return 0;
	if (s->n_targets + targets->n > SCRAPE_TARGETS_MAX || s->n == SCRAPE_TARGETS_MAX)
		return err_set(err, ERR_LIMIT, "more than %d targets", SCRAPE_TARGETS_MAX);
	s->pod = mem_grow(s->pod, &s->cap, s->n + 1, sizeof(*s->pod));
	memmove(s->pod + at + 1, s->pod + at, (s->n++ - at) * sizeof(*s->pod));
	s->pod[at] = (struct scrape_pod){ .key = mem_strndup(key, strlen(key)),
					  .found = pods_pack(targets),
					  .n = targets->n,
					  .note = note->len ? mem_strndup(note->data, n_note) : NULL };
	s->n_targets += targets->n;
	return 0;
}

/* ---- JSON ---- */

/* Parse an object, with any strings in it. Fails with ERR_FORMAT, ERR_IO. */
static int pods_parse(const char *text, size_t n, const struct jansson **lib, json_t **out, struct err *err)
{
	json_error_t reason;
	int rc = jansson_load(lib, err);

	if (rc < 0)
		return rc;
	*out = (*lib)->loadb(text, n, JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, &reason);
	if (!*out)
		return err_set(err, ERR_FORMAT, "the response is not JSON: %s", reason.text);
	if (json_is_object(*out))
		return 0;
	(*lib)->delete (*out);
	return err_set(err, ERR_FORMAT, "the response is not an object");
}

const json_t *scrape_pods_member(const struct jansson *lib, const json_t *of, const char *name)
{
	return json_is_object(of) ? lib->object_get(of, name) : NULL;
}

const char *scrape_pods_text(const struct jansson *lib, const json_t *value)
{
	const char *text = json_is_string(value) ? lib->string_value(value) : NULL;

	if (!text || lib->string_length(value) != strlen(text))
		return NULL;
	for (const char *at = text; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			return NULL;
	return text;
}

static const char *pods_member_text(const struct jansson *lib, const json_t *of, const char *name)
{
	const char *text = scrape_pods_text(lib, scrape_pods_member(lib, of, name));

	return text ? text : "";
}

/* Replace a string; "" becomes NULL. */
static void pods_set_text(char **to, const char *text)
{
	free(*to);
	*to = *text ? mem_strndup(text, strlen(text)) : NULL;
}

/* Read the name of a pod, "NAMESPACE/NAME", into key, [KEY_MAX]. */
static int pods_read_key(const struct jansson *lib, const json_t *pod, char *key, struct err *err)
{
	const json_t *meta = scrape_pods_member(lib, pod, "metadata");
	const char *namespace = pods_member_text(lib, meta, "namespace"), *name = pods_member_text(lib, meta, "name");

	if (!*namespace || !*name || strlen(namespace) > NAME_MAX_BYTES || strlen(name) > NAME_MAX_BYTES)
		return err_set(err, ERR_FORMAT, "a pod has no name");
	snprintf(key, KEY_MAX, "%.255s/%.255s", namespace, name);
	return 0;
}

/* Add a pod with what its annotations say: at the end of an unsorted set, or in place of the pod as it was. */
static int pods_add_pod(struct scrape_pods_set *s, const struct jansson *lib, const json_t *pod, bool at_end,
			bool *changed, struct err *err)
{
	struct scrape_list targets = { 0 };
	struct buf note = { 0 };
	char key[KEY_MAX];
	size_t at = s->n;
	int rc = pods_read_key(lib, pod, key, err);

	if (rc < 0)
		return rc;
	scrape_pods_read_pod(lib, pod, s->source, &targets, &note);
	if (!at_end) {
		at = pods_find(s, key);
		if (at < s->n && strcmp(s->pod[at].key, key) == 0) {
			pods_remove(s, at);
			*changed = true;
		}
		*changed |= targets.n > 0 || note.len > 0;
	}
	rc = pods_insert(s, at, key, &targets, &note, err);
	scrape_list_release(&targets);
	buf_release(&note);
	return rc;
}

/* Sort a complete list. A pod that is listed twice is kept once. */
static void pods_sort(struct scrape_pods_set *s)
{
	if (s->n)
		qsort(s->pod, s->n, sizeof(*s->pod), pods_compare);
	for (size_t i = 1; i < s->n;)
		if (strcmp(s->pod[i - 1].key, s->pod[i].key) == 0)
			pods_remove(s, i);
		else
			i++;
}

int scrape_pods_add_page(struct scrape_pods_set *s, const char *text, size_t n, struct err *err)
{
	const struct jansson *lib;
	const json_t *items, *meta;
	const char *version;
	json_t *root;
	int rc = pods_parse(text, n, &lib, &root, err);

	if (rc < 0)
		return rc;
	items = scrape_pods_member(lib, root, "items");
	meta = scrape_pods_member(lib, root, "metadata");
	version = pods_member_text(lib, meta, "resourceVersion");
	/* Go writes null for a list without items */
	if (!*version || !(json_is_array(items) || json_is_null(items)))
		rc = err_set(err, ERR_FORMAT, "the response is not a list of pods");
	for (size_t i = 0; rc == 0 && json_is_array(items) && i < lib->array_size(items); i++)
		rc = pods_add_pod(s, lib, lib->array_get(items, i), true, NULL, err);
	if (rc == 0) {
		pods_set_text(&s->version, version);
		pods_set_text(&s->next_page, pods_member_text(lib, meta, "continue"));
		if (!s->next_page)
			pods_sort(s);
	}
	lib->delete (root);
	return rc;
}

/* Read a Status. Returns its code, 0 without one. */
static long pods_read_code(const struct jansson *lib, const json_t *status, struct buf *message)
{
	const json_t *code = scrape_pods_member(lib, status, "code");

	if (strcmp(pods_member_text(lib, status, "kind"), "Status") != 0)
		return 0;
	buf_addf(message, "%.300s", pods_member_text(lib, status, "message"));
	return json_is_real(code) && lib->real_value(code) > 0 && lib->real_value(code) < 1000
		       ? (long)lib->real_value(code)
		       : 0;
}

long scrape_pods_read_status(const char *text, size_t n, struct buf *message)
{
	const struct jansson *lib;
	json_t *root;
	struct err err;
	long code;

	if (pods_parse(text, n, &lib, &root, &err) < 0)
		return 0;
	code = pods_read_code(lib, root, message);
	lib->delete (root);
	return code;
}

/* An event of type ERROR. */
static int pods_read_failure(const struct jansson *lib, const json_t *status, struct err *err)
{
	struct buf message = { 0 };
	long code = pods_read_code(lib, status, &message);

	err_set(err, code == GONE ? ERR_RANGE : ERR_IO, "the server ended the watch: %ld %s", code, buf_text(&message));
	buf_release(&message);
	return err->code;
}

int scrape_pods_add_event(struct scrape_pods_set *s, const char *text, size_t n, bool *changed, struct err *err)
{
	const struct jansson *lib;
	const char *type, *version;
	const json_t *pod;
	char key[KEY_MAX];
	json_t *root;
	size_t at;
	int rc = pods_parse(text, n, &lib, &root, err);

	if (rc < 0)
		return rc;
	type = pods_member_text(lib, root, "type");
	pod = scrape_pods_member(lib, root, "object");
	version = pods_member_text(lib, scrape_pods_member(lib, pod, "metadata"), "resourceVersion");
	if (strcmp(type, "ERROR") == 0)
		rc = pods_read_failure(lib, pod, err);
	else if (!*version)
		rc = err_set(err, ERR_FORMAT, "an event has no version");
	else if (strcmp(type, "ADDED") == 0 || strcmp(type, "MODIFIED") == 0)
		rc = pods_add_pod(s, lib, pod, false, changed, err);
	else if (strcmp(type, "DELETED") == 0 && (rc = pods_read_key(lib, pod, key, err)) == 0) {
		at = pods_find(s, key);
		if (at < s->n && strcmp(s->pod[at].key, key) == 0) {
			pods_remove(s, at);
			*changed = true;
		}
	}
	if (rc == 0) /* a BOOKMARK has nothing else; other types are of newer servers */
		pods_set_text(&s->version, version);
	lib->delete (root);
	return rc;
}

void scrape_pods_add_targets(const struct scrape_pods_set *s, uint32_t job, struct scrape_list *out, struct buf *notes)
{
	size_t n_notes = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct scrape_pod *p = &s->pod[i];

		for (size_t k = 0; k < p->n; k++) {
			struct scrape_found f = p->found[k];

			f.job = job;
			scrape_list_add(out, &f);
		}
		if (p->note && n_notes++ < NOTES_SHOWN)
			buf_addf(notes, "pod %s: %s\n", p->key, p->note);
	}
	if (n_notes > NOTES_SHOWN)
		buf_addf(notes, "%s: and %zu more pods with annotations that cannot be used\n", s->source->address,
			 n_notes - NOTES_SHOWN);
}
