/*
 * find.c - look up targets: arguments, files of lines, and Prometheus' file_sd
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "scrape/find_int.h"

#include "base/io.h"
#include "base/jansson.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/words.h"
#include "scrape/config_int.h"
#include "scrape/pods.h"

#include <stdlib.h>
#include <string.h>

void scrape_list_release(struct scrape_list *l)
{
	arena_free(l->mem);
	free(l->found);
	*l = (struct scrape_list){ 0 };
}

static const char *find_copy(struct arena *mem, const char *text)
{
	return text && *text ? arena_strndup(mem, text, strlen(text)) : "";
}

void scrape_list_add(struct scrape_list *l, const struct scrape_found *f)
{
	struct store_label *label;

	if (!l->mem)
		l->mem = arena_new();
	label = arena_alloc(l->mem, f->n_labels + 1, sizeof(*label));
	for (size_t i = 0; i < f->n_labels; i++) {
		label[i].name = arena_strndup(l->mem, f->label[i].name, strlen(f->label[i].name));
		label[i].value = arena_strndup(l->mem, f->label[i].value, strlen(f->label[i].value));
	}
	l->found = mem_grow(l->found, &l->cap, l->n + 1, sizeof(*l->found));
	l->found[l->n++] = (struct scrape_found){ .job = f->job,
						  .address = find_copy(l->mem, f->address),
						  .label = label,
						  .n_labels = f->n_labels,
						  .service = find_copy(l->mem, f->service),
						  .kinds = find_copy(l->mem, f->kinds) };
}

/* Does a text begin like a JSON array of objects? An IPv6 address begins with a bracket too. */
static bool is_json(const char *text, size_t n)
{
	static const char blanks[] = " \t\r\n";
	size_t at = 0;

	while (at < n && strchr(blanks, text[at]))
		at++;
	if (at == n || text[at] != '[')
		return false;
	for (at++; at < n && strchr(blanks, text[at]);)
		at++;
	return at < n && (text[at] == '{' || text[at] == ']');
}

static int scrape_find_too_many(const char *name, struct err *err)
{
	return err_set(err, ERR_USAGE, "%s: more than %d targets", name, SCRAPE_TARGETS_MAX);
}

static int scrape_find_read_lines(const char *text, size_t n, const char *name, const struct scrape_found *like,
				  struct scrape_list *out, struct err *err)
{
	struct arena *mem = arena_new();
	struct words_reader r;
	int rc;

	words_start(&r, text, n, name, mem);
	while ((rc = words_next(&r, err)) > 0) {
		const struct words *w = &r.line;

		rc = 0;
		for (size_t i = 0; rc == 0 && i < w->n;) {
			struct scrape_found f = *like;

			f.address = w->word[i];
			if (scrape_config_is_label(f.address))
				rc = words_error(w, err, "the label %s must follow a target", f.address);
			for (i++; rc == 0 && i < w->n && scrape_config_is_label(w->word[i]); i++)
				rc = scrape_config_add_label(mem, &f.label, &f.n_labels, w->word[i], w, err);
			if (rc == 0 && out->n == SCRAPE_TARGETS_MAX)
				rc = scrape_find_too_many(name, err);
			if (rc == 0)
				scrape_list_add(out, &f);
		}
		if (rc < 0)
			break;
	}
	words_release(&r);
	arena_free(mem);
	return rc;
}

/* --- file_sd: [{"targets": ["HOST:PORT", ...], "labels": {"NAME": "VALUE", ...}}, ...] --- */

struct sd {
	const struct jansson *lib;
	const char *name; /* of the file */
	struct arena *mem;
	const struct scrape_found *like;
};

static int sd_error(const struct sd *d, size_t group, const char *problem, struct err *err)
{
	return err_set(err, ERR_USAGE, "%s: group %zu: %s", d->name, group + 1, problem);
}

/* Read the labels of a group. Names that begin with __ are for Prometheus; service and kind are those of the series. */
static int scrape_find_read_labels(const struct sd *d, size_t group, json_t *labels, struct scrape_found *f,
				   const char **scheme, struct err *err)
{
	const struct words w = { .file = d->name };
	int rc = 0;

	for (void *at = d->lib->object_iter(labels); rc == 0 && at; at = d->lib->object_iter_next(labels, at)) {
		const char *key = d->lib->object_iter_key(at), *value;
		struct buf word = { 0 };

		if (!json_is_string(d->lib->object_iter_value(at)))
			return sd_error(d, group, "the value of a label is not a text", err);
		value = d->lib->string_value(d->lib->object_iter_value(at));
		if (strcmp(key, "__scheme__") == 0)
			*scheme = value;
		if (starts_with(key, "__") || strcmp(key, "service") == 0 || strcmp(key, "kind") == 0 || !*value)
			continue;
		buf_addf(&word, "%s=%s", key, value);
		if (scrape_config_is_label(buf_text(&word)) && strchr(buf_text(&word), '=') == word.data + strlen(key))
			rc = scrape_config_add_label(d->mem, &f->label, &f->n_labels, buf_text(&word), &w, err);
		else
			rc = sd_error(d, group, "the name of a label is invalid", err);
		buf_release(&word);
	}
	return rc;
}

