/*
 * profile_server.c - servers of profiles, and the sources that they have
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/profile_server.h"

#include "base/mem.h"
#include "fetch/url.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Append the part of the source that names the server, and a slash or a colon before a path. */
static void add_server(const char *source, const struct url *u, struct buf *out)
{
	const char *start = strstr(source, "://");

	if (u->socket) {
		buf_addf(out, "unix:%s:", u->socket);
		return;
	}
	start = start ? start + 3 : source;
	buf_add(out, source, (size_t)(start - source) + strcspn(start, "/?#"));
}

/* Append the path of the profiles: that of the source up to "pprof/", if it has that. */
static void add_path(const struct url *u, struct buf *out)
{
	static const char folder[] = "pprof/";
	const char *at = strstr(u->path, folder);

	if (at)
		buf_add(out, u->path, (size_t)(at - u->path) + strlen(folder));
	else
		buf_addz(out, "/debug/pprof/");
}

int answer_server_parse(const char *source, struct answer_server *out, struct err *err)
{
	struct buf name = { 0 }, prefix = { 0 };
	struct url url;
	int rc = access(source, F_OK) == 0 ? err_set(err, ERR_UNKNOWN, "is a file") : url_parse(source, 0, &url, err);

	if (rc < 0)
		return rc;
	add_server(source, &url, &prefix);
	add_path(&url, &prefix);
	buf_addz(&name, url.socket ? url.socket : url.host);
	out->name = mem_strndup(buf_text(&name), name.len);
	out->prefix = mem_strndup(buf_text(&prefix), prefix.len);
	explicit_bzero(prefix.data, prefix.len);
	buf_release(&name);
	buf_release(&prefix);
	url_release(&url);
	return 0;
}

void answer_server_release(struct answer_server *s)
{
	if (s->prefix)
		explicit_bzero(s->prefix, strlen(s->prefix));
	free(s->prefix);
	free(s->name);
	*s = (struct answer_server){ 0 };
}

void answer_server_add_source(const struct answer_server *s, const char *kind, unsigned seconds, unsigned hz,
			      struct buf *out)
{
	char separator = '?';

	buf_addf(out, "%s%s", s->prefix, kind);
	if (seconds) {
		buf_addf(out, "%cseconds=%u", separator, seconds);
		separator = '&';
	}
	if (hz)
		buf_addf(out, "%chz=%u", separator, hz);
}
