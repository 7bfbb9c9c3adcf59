/*
 * config_text.c - the text of a settings file of pprof, which contains saved configs
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "session/config_text.h"

#include "base/jansson.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "engine/query.h"
#include "session/url_settings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A parsed text. */
struct document {
	const struct jansson *lib;
	json_t *root; /* NULL: the text is empty */
};

void config_list_release(struct config_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->item[i].name);
		free(l->item[i].query);
	}
	free(l->item);
	*l = (struct config_list){ 0 };
}

static void document_release(struct document *d)
{
	if (d->root)
		d->lib->delete (d->root); /* not json_decref, which would need the library at link time */
}

static json_t *member(const struct document *d, const json_t *object, const char *key)
{
	return json_is_object(object) ? d->lib->object_get(object, key) : NULL;
}

/* The array of configs; NULL if there is none. */
static const json_t *configs_of(const struct document *d)
{
	const json_t *configs = member(d, d->root, "configs");

	return json_is_null(configs) ? NULL : configs;
}

static const char *config_text_name_of(const struct document *d, const json_t *config)
{
	const char *name = d->lib->string_value(member(d, config, "name"));

	return name ? name : "";
}

static size_t n_configs(const struct document *d)
{
	const json_t *configs = configs_of(d);

	return configs ? d->lib->array_size(configs) : 0;
}

static const json_t *config_at(const struct document *d, size_t i)
{
	return d->lib->array_get(configs_of(d), i);
}

static bool is_saved(const struct query_param *param)
{
	return param->kind == PARAM_SAVED || param->kind == PARAM_SAVED_OWN;
}

/* A flag in the file. -normalize has a value in cpa, but not in pprof. */
static bool is_flag(const struct query_param *param)
{
	const struct opt *o = settings_param_option(param);

	return o && (o->kind == OPT_BOOL || o->kind == OPT_MODE);
}

static bool has_right_type(const struct query_param *param, const json_t *value)
{
	const struct opt *o = settings_param_option(param);

	if (!value || json_is_null(value))
		return true;
	if (is_flag(param))
		return json_is_boolean(value);
	if (o && o->kind == OPT_INT)
		return json_is_integer(value);
	return o && o->kind == OPT_REAL ? json_is_number(value) : json_is_string(value);
}

/* Check all fields that cpa reads, so that a text is read completely or not at all, as by pprof. */
static int check_config(const struct document *d, const json_t *config, struct err *err)
{
	const json_t *name = member(d, config, "name");

	if (!json_is_object(config))
		return err_set(err, ERR_FORMAT, "could not parse settings: a config is not an object");
	if (name && !json_is_string(name) && !json_is_null(name))
		return err_set(err, ERR_FORMAT, "could not parse settings: a name is not a string");
	for (size_t i = 0; i < query_n_params; i++)
		if (is_saved(&query_params[i]) &&
		    !has_right_type(&query_params[i], member(d, config, query_params[i].name)))
			return err_set(err, ERR_FORMAT,
				       "could not parse settings: config %.100s: %s has a value of another type",
				       config_text_name_of(d, config), query_params[i].name);
	return 0;
}

static int document_check(const struct document *d, struct err *err)
{
	const json_t *configs = configs_of(d);
	int rc = 0;

	if (!json_is_object(d->root))
		return err_set(err, ERR_FORMAT, "could not parse settings: the file is not a JSON object");
	if (configs && !json_is_array(configs))
		return err_set(err, ERR_FORMAT, "could not parse settings: \"configs\" is not an array");
	for (size_t i = 0; i < n_configs(d) && rc == 0; i++)
		rc = check_config(d, config_at(d, i), err);
	return rc;
}

static int document_parse(const char *text, size_t n, struct document *out, struct err *err)
{
	struct document d = { 0 };
	json_error_t e;
	int rc = jansson_load(&d.lib, err);

	if (rc == 0 && n) {
		d.root = d.lib->loadb(text, n, 0, &e);
		rc = d.root ? document_check(&d, err)
			    : err_set(err, ERR_FORMAT, "could not parse settings: line %d: %s", e.line, e.text);
	}
	if (rc < 0)
		document_release(&d);
	else
		*out = d;
	return rc;
}

/* Append a saved value as it is written in URLs: true, 10, 0.005. */
static void add_saved_value(const struct document *d, const struct query_param *param, const json_t *value,
			    struct buf *out)
{
	struct json j = { .out = out, .is_one_line = true };
	const struct opt *o = settings_param_option(param);

	if (is_flag(param))
		buf_addz(out, json_is_true(value) ? "true" : "false");
	else if (value && json_is_integer(value))
		buf_addf(out, "%" JSON_INTEGER_FORMAT, d->lib->integer_value(value));
	else if (value && json_is_real(value))
		jsonw_number(&j, d->lib->real_value(value));
	else if (value && json_is_string(value))
		buf_addz(out, d->lib->string_value(value));
	else if (o && (o->kind == OPT_INT || o->kind == OPT_REAL))
		buf_addz(out, "0");
}

