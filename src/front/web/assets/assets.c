/*
 * assets.c - the scripts and style sheets of the pages
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/assets/assets.h"

#include "front/web/assets/web_parts.h"

#include <assert.h>
#include <string.h>

const struct web_asset web_assets[] = {
	{ "web.css", "text/css; charset=utf-8", WEB_STYLE, WEB_STYLE_SUM },
	{ "flame.css", "text/css; charset=utf-8", WEB_FLAME_STYLE, WEB_FLAME_STYLE_SUM },
	{ "flame.js", "text/javascript; charset=utf-8", WEB_FLAME_SCRIPT, WEB_FLAME_SCRIPT_SUM },
	{ "graph.js", "text/javascript; charset=utf-8", WEB_GRAPH_SCRIPT, WEB_GRAPH_SCRIPT_SUM },
	{ "enter.js", "text/javascript; charset=utf-8", WEB_ENTER_SCRIPT, WEB_ENTER_SCRIPT_SUM },
	{ "store.js", "text/javascript; charset=utf-8", WEB_STORE_SCRIPT, WEB_STORE_SCRIPT_SUM },
	{ "table.js", "text/javascript; charset=utf-8", WEB_TABLE_SCRIPT, WEB_TABLE_SCRIPT_SUM },
	{ "web.js", "text/javascript; charset=utf-8", WEB_SCRIPT, WEB_SCRIPT_SUM },
};
const size_t web_n_assets = sizeof(web_assets) / sizeof(web_assets[0]);

/* Append the letters and digits of the first part of a base64 sum. */
static void assets_add_sum(const char *sum, struct buf *out)
{
	enum { SHOWN = 16 };

	for (int i = 0; i < SHOWN && sum[i]; i++)
		buf_fill(out, sum[i] == '+' || sum[i] == '/' ? '-' : sum[i], 1);
}

void web_asset_add_url(const char *name, struct buf *out)
{
	const char *dot = strrchr(name, '.');

	assert(dot);
	for (size_t i = 0; i < web_n_assets; i++) {
		if (strcmp(web_assets[i].name, name) != 0)
			continue;
		buf_addf(out, "assets/%.*s.", (int)(dot - name), name);
		assets_add_sum(web_assets[i].sum, out);
		buf_addz(out, dot);
		return;
	}
	assert(!"no such asset");
}
