/*
 * address.c - the value of -http, and amounts with units
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/web/address.h"

#include "base/str.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int fail_split(const char *text, const char *problem, struct err *err)
{
	return err_set(err, ERR_USAGE, "could not split http address: address %s: %s", text, problem);
}

/*
 * Find the end of the host and the start of the port.
 *
 * host    set to the host without brackets
 * n_host  its length
 * Like    net.SplitHostPort
 */
static int web_address_split(const char *text, const char **host, size_t *n_host, const char **port, struct err *err)
{
	const char *colon = strrchr(text, ':'), *end;

	if (!colon)
		return fail_split(text, "missing port in address", err);
	*host = text;
	*n_host = (size_t)(colon - text);
	*port = colon + 1;
	if (*text == '[') {
		end = strchr(text, ']');
		if (!end)
			return fail_split(text, "missing ']' in address", err);
		if (end + 1 != colon)
			return fail_split(
				text, end[1] == ':' ? "too many colons in address" : "missing port in address", err);
		*host = text + 1;
		*n_host = (size_t)(end - text - 1);
		text = end + 1;
	} else if (memchr(text, ':', *n_host)) {
		return fail_split(text, "too many colons in address", err);
	}
	if (memchr(*host, '[', *n_host) || strchr(text + (*text == '['), '['))
		return fail_split(text, "unexpected '[' in address", err);
	if (strchr(text, ']'))
		return fail_split(text, "unexpected ']' in address", err);
	return 0;
}

static int check_port(const char *port, struct err *err)
{
	const char *digits = port + (*port == '+' || *port == '-');

	if (*port && (!*digits || digits[strspn(digits, "0123456789")]))
		return err_set(err, ERR_USAGE, "invalid port number: strconv.Atoi: parsing \"%s\": invalid syntax",
			       port);
	errno = 0;
	if (*port && (strtoll(port, NULL, 10), errno == ERANGE))
		return err_set(err, ERR_USAGE, "invalid port number: strconv.Atoi: parsing \"%s\": value out of range",
			       port);
	return 0;
}

int cmd_web_parse_address(const char *text, struct buf *out, struct err *err)
{
	const char *host = NULL, *port = NULL;
	size_t n_host = 0;
	int rc;

	if (starts_with(text, "unix:") || strchr(text, '/')) {
		buf_addf(out, "%s%s", starts_with(text, "unix:") ? "" : "unix:", text);
		return 0;
	}
	if (*text && text[strspn(text, "0123456789")] == '\0') {
		buf_addf(out, "localhost:%s", text);
		return 0;
	}
	rc = web_address_split(text, &host, &n_host, &port, err);
	if (rc == 0)
		rc = check_port(port, err);
	if (rc < 0)
		return rc;
	if (n_host == 0)
		buf_addz(out, "localhost");
	else if (memchr(host, ':', n_host))
		buf_addf(out, "[%.*s]", (int)n_host, host);
	else
		buf_addf(out, "%.*s", (int)n_host, host);
	buf_addf(out, ":%s", *port ? port : "0");
	return 0;
}