/* The value that a URL omits. The default of granularity depends on the view, so no value is omitted. */
static const char *default_value(const struct query_param *param)
{
	const struct opt *o = settings_param_option(param);

	if (is_flag(param))
		return *o->default_text ? o->default_text : "false";
	return o ? o->default_text : strcmp(param->name, "sort") == 0 ? "flat" : "";
}

/* Set a parameter to a value of a config, or remove it. Returns whether this changed it. */
static bool config_text_set_param(struct url_params *params, const char *param, const char *value)
{
	if (strcmp(url_params_get(params, param), value) == 0)
		return false;
	if (*value)
		url_params_set(params, param, value);
	else
		url_params_remove(params, param);
	return true;
}

/* Set the parameters of a config; NULL: of the default options. Returns whether this changed any. */
static bool set_params(const struct document *d, const json_t *config, struct url_params *params)
{
	bool changed = config_text_set_param(params, "off", "");

	for (size_t i = 0; i < query_n_params; i++) {
		const struct query_param *param = &query_params[i];
		struct buf value = { 0 };

		if (strcmp(param->name, "by") == 0) /* another way to write tagroot */
			changed |= config_text_set_param(params, param->param, "");
		if (!is_saved(param))
			continue;
		if (config)
			add_saved_value(d, param, member(d, config, param->name), &value);
		if (!config || strcmp(buf_text(&value), default_value(param)) == 0)
			changed |= config_text_set_param(params, param->param, "");
		else if (is_flag(param))
			changed |= config_text_set_param(params, param->param, *value.data == 't' ? "t" : "f");
		else
			changed |= config_text_set_param(params, param->param, buf_text(&value));
		buf_release(&value);
	}
	return changed;
}

/* Append an entry. Returns whether the request has its parameters. */
static bool config_text_add_entry(const struct document *d, const json_t *config, const struct url_params *params,
				  struct config_list *out)
{
	struct url_params *own = url_params_copy(params);
	bool changed = set_params(d, config, own);
	const char *name = config ? config_text_name_of(d, config) : "Default";
	struct buf query = { 0 };

	url_params_add_query(own, &query);
	out->item = mem_grow(out->item, &out->cap, out->n + 1, sizeof(*out->item));
	out->item[out->n++] = (struct config_entry){ .name = mem_strndup(name, strlen(name)),
						     .query = mem_strndup(buf_text(&query), query.len),
						     .is_saved = config != NULL };
	buf_release(&query);
	url_params_free(own);
	return !changed;
}

int config_text_list(const char *text, size_t n, const struct url_params *params, struct config_list *out,
		     struct err *err)
{
	struct document d = { 0 };
	size_t current = config_text_add_entry(&d, NULL, params, out) ? out->n - 1 : SIZE_MAX;
	int rc = document_parse(text, n, &d, err);

	for (size_t i = 0; rc == 0 && i < n_configs(&d); i++)
		if (config_text_add_entry(&d, config_at(&d, i), params, out))
			current = out->n - 1;
	if (current != SIZE_MAX)
		out->item[current].is_current = true;
	if (rc == 0)
		document_release(&d);
	return rc;
}

static void config_text_write_value(const struct document *d, const json_t *value, struct json *j);

/* Write the members of an object. skip: does not write members for which this is true; may be NULL. */
static void write_members(const struct document *d, const json_t *object, bool (*skip)(const char *key), struct json *j)
{
	json_t *o = (json_t *)object; /* iterators of libjansson can also change the object */

	for (void *at = d->lib->object_iter(o); at; at = d->lib->object_iter_next(o, at)) {
		const char *key = d->lib->object_iter_key(at);

		if (skip && skip(key))
			continue;
		jsonw_key(j, key);
		config_text_write_value(d, d->lib->object_iter_value(at), j);
	}
}

static void config_text_write_value(const struct document *d, const json_t *value, struct json *j)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		jsonw_open(j, '{');
		write_members(d, value, NULL, j);
		jsonw_close(j, '}');
		break;
	case JSON_ARRAY:
		jsonw_open(j, '[');
		for (size_t i = 0; i < d->lib->array_size(value); i++)
			config_text_write_value(d, d->lib->array_get(value, i), j);
		jsonw_close(j, ']');
		break;
	case JSON_STRING:
		jsonw_text(j, d->lib->string_value(value), d->lib->string_length(value));
		break;
	case JSON_INTEGER:
		jsonw_int(j, d->lib->integer_value(value));
		break;
	case JSON_REAL:
		jsonw_number(j, d->lib->real_value(value));
		break;
	case JSON_NULL:
		jsonw_raw(j, "null", strlen("null"));
		break;
	default:
		jsonw_bool(j, json_is_true(value));
	}
}

