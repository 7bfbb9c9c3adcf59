/*
 * host.h - is the Host of a request a name of this server?
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ACCESS_HOST_H
#define ACCESS_HOST_H

#include <stdbool.h>
#include <stddef.h>

/* Like strncasecmp, but independent of the locale of the program: in Turkish, I is not an upper-case i. */
bool access_is_same_text(const char *a, const char *b, size_t n);

/*
 * Is it a loopback name, an IP address, or an allowed name, with or without a port?
 *
 * An attacker's DNS can resolve any name to our address, and then a page from that name may read our answers (DNS
 * rebinding). So names must be in the list. A Host that is an address does not come from DNS. 0.0.0.0 also reaches us,
 * and browsers that block requests from web pages to 127.0.0.1 may not block it. So it needs a secret.
 *
 * allowed     comma-separated names; their ports are ignored
 * has_secret  does the server require a secret?
 */
bool access_is_our_host(const char *host, const char *allowed, bool has_secret);

#endif
