/*
 * export.h - views as files: /ui/VIEW.EXT
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_WEB_PARTS_EXPORT_H
#define FRONT_WEB_PARTS_EXPORT_H

#include "front/web/parts/page.h"

#include <stdbool.h>

/* Can web_export write the view to a file with this extension, such as "csv"? */
bool web_export_has(const struct web_view *view, const char *ext);

/*
 * Write the view to the response, as the command line writes it for the same query.
 *
 * ext     an extension for which web_export_has returns true
 * Fails   as answer_make; ERR_LIMIT if the file is larger than a response may be
 */
int web_export(struct web_page *page, const char *ext, struct http_response *out, struct err *err);

/* Add a header with a file name for the path of the request: the profile, the view and the extension. */
void web_export_add_name(const struct web_page *page, struct http_response *out);

/* Append a link for each file of the view: entries of a menu, or a row of links. */
void web_export_add_links(const struct web_page *page, bool are_entries, struct buf *out);

/* Write the profile as loaded, without filters. Like pprof's /ui/download. */
int web_download(struct web_page *page, const char *ext, struct http_response *out, struct err *err);

#endif