/* Is this a member of a config that cpa writes? */
static bool config_text_is_known(const char *key)
{
	if (strcmp(key, "name") == 0)
		return true;
	for (size_t i = 0; i < query_n_params; i++)
		if (is_saved(&query_params[i]) && strcmp(query_params[i].name, key) == 0)
			return true;
	return false;
}

/* The value of an option as it is saved. normalize comes from the request, else from the command line. */
static void config_text_add_value(const struct settings *s, const struct url_params *params,
				  const struct query_param *param, struct buf *out)
{
	const struct query *q = settings_query(s);
	bool is_set;

	if (strcmp(param->name, "normalize") == 0) {
		const char *value = url_params_get(params, param->param);

		if (!*value || settings_parse_flag(value, &is_set, NULL) < 0)
			is_set = *q->normalize != '\0';
		buf_addz(out, is_set ? "true" : "false");
	} else if (strcmp(param->name, "granularity") != 0 || q->has_granularity || q->granularity) {
		settings_add_param_value(s, param, out);
	}
}

/* Write an option unless it is zero, false or empty. */
static void write_option(const struct query_param *param, const char *value, struct json *j)
{
	const struct opt *o = settings_param_option(param);
	bool is_number = o && (o->kind == OPT_INT || o->kind == OPT_REAL);

	if (is_flag(param)) {
		if (strcmp(value, "true") != 0)
			return;
		jsonw_key(j, param->name);
		jsonw_bool(j, true);
	} else if (is_number) {
		double number = strtod(value, NULL);

		if (number == 0)
			return;
		jsonw_key(j, param->name);
		if (o->kind == OPT_INT)
			jsonw_int(j, strtoll(value, NULL, 10));
		else
			jsonw_number(j, number);
	} else if (*value) {
		jsonw_add_text(j, param->name, value);
	}
}

/* A change of one config. */
struct edit {
	const char *name;
	const struct settings *s; /* NULL: the config is deleted */
	const struct url_params *params;
};

/* Write the config of an edit. old: the config that it replaces, whose unknown members are kept; may be NULL. */
static void write_new(const struct document *d, const struct edit *e, const json_t *old, struct json *j)
{
	jsonw_open(j, '{');
	jsonw_add_text(j, "name", e->name);
	for (size_t i = 0; i < query_n_params; i++) {
		struct buf value = { 0 };

		if (!is_saved(&query_params[i]))
			continue;
		config_text_add_value(e->s, e->params, &query_params[i], &value);
		write_option(&query_params[i], buf_text(&value), j);
		buf_release(&value);
	}
	if (old)
		write_members(d, old, config_text_is_known, j);
	jsonw_close(j, '}');
}

/* Write the array of configs. Returns whether the config of the edit was found. */
static bool write_configs(const struct document *d, const struct edit *e, struct json *j)
{
	bool found = false;

	jsonw_open(j, '[');
	for (size_t i = 0; i < n_configs(d); i++) {
		const json_t *config = config_at(d, i);
		bool is_it = !found && strcmp(config_text_name_of(d, config), e->name) == 0;

		found |= is_it;
		if (!is_it)
			config_text_write_value(d, config, j);
		else if (e->s)
			write_new(d, e, config, j);
	}
	if (!found && e->s)
		write_new(d, e, NULL, j);
	jsonw_close(j, ']');
	return found;
}

static bool is_configs(const char *key)
{
	return strcmp(key, "configs") == 0;
}

static int edit_text(const char *text, size_t n, const struct edit *e, struct buf *out, struct err *err)
{
	struct document d;
	struct buf result = { 0 };
	struct json j = { .out = &result };
	bool found;
	int rc = document_parse(text, n, &d, err);

	if (rc < 0)
		return rc;
	jsonw_open(&j, '{');
	jsonw_key(&j, "configs");
	found = write_configs(&d, e, &j);
	if (d.root)
		write_members(&d, d.root, is_configs, &j);
	jsonw_close(&j, '}');
	if (!found && !e->s)
		rc = err_set(err, ERR_USAGE, "config %s not found", e->name);
	else
		buf_add(out, buf_text(&result), result.len);
	document_release(&d);
	buf_release(&result);
	return rc;
}

int config_text_save(const char *text, size_t n, const char *name, const struct settings *s,
		     const struct url_params *params, struct buf *out, struct err *err)
{
	const struct edit e = { name, s, params };

	if (!*name)
		return err_set(err, ERR_USAGE, "invalid config name");
	if (strlen(name) > CONFIG_NAME_MAX)
		return err_set(err, ERR_USAGE, "invalid config name: longer than %d bytes", CONFIG_NAME_MAX);
	return edit_text(text, n, &e, out, err);
}

int config_text_delete(const char *text, size_t n, const char *name, struct buf *out, struct err *err)
{
	const struct edit e = { .name = name };

	return edit_text(text, n, &e, out, err);
}
