/*
 * save.c - save and delete configs
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The forms of the Config menu send the query of their page as a field. pprof's requests have the options in their own
 * query.
 */
#include "config.h"

#include "front/web/actions/post.h"

#include "session/configs.h"
#include "session/url_settings.h"

#include <string.h>

static int check_path(const struct web *w, struct err *err)
{
	return w->options.settings_path
		       ? 0
		       : err_set(err, ERR_IO, "there is no folder for saved configs; set HOME or XDG_CONFIG_HOME");
}

/* Save the options of the command line, changed by parameters. */
static int web_save_save(struct web *w, const char *name, const struct url_params *params, struct err *err)
{
	struct settings *s = settings_copy(w->settings);
	int rc = check_path(w, err);

	if (rc == 0)
		rc = settings_apply_params(s, params, NULL, err);
	if (rc == 0)
		rc = configs_save(w->options.settings_path, name, s, params, err);
	settings_free(s);
	return rc;
}

static int delete (struct web *w, const char *name, struct err *err)
{
	int rc = check_path(w, err);

	return rc < 0 ? rc : configs_delete(w->options.settings_path, name, err);
}

/* The page of the form is shown next. */
static int set_location(struct web_post *post, struct err *err)
{
	const char *view = url_params_get(post->form, "view"), *query = url_params_get(post->form, "query");
	struct url_params *params;
	int rc = url_params_parse(query, strlen(query), &params, err);

	if (rc < 0)
		return rc;
	buf_addz(&post->location, web_view_find(post->web, view, strlen(view)) ? view : "flamegraph");
	if (params->n)
		buf_addz(&post->location, "?");
	url_params_add_query(params, &post->location);
	url_params_free(params);
	return 0;
}

int web_post_save(struct web_post *post, struct err *err)
{
	const char *query = url_params_get(post->form, "query");
	struct url_params *params;
	int rc = url_params_parse(query, strlen(query), &params, err);

	if (rc < 0)
		return rc;
	rc = web_save_save(post->web, url_params_get(post->form, "config"), params, err);
	url_params_free(params);
	return rc < 0 ? rc : set_location(post, err);
}

int web_post_delete(struct web_post *post, struct err *err)
{
	int rc = delete (post->web, url_params_get(post->form, "config"), err);

	return rc < 0 ? rc : set_location(post, err);
}

void web_post_answer_config(struct web *w, bool is_save, const struct http_request *request, struct http_response *out)
{
	struct url_params *params = NULL, *form = NULL;
	struct err err;
	int rc = url_params_parse(request->body, request->n_body, &form, &err);

	if (rc == 0 && !web_post_check(w, request, is_save ? NULL : "DELETE", form, out)) {
		url_params_free(form);
		return;
	}
	if (rc == 0)
		rc = url_params_parse(request->query, strlen(request->query), &params, &err);
	if (rc == 0)
		rc = is_save ? web_save_save(w, url_params_get(params, "config"), params, &err)
			     : delete (w, url_params_get(params, "config"), &err);
	if (rc < 0)
		web_refuse(w, request, web_status(&err), err.msg, out);
	else
		out->status = 200;
	url_params_free(params);
	url_params_free(form);
}
