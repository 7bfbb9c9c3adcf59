/*
 * access.c - access control of the web UI: between the server and the pages
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/web/access.h"

#include "base/time.h"
#include "engine/query.h"
#include "front/web/web.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { SECRET_DIGITS = 64, TO_MAX = 4096 };

int cmd_web_add_random(char *out, size_t n, struct err *err)
{
	unsigned char bytes[SECRET_DIGITS / 2];

	assert(n <= 2 * sizeof(bytes));
	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return err_set(err, ERR_IO, "no random numbers: %s", strerror(errno));
	for (size_t i = 0; i < n / 2; i++)
		snprintf(out + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

static int create_secret(struct access_secret *s, struct err *err)
{
	char digits[SECRET_DIGITS + 1];
	int rc = cmd_web_add_random(digits, SECRET_DIGITS, err);

	if (rc < 0)
		return rc;
	memcpy(s->text, digits, SECRET_DIGITS);
	s->n = SECRET_DIGITS;
	return 0;
}

int cmd_web_access_init(struct web_access *a, const struct query *q, struct err *err)
{
	char why[512], machine[HOST_NAME_MAX + 1] = "";

	pthread_mutex_init(&a->lock, NULL);
	buf_addz(&a->hosts, q->http_allow_host);
	a->is_new = strcmp(q->http_secret, "new") == 0;
	if (*q->http_secret && gethostname(machine, sizeof(machine) - 1) == 0)
		buf_addf(&a->hosts, "%s%s", a->hosts.len ? "," : "", machine);
	a->rules.hosts = a->hosts.data;
	if (a->is_new)
		return create_secret(&a->rules.secret, err);
	if (*q->http_secret && access_read_secret(&a->rules.secret, q->http_secret, why, sizeof(why)) < 0)
		return err_set(err, ERR_USAGE, "--http-secret: %s", why);
	return 0;
}

void cmd_web_access_release(struct web_access *a)
{
	pthread_mutex_destroy(&a->lock);
	explicit_bzero(&a->rules, sizeof(a->rules));
	buf_release(&a->hosts);
}

void cmd_web_access_set_port(struct web_access *a, unsigned port)
{
	pthread_mutex_lock(&a->lock);
	snprintf(a->rules.cookie, sizeof(a->rules.cookie), "cpa-%u", port);
	pthread_mutex_unlock(&a->lock);
}

/* The page to open after the secret: that of the refused request. */
static void add_page(const struct http_request *q, struct buf *out)
{
	static const char prefix[] = "/ui/";
	bool is_page = strncmp(q->path, prefix, strlen(prefix)) == 0 && strcmp(q->path, ACCESS_ENTER_PATH) != 0;

	buf_addz(out, is_page ? q->path + strlen(prefix) : "");
	if (*q->query)
		buf_addf(out, "?%s", q->query);
}

static void access_refuse(const struct http_request *q, const char *to, struct access_verdict verdict,
			  struct http_response *out)
{
	struct buf page = { 0 };
	struct web_enter enter = { .request = q, .sentence = verdict.text, .is_wrong = verdict.delay_ms > 0, .to = to };

	if (!to) {
		add_page(q, &page);
		enter.to = buf_text(&page);
	}
	web_answer_refused(&enter, verdict.status, out);
	out->delay_ms = verdict.delay_ms;
	buf_release(&page);
}

bool cmd_web_access_check(void *access, const struct http_request *q, struct http_response *out)
{
	struct web_access *a = access;
	struct access_verdict verdict;

	pthread_mutex_lock(&a->lock);
	verdict = access_check(&a->rules, q, clock_mono_ns());
	pthread_mutex_unlock(&a->lock);
	if (verdict.status)
		access_refuse(q, NULL, verdict, out);
	return verdict.status == 0;
}

/* The page where the secret is entered, and its form. */
static void answer_enter(struct web_access *a, const struct http_request *q, struct http_response *out)
{
	struct access_verdict verdict = { .status = 401, .text = "a secret is required" };
	char to[TO_MAX] = "", id[ACCESS_ID_LENGTH + 1] = "";
	struct err err;

	if (strcmp(q->method, "POST") != 0) {
		access_refuse(q, NULL, verdict, out);
		return;
	}
	access_form_field(q->body, "to", to, sizeof(to));
	if (cmd_web_add_random(id, ACCESS_ID_LENGTH, &err) == 0) {
		pthread_mutex_lock(&a->lock);
		verdict = access_enter(&a->rules, q, id, clock_mono_ns());
		pthread_mutex_unlock(&a->lock);
	}
	if (verdict.status)
		access_refuse(q, to, verdict, out);
	else
		web_answer_entered(to, a->rules.cookie, id, out);
}

void cmd_web_access_answer(void *access, const struct http_request *q, struct stop *stop, struct http_response *out)
{
	struct web_access *a = access;

	if (a->rules.secret.n > 0 && strcmp(q->path, ACCESS_ENTER_PATH) == 0)
		answer_enter(a, q, out);
	else
		web_answer(a->web, q, stop, out);
}
