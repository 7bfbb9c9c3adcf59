/*
 * target_url.c - addresses of targets
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "scrape/target_url.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/url_escape.h"
#include "fetch/folder.h"
#include "scrape/scrape_config.h"

#include <stdlib.h>
#include <string.h>

static void set_folder(struct url *u, const char *folder)
{
	struct buf path = { 0 };
	size_t n = strlen(folder);

	while (n && folder[n - 1] == '/')
		n--;
	url_escape(folder, n, URL_PATH, &path);
	free(u->path);
	u->path = mem_strndup(buf_text(&path), path.len);
	buf_release(&path);
}

int scrape_target_url(const char *address, const char *folder, struct url *out, struct err *err)
{
	struct buf local = { 0 };
	int rc;

	if (*address == ':')
		buf_addf(&local, "localhost%s", address);
	else
		buf_addz(&local, address);
	for (const char *at = address; *at; at++) {
		if ((unsigned char)*at <= ' ' || *at == 0x7f) {
			buf_release(&local);
			return err_set(err, ERR_USAGE, "%.100s: not an address; write HOST:PORT, a URL or unix:SOCKET",
				       address);
		}
	}
	rc = fetch_folder(buf_text(&local), out, err);
	buf_release(&local);
	if (rc < 0) {
		if (rc == ERR_UNKNOWN) {
			url_redact(address, &local);
			err_set(err, ERR_USAGE, "%.300s: not an address; write HOST:PORT, a URL or unix:SOCKET",
				buf_text(&local));
			buf_release(&local);
		}
		return ERR_USAGE;
	}
	if (*folder && strcmp(out->path, SCRAPE_FOLDER_DEFAULT) == 0 && !strstr(address, SCRAPE_FOLDER_DEFAULT))
		set_folder(out, folder);
	return 0;
}

bool scrape_target_has_port(const char *address)
{
	const char *colon = strrchr(address, ':');

	return colon && colon > address && colon[1] && strspn(colon + 1, "0123456789") == strlen(colon + 1) &&
	       strlen(colon + 1) <= 5;
}
