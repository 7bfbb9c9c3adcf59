/*
 * service.c - find the service of a store that a capture belongs to
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/doctor/doctor_int.h"

#include "base/mem.h"
#include "fetch/url.h"
#include "store/backends/backends.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>

struct service_search {
	const struct url *target;
	const char *program;
	char *found; /* NULL: none */
	bool is_program;
	int64_t last_ns;
};

/* The text from the last ":" on; "" if there is none. */
static const char *service_port(const char *host)
{
	const char *colon = strrchr(host, ':');

	return colon ? colon : "";
}

/* Is it the same server? An address of this machine has several names. */
static bool service_is_target(const char *instance, const struct url *target)
{
	struct url u;
	struct err err;
	bool is_same;

	if (url_parse(instance, 0, &u, &err) < 0)
		return false;
	if (u.socket || target->socket)
		is_same = u.socket && target->socket && strcmp(u.socket, target->socket) == 0;
	else
		is_same = strcmp(u.host, target->host) == 0 ||
			  (url_is_local(&u) && url_is_local(target) &&
			   strcmp(service_port(u.host), service_port(target->host)) == 0);
	url_release(&u);
	return is_same;
}

/* Of several services, that with the name of the program, else the service that was stored last. */
static int service_check(void *arg, const struct store_series *s, struct err *err)
{
	struct service_search *search = arg;
	bool is_program = strcmp(s->service, search->program) == 0;

	(void)err;
	for (size_t i = 0; i < s->n_labels; i++) {
		if (strcmp(s->label[i].name, "instance") != 0 || !service_is_target(s->label[i].value, search->target))
			continue;
		if (search->found && (is_program < search->is_program ||
				      (is_program == search->is_program && s->last_ns <= search->last_ns)))
			continue;
		free(search->found);
		search->found = mem_strndup(s->service, strlen(s->service));
		search->is_program = is_program;
		search->last_ns = s->last_ns;
	}
	return 0;
}

char *cmd_doctor_find_service(const char *store, const char *target, const char *program, const char *kind)
{
	const struct store_query q = { .service = "*", .is_pattern = true, .kind = kind, .t1 = INT64_MAX };
	struct fetch_options options = { 0 };
	struct service_search search = { .program = program };
	struct url url;
	struct store *s;
	struct err err;

	if (url_parse(target, 0, &url, &err) < 0)
		return mem_strndup(program, strlen(program));
	search.target = &url;
	if (backends_open(store, &options, &s, &err) == 0) {
		store_each_series(s, &q, service_check, &search, &err);
		store_close(s);
	}
	url_release(&url);
	return search.found ? search.found : mem_strndup(program, strlen(program));
}
