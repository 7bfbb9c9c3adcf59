/*
 * profile_server.c - servers of profiles and running processes, and the sources that they have
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "sources/profile_server.h"

#include "base/mem.h"
#include "base/str.h"
#include "fetch/url.h"
#include "sources/process.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Append the part of the source that names the server, and a slash or a colon before a path. */
static void profile_server_add(const char *source, const struct url *u, struct buf *out)
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
static void profile_server_add_path(const struct url *u, struct buf *out)
{
	static const char folder[] = "pprof/";
	const char *at = strstr(u->path, folder);

	if (at)
		buf_add(out, u->path, (size_t)(at - u->path) + strlen(folder));
	else
		buf_addz(out, "/debug/pprof/");
}

/* A source "pid:N" with its parameters. */
static int parse_process(const char *source, struct profile_server *out, struct err *err)
{
	struct process_source *p;
	int rc = sources_process_new(source, 0, &p, err);

	if (rc < 0)
		return rc;
	sources_process_free(p);
	out->name = mem_strndup(source, strlen(source));
	out->prefix = mem_strndup(source, strlen(source));
	out->is_process = true;
	return 0;
}

static int parse_url(const char *source, struct profile_server *out, struct err *err)
{
	struct buf name = { 0 }, prefix = { 0 };
	struct url url;
	int rc = access(source, F_OK) == 0 ? err_set(err, ERR_UNKNOWN, "is a file") : url_parse(source, 0, &url, err);

	if (rc < 0)
		return rc;
	profile_server_add(source, &url, &prefix);
	profile_server_add_path(&url, &prefix);
	buf_addz(&name, url.socket ? url.socket : url.host);
	out->name = mem_strndup(buf_text(&name), name.len);
	out->prefix = mem_strndup(buf_text(&prefix), prefix.len);
	explicit_bzero(prefix.data, prefix.len);
	buf_release(&name);
	buf_release(&prefix);
	url_release(&url);
	return 0;
}

int sources_server_parse(const char *source, struct profile_server *out, struct err *err)
{
	*out = (struct profile_server){ 0 };
	return sources_is_process(source) ? parse_process(source, out, err) : parse_url(source, out, err);
}

void sources_server_release(struct profile_server *s)
{
	if (s->prefix)
		explicit_bzero(s->prefix, strlen(s->prefix));
	free(s->prefix);
	free(s->name);
	*s = (struct profile_server){ 0 };
}

void sources_server_add_source(const struct profile_server *s, const char *kind, unsigned seconds, unsigned hz,
			       struct buf *out)
{
	char separator = s->is_process && strchr(s->prefix, '?') ? '&' : '?';

	buf_addf(out, "%s%s", s->prefix, s->is_process ? "" : kind);
	if (seconds) {
		buf_addf(out, "%cseconds=%u", separator, seconds);
		separator = '&';
	}
	if (hz)
		buf_addf(out, "%chz=%u", separator, hz);
}

void sources_server_cut_source(const char *source, struct err *err)
{
	struct buf name = { 0 };

	url_redact(source, &name);
	buf_addz(&name, ": ");
	if (starts_with(err->msg, buf_text(&name)))
		memmove(err->msg, err->msg + name.len, strlen(err->msg + name.len) + 1);
	buf_release(&name);
}
