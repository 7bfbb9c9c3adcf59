/*
 * profiles.c - open files of folders; close and merge profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/actions/post.h"

#include "base/jsonw.h"
#include "front/web/pages/compare.h"

#include <stdlib.h>
#include <string.h>

static void profiles_set_opened(struct web_post *post, struct open_profile *const *o, size_t n)
{
	struct json j = { .out = &post->json, .is_one_line = true, .has_previous = true, .depth = 1 };

	jsonw_add_text(&j, "id", workspace_id(o[0]));
	jsonw_key(&j, "time_ns");
	jsonw_int(&j, o[0]->p->meta.time_ns);
	if (n == 1) {
		buf_addf(&post->location, "flamegraph?prof=%s", workspace_id(o[0]));
	} else if (n == 2) {
		bool is_reversed = o[0]->p->meta.time_ns > o[1]->p->meta.time_ns && o[1]->p->meta.time_ns;

		buf_addf(&post->location, "diff?base=%s&prof=%s", workspace_id(o[is_reversed]),
			 workspace_id(o[!is_reversed]));
	} else {
		buf_addz(&post->location, "compare");
	}
}

void web_post_show_opened(struct web_post *post, int rc, struct open_profile *const *o, size_t n)
{
	if (rc == 0)
		profiles_set_opened(post, o, n);
	while (n > 0)
		workspace_put(post->web->workspace, o[--n]);
}

int web_post_folder(struct web_post *post, struct err *err)
{
	const struct url_params *form = post->form;
	unsigned long folder = strtoul(url_params_get(form, "folder"), NULL, 10);
	struct open_profile *o[WORKSPACE_PROFILES_MAX];
	size_t n = 0;
	int rc = 0;

	if (folder >= post->web->options.n_folders)
		return err_set(err, ERR_USAGE, "no such folder; folders are given on the command line of cpa -http");
	for (size_t i = 0; rc == 0 && i < form->n && n < WORKSPACE_PROFILES_MAX; i++)
		if (strcmp(form->item[i].key, "file") == 0 &&
		    (rc = web_folder_open(post->web, post->web->options.folder[folder], form->item[i].value, post->stop,
					  &o[n], err)) == 0)
			n++;
	if (rc == 0 && n == 0)
		rc = err_set(err, ERR_USAGE, "choose a file to open");
	web_post_show_opened(post, rc, o, n);
	return rc;
}

int web_post_close(struct web_post *post, struct err *err)
{
	const char *id = url_params_get(post->form, "id");

	if (!workspace_close(post->web->workspace, id))
		return err_set(err, ERR_USAGE, "profile %.20s is not open, or is from the command line", id);
	buf_addz(&post->location, "compare");
	return 0;
}

/* The profiles of the field id, or all if it is absent. */
static size_t list_ids(struct web_post *post, struct open_profile *out[WORKSPACE_PROFILES_MAX])
{
	size_t n = 0;

	if (!*url_params_get(post->form, "id"))
		return workspace_list(post->web->workspace, out);
	for (size_t i = 0; i < post->form->n && n < WORKSPACE_PROFILES_MAX; i++)
		if (strcmp(post->form->item[i].key, "id") == 0 &&
		    (out[n] = workspace_get(post->web->workspace, post->form->item[i].value)))
			n++;
	return n;
}

int web_post_merge(struct web_post *post, struct err *err)
{
	struct workspace *w = post->web->workspace;
	struct open_profile *o[WORKSPACE_PROFILES_MAX], *sum;
	size_t n = list_ids(post, o);
	int rc = n < 2 ? err_set(err, ERR_USAGE, "a merge needs at least two profiles")
		       : workspace_open_sum(w, o, n, post->stop, &sum, err);

	for (size_t i = 0; i < n; i++)
		workspace_put(w, o[i]);
	if (rc < 0)
		return rc;
	buf_addf(&post->location, "flamegraph?prof=%s", workspace_id(sum));
	workspace_put(w, sum);
	return 0;
}
