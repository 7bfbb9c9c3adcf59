/*
 * enter.c - the page where a browser enters the secret of the server
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A link contains the secret after #, which is not sent. A script posts it in the form of this page. Without scripts, it
 * is typed.
 */
#include "config.h"

#include "front/web/web.h"

#include "base/webpage.h"
#include "front/web/assets/assets.h"
#include "front/web/parts/state.h"

#include <string.h>

/* Is it a page relative to /ui/: a name, and perhaps a query? Anything else could be another site. */
static bool is_page(const char *to)
{
	size_t n = strspn(to, "abcdefghijklmnopqrstuvwxyz0123456789_.");

	return *to != '.' && (to[n] == '\0' || to[n] == '?');
}

static void draw_form(const struct web_enter *e, struct buf *out)
{
	web_add_head(out, "Enter the secret", 0);
	buf_addz(out, "<main id=\"main\"><h1>Enter the secret</h1>\n");
	buf_addz(out, e->is_wrong ? "<p class=\"error\" role=\"alert\">Wrong secret.</p>\n"
				  : "<p>This server requires a secret.</p>\n");
	buf_addz(out, "<form class=\"enter\" method=\"post\" action=\"enter\">\n"
		      "<input type=\"hidden\" name=\"to\" value=\"");
	webpage_add_text(out, is_page(e->to) ? e->to : "", is_page(e->to) ? strlen(e->to) : 0);
	buf_addz(out, "\">\n<label>Secret <input type=\"password\" name=\"secret\" "
		      "autocomplete=\"current-password\" required></label>\n<button>Open</button>\n</form>\n"
		      "<p>cpa printed a link with the secret when it was started, or reads it from a file.</p>\n"
		      "<script type=\"module\" src=\"");
	web_asset_add_url("enter.js", out);
	buf_addz(out, "\"></script></main></body></html>\n");
}

void web_answer_refused(const struct web_enter *e, int status, struct http_response *out)
{
	const char *path = e->request->path;

	buf_addz(&out->header, web_security_headers);
	http_response_add(out, "Cache-Control", "no-store");
	if (status == 401)
		http_response_add(out, "WWW-Authenticate", "Bearer");
	if (status == 405)
		http_response_add(out, "Allow", "GET, HEAD, POST, DELETE");
	out->status = status;
	if (status == 401 && web_wants_html(e->request) && strncmp(path, "/ui/", 4) == 0 && !strchr(path + 4, '/')) {
		out->type = "text/html; charset=utf-8";
		draw_form(e, &out->body);
		return;
	}
	out->type = "text/plain; charset=utf-8";
	buf_addf(&out->body, "%s\n", e->sentence);
}

void web_answer_entered(const char *to, const char *cookie, const char *value, struct http_response *out)
{
	struct buf line = { 0 };

	buf_addz(&out->header, web_security_headers);
	http_response_add(out, "Cache-Control", "no-store");
	buf_addf(&line, "%s=%s; Path=/; HttpOnly; SameSite=Lax", cookie, value);
	http_response_add(out, "Set-Cookie", buf_text(&line));
	http_response_add(out, "Location", *to && *to != '?' && is_page(to) ? to : "./");
	out->status = 303;
	buf_release(&line);
}
