/*
 * version_marks.c - the versions that have a deploy mark in a store
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "scrape/version.h"

static int version_marks_add_mark(void *arg, const char *service, const struct store_mark *m, struct err *err)
{
	(void)err;
	scrape_versions_add(arg, service, m->env ? m->env : "", m->text ? m->text : "");
	return 0;
}

int scrape_versions_load(struct scrape_versions *v, struct store *s, struct err *err)
{
	return store_each_mark(s, "*", true, "deploy", version_marks_add_mark, v, err);
}
