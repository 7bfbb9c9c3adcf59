/*
 * fuzz_configs.c - any parameters of a URL, and any settings file
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The first line of the input is the query of a URL, the rest is a settings file. Stops when parameters or settings
 * change on the way to a URL and back, when a saved config is not offered, or when deleting it leaves another number
 * of configs.
 */
#include "config.h"

#include "fuzz.h"

#include "engine/query.h"
#include "session/config_text.h"
#include "session/url_settings.h"

static void demand(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static struct settings *defaults(void)
{
	struct query q;

	query_init(&q);
	return settings_new(&q);
}

static void check_params(const struct url_params *p)
{
	struct buf first = { 0 }, second = { 0 };
	struct url_params *again = NULL;

	url_params_add_query(p, &first);
	if (url_params_parse(buf_text(&first), first.len, &again, NULL) == 0) {
		demand(again->n == p->n && again->n_ignored == 0, "a query has another number of parameters");
		url_params_add_query(again, &second);
		demand(strcmp(buf_text(&first), buf_text(&second)) == 0, "a query changed");
		url_params_free(again);
	}
	buf_release(&first);
	buf_release(&second);
}

/* Returns the settings of the parameters; NULL if they are invalid. */
static struct settings *check_settings(const struct url_params *p)
{
	struct settings *base = defaults(), *s = defaults(), *result = defaults();
	struct url_params *own = url_params_new();
	struct err err = { 0 };

	if (settings_apply_params(s, p, NULL, &err) < 0) {
		demand(*err.msg, "parameters fail without a message");
		settings_free(s);
		s = NULL;
	} else {
		settings_set_params(s, base, own);
		demand(settings_apply_params(result, own, NULL, &err) == 0, "written parameters are invalid");
		demand(settings_equal(s, result), "settings changed on the way to a URL and back");
	}
	url_params_free(own);
	settings_free(base);
	settings_free(result);
	return s;
}

/* The number of configs; finds a saved one by name if it is not NULL. */
static size_t count(const char *text, size_t n, const struct url_params *p, const char *name, bool *found)
{
	struct config_list l = { 0 };
	size_t n_current = 0, n_items;
	struct err err = { 0 };
	int rc = config_text_list(text, n, p, &l, &err);

	demand(rc == 0 || *err.msg, "a file fails without a message");
	demand(rc == 0 || !name, "a written file is invalid");
	for (size_t i = 0; i < l.n; i++) {
		n_current += l.item[i].is_current;
		if (name && l.item[i].is_saved && strcmp(l.item[i].name, name) == 0)
			*found = true;
	}
	demand(n_current <= 1, "two configs are current");
	n_items = rc == 0 ? l.n : 0;
	config_list_release(&l);
	return n_items;
}

static void check_file(const char *text, size_t n, const struct url_params *p, const struct settings *s)
{
	static const char name[] = "a name that is new";
	struct buf saved = { 0 }, deleted = { 0 };
	size_t before = count(text, n, p, NULL, NULL), with_it, after;
	bool found = false;

	if (before && config_text_save(text, n, name, s, p, &saved, NULL) == 0) {
		with_it = count(saved.data, saved.len, p, name, &found);
		demand(found && (with_it == before || with_it == before + 1), "a saved config is not offered");
		demand(config_text_delete(saved.data, saved.len, name, &deleted, NULL) == 0, "a config stays");
		after = count(deleted.data, deleted.len, p, "", &found);
		demand(after == with_it - 1, "another number of configs remains");
	}
	buf_release(&saved);
	buf_release(&deleted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct bytes b = fuzz_bytes(data, n);
	const char *text = (const char *)b.data, *end = n ? memchr(text, '\n', n) : NULL;
	size_t n_query = end ? (size_t)(end - text) : n, start = end ? n_query + 1 : n;
	struct url_params *p = NULL;
	struct settings *s;
	struct err err = { 0 };

	if (url_params_parse(text, n_query, &p, &err) < 0) {
		demand(*err.msg, "a query fails without a message");
		p = url_params_new();
	}
	check_params(p);
	s = check_settings(p);
	if (!s)
		s = defaults();
	check_file(text + start, n - start, p, s);
	settings_free(s);
	url_params_free(p);
	free(b.data);
	return 0;
}
