/*
 * assets.h - scripts and style sheets of pages
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_WEB_ASSETS_ASSETS_H
#define FRONT_WEB_ASSETS_ASSETS_H

#include "base/buf.h"

/* A file of the page: script or style sheet, with a hash of its content in its name. */
struct web_asset {
	const char *name; /* "web.css" */
	const char *type;
	const char *text;
	const char *sum; /* of the content, base64 */
};

extern const struct web_asset web_assets[];
extern const size_t web_n_assets;

/* Append the URL of an asset, relative to /ui/: "assets/web.0123456789abcdef.css". */
void web_asset_add_url(const char *name, struct buf *out);

#endif