static int scrape_find_read_group(const struct sd *d, size_t group, const json_t *value, struct scrape_list *out,
				  struct err *err)
{
	const json_t *targets = json_is_object(value) ? d->lib->object_get(value, "targets") : NULL;
	json_t *labels = json_is_object(value) ? d->lib->object_get(value, "labels") : NULL;
	struct scrape_found f = *d->like;
	const char *scheme = "";

	if (!json_is_array(targets))
		return sd_error(d, group, "there is no array \"targets\"", err);
	if (labels && !json_is_object(labels))
		return sd_error(d, group, "\"labels\" is not an object", err);
	if (labels && scrape_find_read_labels(d, group, labels, &f, &scheme, err) < 0)
		return ERR_USAGE;
	for (size_t i = 0; i < d->lib->array_size(targets); i++) {
		const json_t *target = d->lib->array_get(targets, i);
		struct buf address = { 0 };

		if (!json_is_string(target))
			return sd_error(d, group, "a target is not a text", err);
		if (out->n == SCRAPE_TARGETS_MAX)
			return scrape_find_too_many(d->name, err);
		if (*scheme && !strstr(d->lib->string_value(target), "://"))
			buf_addf(&address, "%s://", scheme);
		buf_addz(&address, d->lib->string_value(target));
		f.address = buf_text(&address);
		scrape_list_add(out, &f);
		buf_release(&address);
	}
	return 0;
}

static int read_json(const char *text, size_t n, const char *name, const struct scrape_found *like,
		     struct scrape_list *out, struct err *err)
{
	struct sd d = { .name = name, .like = like };
	json_error_t reason;
	json_t *root;
	int rc = jansson_load(&d.lib, err);

	if (rc < 0)
		return err_wrap(err, "%s", name);
	root = d.lib->loadb(text, n, 0, &reason);
	if (!root)
		return err_set(err, ERR_USAGE, "%s:%d: %s", name, reason.line, reason.text);
	d.mem = arena_new();
	for (size_t i = 0; rc == 0 && i < d.lib->array_size(root); i++)
		rc = scrape_find_read_group(&d, i, d.lib->array_get(root, i), out, err);
	arena_free(d.mem);
	d.lib->delete (root);
	return rc;
}

int scrape_find_in_text(const char *text, size_t n, const char *name, const struct scrape_found *like,
			struct scrape_list *out, struct err *err)
{
	return is_json(text, n) ? read_json(text, n, name, like, out, err)
				: scrape_find_read_lines(text, n, name, like, out, err);
}

static int find_in_file(const char *path, const struct scrape_found *like, struct scrape_list *out, struct err *err)
{
	struct bytes bytes = { 0 };
	int rc = io_read_file(path, SCRAPE_FILE_MAX, NULL, &bytes, err);

	if (rc < 0)
		return err_wrap(err, "%s", path);
	rc = scrape_find_in_text((const char *)bytes.data, bytes.n, path, like, out, err);
	free(bytes.data);
	return rc;
}

static int find_static(const char *address, const struct scrape_found *like, struct scrape_list *out, struct err *err)
{
	(void)address;
	(void)err;
	scrape_list_add(out, like);
	return 0;
}

enum { FILE_SECONDS = 5, NAME_SECONDS = 30 };

const struct scrape_source_kind scrape_source_kinds[N_SCRAPE_SOURCE_TYPES] = {
	[SCRAPE_STATIC] = { NULL, 0, false, find_static },
	[SCRAPE_FILE] = { "file=", FILE_SECONDS, false, find_in_file },
	[SCRAPE_DNS] = { "dns=", NAME_SECONDS, true, scrape_find_addresses },
	[SCRAPE_SRV] = { "srv=", NAME_SECONDS, true, scrape_find_srv },
	[SCRAPE_PODS] = { "kubernetes", 0, true, NULL },
};

int scrape_find_source(uint32_t job, const struct scrape_source *s, struct scrape_list *out, struct buf *notes,
		       struct err *err)
{
	struct scrape_found like = { .job = job, .address = s->address, .label = s->label, .n_labels = s->n_labels };
	struct scrape_list found = { 0 };
	int rc = s->pods ? scrape_pods_find(job, s, &found, notes, err)
			 : scrape_source_kinds[s->type].find(s->address, &like, &found, err);

	for (size_t i = 0; rc == 0 && i < found.n; i++)
		scrape_list_add(out, &found.found[i]);
	scrape_list_release(&found);
	return rc;
}

size_t scrape_find(const struct scrape_config *c, struct scrape_list *out, struct buf *notes)
{
	size_t n_failed = 0;

	for (uint32_t j = 0; j < c->n_jobs; j++) {
		for (size_t i = 0; i < c->job[j].n_sources; i++) {
			struct err err;

			if (scrape_find_source(j, &c->job[j].source[i], out, notes, &err) == 0)
				continue;
			buf_addf(notes, "%s\n", err.msg);
			n_failed++;
		}
	}
	return n_failed;
}
