/*
 * profiles.c - the profiles that a URL names
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/parts/state.h"
#include "front/web/parts/sources.h"

#include <string.h>

/* Take a reference to the profile or the file with the id at the start of a list; "" for that of the command line. */
static int open_one(struct web_page *page, const char *list, struct web_side *side, struct err *err)
{
	char id[WORKSPACE_ID_LENGTH + 1] = "";
	size_t n = strcspn(list, ",");
	const struct web_source *source = NULL;
	struct open_profile *o = NULL;
	int rc = 0;

	if (side->n == WORKSPACE_PROFILES_MAX)
		return err_set(err, ERR_LIMIT, "at most %d profiles can be on a side", WORKSPACE_PROFILES_MAX);
	if (n < sizeof(id)) {
		memcpy(id, list, n);
		source = web_source_find(page->web, id);
		if (source)
			rc = web_source_open(page->web, source, page->stop, &o, err);
		else
			o = workspace_get(page->web->workspace, id);
	}
	if (rc < 0)
		return rc;
	if (!o)
		return err_set(err, ERR_USAGE,
			       "profile %.20s is not open; it was closed, or fetched again with other content", list);
	side->profile[side->n++] = o;
	return 0;
}

/* Take references to all profiles that a key names. The key may repeat, and its values may be lists. */
static int web_profiles_open_side(struct web_page *page, const char *key, struct web_side *side, struct err *err)
{
	const struct url_params *params = page->params;
	int rc = 0;

	for (size_t i = 0; i < params->n; i++) {
		const char *at = params->item[i].value;

		for (; rc == 0 && *at && strcmp(params->item[i].key, key) == 0; at += *at == ',') {
			rc = open_one(page, at, side, err);
			at += strcspn(at, ",");
		}
	}
	return rc;
}

static int sum_side(struct web_page *page, struct web_side *side, struct open_profile **out, struct err *err)
{
	return workspace_get_sum(page->web->workspace, side->profile, side->n, page->stop, out, err);
}

/* Replace a profile that was loaded with a base by its two sides. */
static int web_profiles_split(struct web_page *page, struct err *err)
{
	struct workspace *w = page->web->workspace;
	struct open_profile *whole = page->open;
	int rc = workspace_get_side(w, whole, SIDE_BASE, page->stop, &page->base, err);

	if (rc == 0)
		rc = workspace_get_side(w, whole, SIDE_NEW, page->stop, &page->open, err);
	if (rc < 0)
		return rc;
	workspace_put(w, whole);
	workspace_put(w, page->side[SIDE_NEW].profile[0]);
	page->side[SIDE_NEW].profile[0] = page->open;
	page->side[SIDE_BASE].profile[0] = page->base;
	page->side[SIDE_BASE].n = 1;
	workspace_ref(w, page->open);
	workspace_ref(w, page->base);
	return 0;
}

static bool has_no_profile(const struct web_page *page)
{
	struct open_profile *o = NULL;

	if (!page->web->sources.reason.len)
		o = workspace_get(page->web->workspace, "");
	workspace_put(page->web->workspace, o);
	return !o;
}

static int fail_without_profile(struct web_page *page, struct err *err)
{
	page->wants_profile = true;
	if (page->web->sources.reason.len)
		return err_set(err, page->web->sources.reason_code, "%s%s", buf_text(&page->web->sources.reason),
			       page->web->sources.n ? "; choose a file on the page ui/compare" : "");
	return err_set(err, ERR_USAGE, "no profile is open; open one on the page ui/open");
}

int web_open_profiles(struct web_page *page, struct err *err)
{
	int rc = web_profiles_open_side(page, "prof", &page->side[SIDE_NEW], err);

	if (rc == 0 && page->side[SIDE_NEW].n == 0 && has_no_profile(page))
		return page->view->flags & WEB_VIEW_ALONE ? 0 : fail_without_profile(page, err);
	if (rc == 0 && page->side[SIDE_NEW].n == 0)
		rc = open_one(page, "", &page->side[SIDE_NEW], err);
	if (rc == 0)
		rc = web_profiles_open_side(page, "base", &page->side[SIDE_BASE], err);
	if (rc == 0)
		rc = sum_side(page, &page->side[SIDE_NEW], &page->open, err);
	if (rc == 0 && page->side[SIDE_BASE].n)
		rc = sum_side(page, &page->side[SIDE_BASE], &page->base, err);
	if (rc == 0 && page->view->flags & WEB_VIEW_HAS_SIDES && !page->base && page->side[SIDE_NEW].n == 1 &&
	    workspace_has_base(page->open))
		rc = web_profiles_split(page, err);
	if (rc < 0)
		return rc;
	page->p = page->open->p;
	page->sides = page->open->loaded.sides;
	return 0;
}

int web_open_difference(struct web_page *page, struct err *err)
{
	const struct workspace_difference d = { .base = page->base,
						.new = page->open,
						.normalize = web_scale(page),
						.intersect_types = page->q.intersect_types };
	int rc;

	if (!page->base || page->view->flags & WEB_VIEW_HAS_SIDES)
		return 0;
	rc = workspace_get_difference(page->web->workspace, &d, page->stop, &page->difference, err);
	if (rc < 0)
		return rc;
	page->p = page->difference->p;
	page->sides = page->difference->loaded.sides;
	page->base_name = page->base->name;
	page->q.base = (struct opt_list){ .item = &page->base_name, .n = 1 };
	page->q.diff_base = (struct opt_list){ 0 };
	return 0;
}

void web_link_set_side(struct url_params *link, const char *key, const struct web_side *side)
{
	struct buf ids = { 0 };

	for (size_t i = 0; i < side->n; i++)
		buf_addf(&ids, "%s%s", i ? "," : "", workspace_id(side->profile[i]));
	url_params_set(link, key, buf_text(&ids));
	buf_release(&ids);
}

void web_put_profiles(struct web_page *page)
{
	struct workspace *w = page->web->workspace;

	for (int i = 0; i < N_SIDES; i++)
		for (size_t k = 0; k < page->side[i].n; k++)
			workspace_put(w, page->side[i].profile[k]);
	workspace_put(w, page->open);
	workspace_put(w, page->base);
	workspace_put(w, page->difference);
}

const char *web_scale(const struct web_page *page)
{
	const char *scale = url_params_get(page->params, "scale");

	return *scale ? scale : page->q.normalize;
}
