/*
 * host.c - is the Host of a request a name of this server?
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "access/host.h"

#include <arpa/inet.h>
#include <string.h>

enum { NAME_MAX_LEN = 255, PORT_DIGITS = 5 };

bool access_is_same_text(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char x = a[i], y = b[i];

		x += x >= 'A' && x <= 'Z' ? 'a' - 'A' : 0;
		y += y >= 'A' && y <= 'Z' ? 'a' - 'A' : 0;
		if (x != y || x == '\0')
			return x == y;
	}
	return true;
}

/* Extract the name of a Host, without port and trailing dot. Returns false if it is invalid. */
static bool split_host(const char *host, char name[NAME_MAX_LEN + 1], bool *is_v6)
{
	const char *from = host, *end = host + strcspn(host, ":");
	size_t n;

	*is_v6 = *host == '[';
	if (*is_v6) {
		from++;
		end = host + strcspn(host, "]");
		if (*end == '\0')
			return false;
	}
	n = (size_t)(end - from);
	if (n == 0 || n > NAME_MAX_LEN)
		return false;
	memcpy(name, from, n);
	name[n] = '\0';
	if (!*is_v6 && name[n - 1] == '.')
		name[--n] = '\0';
	if (n == 0 || name[n - 1] == '.')
		return false;
	end += *is_v6;
	if (*end == '\0')
		return true;
	n = strspn(end + 1, "0123456789");
	return *end == ':' && n <= PORT_DIGITS && end[1 + n] == '\0';
}

/* Is it a name that always resolves to this machine? */
static bool is_loopback_name(const char *name)
{
	static const char local[] = "localhost";
	size_t n = strlen(name), n_local = sizeof(local) - 1;

	return n >= n_local && access_is_same_text(name + n - n_local, local, n_local) &&
	       (n == n_local || (name[n - n_local - 1] == '.' && n > n_local + 1));
}

static bool is_allowed(const char *hosts, const char *name)
{
	size_t n = strlen(name), length;

	for (; *hosts; hosts += strspn(hosts, ", ")) {
		length = strcspn(hosts, ", :"); /* ignore a port */
		if (access_is_same_text(hosts, name, n) && (length == n || (length == n + 1 && hosts[n] == '.')))
			return true;
		hosts += strcspn(hosts, ",");
	}
	return false;
}

bool access_is_our_host(const char *host, const char *allowed, bool has_secret)
{
	char name[NAME_MAX_LEN + 1];
	struct in6_addr v6;
	struct in_addr v4;
	bool in_brackets;

	if (!split_host(host, name, &in_brackets))
		return false;
	if (in_brackets) {
		name[strcspn(name, "%")] = '\0';
		return inet_pton(AF_INET6, name, &v6) == 1 && (has_secret || !IN6_IS_ADDR_UNSPECIFIED(&v6));
	}
	if (inet_pton(AF_INET, name, &v4) == 1)
		return has_secret || v4.s_addr != htonl(INADDR_ANY);
	return is_loopback_name(name) || is_allowed(allowed, name);
}
