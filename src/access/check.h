/*
 * check.h - may a request to the web UI be answered?
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Requests are refused from other users of this machine, from web pages of other sites, and without the secret if
 * there is one. The pages themselves check the token of changes of state.
 */
#ifndef ACCESS_CHECK_H
#define ACCESS_CHECK_H

#include "access/secret.h"
#include "base/http.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limits: names of cookies, sessions at once, and the shortest delay after a wrong secret. */
enum { ACCESS_ID_LENGTH = 32, ACCESS_COOKIE_MAX = 32, ACCESS_SESSIONS_MAX = 64, ACCESS_WRONG_MS = 200 };

/* No secret is needed for the page where it is entered, for scripts and styles, and for the redirects outside of /ui/. */
#define ACCESS_ENTER_PATH "/ui/enter"

/* A browser that has entered the secret. A cookie is sent to other servers of the same host too, so it is only valid
   for one address. */
struct access_session {
	char id[ACCESS_ID_LENGTH + 1]; /* value of the cookie; "": none */
	char address[64];              /* of the peer */
};

/* Zero-initialised: no secret, no other host. The caller serializes calls that change it. */
struct access_rules {
	struct access_secret secret; /* n 0: none is required */
	const char *hosts;           /* comma-separated names allowed as Host; NULL: none */
	bool any_host; /* allow every Host: the caller requires a secret that browsers do not send by themselves */
	char token[ACCESS_ID_LENGTH + 1]; /* for changes of state */
	char cookie[ACCESS_COOKIE_MAX];   /* name of the cookie */
	struct access_session session[ACCESS_SESSIONS_MAX];
	size_t next_session; /* replaced next */
	struct access_failures failures;
};

/*
 * Does the value of an Authorization header contain the secret: as "Bearer SECRET", or as the password of "Basic"? Pages of
 * browsers use neither: for them there are sessions.
 *
 * user  that Basic must have, and then Bearer is refused; "": any, and Bearer is accepted
 */
bool access_has_secret(const struct access_secret *s, const char *user, const char *authorization);

/* The answer to a refused request; status 0 means allowed. */
struct access_verdict {
	int status;
	const char *text; /* static */
	unsigned delay_ms;
};

/*
 * Check the head of a request.
 *
 * now_ns   monotonic
 * Returns  status 401, 403 or 405 if it is refused
 */
struct access_verdict access_check(struct access_rules *r, const struct http_request *q, uint64_t now_ns);

/*
 * Check the field secret of a form, and open a session.
 *
 * id       the new value of the cookie: ACCESS_ID_LENGTH random digits
 * Returns  status 401 with a delay if the secret is wrong
 */
struct access_verdict access_enter(struct access_rules *r, const struct http_request *q, const char *id,
				   uint64_t now_ns);

/*
 * Decode the first field of this name in a urlencoded form.
 *
 * out     [max] NUL-terminated; "" if the result is false
 * Returns false if there is none, or if it is malformed, contains a NUL or is too long
 */
bool access_form_field(const char *form, const char *name, char *out, size_t max);

#endif
