/*
 * url_settings.c - settings in the parameters of a URL
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "session/url_settings.h"

#include "base/str.h"
#include "engine/query.h"

#include <string.h>

static const char off_param[] = "off";

const struct query_param *settings_find_param(const char *param)
{
	for (size_t i = 0; i < query_n_params; i++)
		if (strcmp(query_params[i].param, param) == 0)
			return &query_params[i];
	return NULL;
}

const struct opt *settings_param_option(const struct query_param *param)
{
	return opt_find(query_options, query_n_options, param->name, strlen(param->name));
}

static bool url_settings_is_text(const struct query_param *param)
{
	const struct opt *o = settings_param_option(param);

	return o && o->kind == OPT_TEXT;
}

/* normalize only matters while profiles are read. */
static bool is_normalize(const struct query_param *param)
{
	return strcmp(param->name, "normalize") == 0;
}

/* by is another way to write tagroot, so settings have no value for it. */
static bool is_alias(const struct query_param *param)
{
	return strcmp(param->name, "by") == 0;
}

/* Copy the next name of the list off. Returns false at its end, or if the name is too long to be a parameter. */
static bool next_off(const char **list, char name[OPT_NAME_MAX])
{
	size_t n;

	*list += strspn(*list, ",");
	n = strcspn(*list, ",");
	if (n == 0 || n >= OPT_NAME_MAX)
		return false;
	memcpy(name, *list, n);
	name[n] = 0;
	*list += n;
	return true;
}

/* The next value of off, which may repeat, as in a form; *at is a position in the parameters. NULL at the end. */
static const char *next_list(const struct url_params *params, size_t *at)
{
	while (*at < params->n) {
		const struct url_param *item = &params->item[(*at)++];

		if (strcmp(item->key, off_param) == 0)
			return item->value;
	}
	return NULL;
}

bool settings_param_is_off(const struct url_params *params, const char *param)
{
	char name[OPT_NAME_MAX];
	const char *list;

	for (size_t at = 0; (list = next_list(params, &at));)
		while (next_off(&list, name))
			if (strcmp(name, param) == 0)
				return true;
	return false;
}

static int apply_off(struct settings *s, const struct url_params *params, struct err *err)
{
	char name[OPT_NAME_MAX];
	const char *list;

	for (size_t at = 0; (list = next_list(params, &at));) {
		while (next_off(&list, name)) {
			const struct query_param *param = settings_find_param(name);

			if (!param)
				return err_set(err, ERR_USAGE, "off=%s: unknown parameter", name);
			if (!is_normalize(param))
				settings_reset(s, param->name);
		}
		if (*list)
			return err_set(err, ERR_USAGE, "off: a name in the list is too long");
	}
	return 0;
}

static int url_settings_apply(struct settings *s, const struct query_param *param, const char *value,
			      const struct profile *p, struct err *err)
{
	bool ignored;
	int rc = is_normalize(param) ? settings_parse_flag(value, &ignored, err)
				     : settings_assign(s, p, param->name, value, err);

	return rc < 0 && !url_settings_is_text(param) ? err_wrap(err, "error setting config field %s", param->name)
						      : rc;
}

/* Texts come last: pprof reports an invalid expression only after all numbers, flags and choices are valid. */
int settings_apply_params(struct settings *s, const struct url_params *params, const struct profile *p, struct err *err)
{
	int rc = apply_off(s, params, err);

	for (int texts = 0; texts < 2; texts++) {
		for (size_t i = 0; i < query_n_params && rc == 0; i++) {
			const struct query_param *param = &query_params[i];
			const char *value = url_params_get(params, param->param);

			if (*value && url_settings_is_text(param) == (texts > 0))
				rc = url_settings_apply(s, param, value, p, err);
		}
	}
	return rc;
}

void settings_add_param_value(const struct settings *s, const struct query_param *param, struct buf *out)
{
	const struct opt *o = settings_param_option(param);

	if (o) {
		settings_add_value(s, o, out);
		return;
	}
	for (size_t i = 0; i < query_n_choices; i++)
		if (strcmp(query_choices[i].name, param->name) == 0)
			settings_add_choice(s, &query_choices[i], out);
}

/* Was the option given explicitly, if this matters for its default value? */
static bool is_explicit(const struct settings *s, const struct query_param *param)
{
	const struct query *q = settings_query(s);

	return (q->has_nodefraction && strcmp(param->name, "nodefraction") == 0) ||
	       (q->has_granularity && strcmp(param->name, "granularity") == 0);
}

static void url_settings_add_off(struct buf *off, const char *param)
{
	buf_addf(off, "%s%s", off->len ? "," : "", param);
}

static void url_settings_set_param(const struct settings *s, const struct settings *base,
				   const struct query_param *param, struct url_params *params, struct buf *off)
{
	const struct opt *o = settings_param_option(param);
	struct buf value = { 0 }, old = { 0 };
	bool differs;

	settings_add_param_value(s, param, &value);
	settings_add_param_value(base, param, &old);
	differs = strcmp(buf_text(&value), buf_text(&old)) != 0 || is_explicit(s, param) != is_explicit(base, param);
	if (o && o->kind == OPT_BOOL && value.len) {
		value.len = 1; /* t or f */
		value.data[1] = 0;
	}
	url_params_remove(params, param->param);
	if (differs && (value.len == 0 || (is_explicit(base, param) && !is_explicit(s, param))))
		url_settings_add_off(off, param->param);
	else if (differs)
		url_params_set(params, param->param, buf_text(&value));
	buf_release(&value);
	buf_release(&old);
}

void settings_set_params(const struct settings *s, const struct settings *base, struct url_params *params)
{
	struct buf off = { 0 };

	for (size_t i = 0; i < query_n_params; i++) {
		if (is_alias(&query_params[i]))
			url_params_remove(params, query_params[i].param);
		else if (!is_normalize(&query_params[i]))
			url_settings_set_param(s, base, &query_params[i], params, &off);
	}
	if (off.len)
		url_params_set(params, off_param, off.data);
	else
		url_params_remove(params, off_param);
	buf_release(&off);
}

bool settings_param_is_given(const struct settings *s, const struct query_param *param)
{
	const struct opt *o = settings_param_option(param);
	struct buf value = { 0 };
	bool is_given;

	if (!o)
		for (size_t i = 0; i < query_n_choices; i++)
			if (strcmp(query_choices[i].name, param->name) == 0)
				return *(const int *)((const char *)settings_query(s) + query_choices[i].offset) != 0;
	settings_add_param_value(s, param, &value);
	is_given = o && strcmp(buf_text(&value), o->default_text) != 0;
	buf_release(&value);
	return is_given;
}

void settings_switch_off(const struct settings *base, const struct query_param *param, struct url_params *params)
{
	struct buf off = { 0 };
	const char *list;

	url_params_remove(params, param->param);
	if (strcmp(param->name, "tagroot") == 0)
		url_params_remove(params, "by");
	if (!settings_param_is_given(base, param) || settings_param_is_off(params, param->param))
		return;
	for (size_t at = 0; (list = next_list(params, &at));)
		if (*list)
			url_settings_add_off(&off, list);
	url_settings_add_off(&off, param->param);
	url_params_set(params, off_param, off.data);
	buf_release(&off);
}
