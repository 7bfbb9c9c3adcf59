/*
 * store.c - open windows of the store
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/actions/post.h"

#include "sources/load.h"
#include "front/web/pages/store.h"

#include <string.h>

static int open_window(struct web_post *post, const struct web_choice *c, const struct web_window *w,
		       struct open_profile **out, struct err *err)
{
	struct stored_choice choice = web_choice_window(c, w);
	struct buf source = { 0 };
	const char *word;
	struct load_request request = { .q = post->web->options.q, .word = &word, .n_words = 1, .stop = post->stop };
	struct load_result l = { 0 };
	int rc;

	stored_choice_print(&c->place, &choice, &source);
	word = buf_text(&source);
	rc = sources_load(&request, &l, err);
	if (rc == 0 && !l.profile)
		rc = err_set(err, ERR_IO, "%.300s: no profile could be read", word);
	if (rc == 0)
		rc = workspace_open(post->web->workspace, &l, word, OPEN_STORE, out, err);
	if (rc < 0)
		load_result_release(&l);
	buf_release(&source);
	return rc;
}

/* The path of a view that shows a window, or two. */
static const char *find_view(const struct web *web, const char *name, bool has_base)
{
	const struct web_view *v = web_view_find(web, name, strlen(name));

	if (v && web_store_opens(v, has_base))
		return v->path;
	return has_base ? "diff" : "flamegraph";
}

static int open_windows(struct web_post *post, const struct web_choice *c, struct err *err)
{
	const char *view = find_view(post->web, url_params_get(post->form, "view"), c->base.is_set);
	struct open_profile *window = NULL, *base = NULL;
	int rc = open_window(post, c, &c->window, &window, err);

	if (rc == 0 && c->base.is_set)
		rc = open_window(post, c, &c->base, &base, err);
	if (rc == 0)
		buf_addf(&post->location, "%s?prof=%s", view, workspace_id(window));
	if (rc == 0 && base)
		buf_addf(&post->location, "&base=%s", workspace_id(base));
	if (window)
		workspace_put(post->web->workspace, window);
	if (base)
		workspace_put(post->web->workspace, base);
	return rc;
}

int web_post_store(struct web_post *post, struct err *err)
{
	const struct stored_place place = { post->web->options.store, post->web->options.q };
	struct stored_catalogue all;
	struct web_choice c;
	int rc;

	if (!place.where)
		return err_set(err, ERR_USAGE, "%s", web_store_missing);
	rc = stored_catalogue_read(&place, &all, err);
	if (rc == 0 && all.n == 0)
		rc = err_set(err, ERR_USAGE, "the store is empty");
	rc = rc < 0 ? rc : web_choice_read(&post->web->options, post->form, &all, &c, err);
	rc = rc < 0 ? rc : open_windows(post, &c, err);
	stored_catalogue_release(&all);
	return rc;
}
