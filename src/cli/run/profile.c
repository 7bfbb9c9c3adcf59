/*
 * profile.c - the options of the server of cpa run
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/run/options.h"

#include "base/mem.h"
#include "cli/run/serve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECONDS_MOST = 86400, WHY_MAX = 512 };

static char *join(const char *front, const char *text)
{
	size_t n = strlen(front) + strlen(text) + 1;
	char *to = mem_alloc(n, 1);

	snprintf(to, n, "%s%s", front, text);
	return to;
}

static int read_port(const char *text, char **out, struct err *err)
{
	static const unsigned most = 65535;
	size_t n = strspn(text, "0123456789");

	if (n == 0 || n > 5 || text[n] || (unsigned)atoi(text) > most)
		return err_set(err, ERR_USAGE, "--profile-port=%s: a port is a number up to %u; 0: a free one", text,
			       most);
	*out = join(":", text);
	return 0;
}

static int read_socket(const char *text, char **out, struct err *err)
{
	if (!*text)
		return err_set(err, ERR_USAGE, "--profile-socket: it takes a path, or auto");
	*out = strcmp(text, "auto") == 0 ? NULL : join("unix:", text);
	return 0;
}

static int read_address(const char *text, char **out, struct err *err)
{
	if (!*text)
		return err_set(err, ERR_USAGE, "--profile-address: it takes HOST:PORT");
	*out = join("", text);
	return 0;
}

static int read_place(const struct run_profile_asked *a, char **out, struct err *err)
{
	if (!!a->port + !!a->socket + !!a->address > 1)
		return err_set(err, ERR_USAGE,
			       "one of --profile-port, --profile-socket and --profile-address, not several");
	if (a->any_address && !a->address)
		return err_set(err, ERR_USAGE, "--profile-any-address is for --profile-address=0.0.0.0:PORT");
	if (a->port)
		return read_port(a->port, out, err);
	if (a->socket)
		return read_socket(a->socket, out, err);
	return read_address(a->address ? a->address : ":0", out, err);
}

/* Names with commas between, as the guard has them. */
static int read_hosts(const struct opt_list *l, struct guard *g, struct err *err)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		const char *name = l->item[i];

		if (!*name || strpbrk(name, " \t/@"))
			return err_set(err, ERR_USAGE, "--profile-allow-host=%s: not the name of a host", name);
		n += (size_t)snprintf(g->hosts + n, sizeof(g->hosts) - n, "%s%s", n ? "," : "", name);
		if (n >= sizeof(g->hosts))
			return err_set(err, ERR_USAGE, "--profile-allow-host: names of %d bytes at most together",
				       GUARD_HOSTS_MOST - 1);
	}
	return 0;
}

static int read_guard(const struct run_profile_asked *a, struct guard *g, struct err *err)
{
	char why[WHY_MAX];

	g->any_user = a->any_user;
	if (read_hosts(&a->allow_host, g, err) < 0)
		return ERR_USAGE;
	if (a->secret && guard_read_secret(g, a->secret, why, sizeof(why)) < 0)
		return err_set(err, ERR_IO, "--profile-secret: %s", why);
	return 0;
}

int run_profile_read(const struct run_profile_asked *a, struct run_serve_how **out, struct err *err)
{
	struct run_serve_how *how;
	char *address = NULL;
	int rc;

	if (!a->enable)
		return 0;
	if (a->max_seconds < 1 || a->max_seconds > SECONDS_MOST)
		return err_set(err, ERR_USAGE, "--profile-max-seconds: from 1 to %d", SECONDS_MOST);
	if (read_place(a, &address, err) < 0)
		return ERR_USAGE;
	how = mem_zalloc(1, sizeof(*how));
	how->at = (struct listen_how){ .address = address,
				       .has_secret = a->secret != NULL,
				       .any_address = a->any_address };
	how->serve = (struct serve_how){ .max_seconds = (int)a->max_seconds,
					 .hide_cmdline = a->hide_cmdline,
					 .names = true };
	how->guard = guard_new();
	rc = how->guard ? read_guard(a, how->guard, err) : err_set(err, ERR_IO, "no memory for a secret");
	if (rc < 0) {
		run_profile_free(how);
		return rc;
	}
	*out = how;
	return 0;
}

void run_profile_free(struct run_serve_how *how)
{
	if (!how)
		return;
	guard_free(how->guard);
	free((char *)(uintptr_t)how->at.address);
	free(how);
}
