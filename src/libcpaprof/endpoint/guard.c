/*
 * guard.c - who may ask
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/endpoint/guard.h"
#include "libcpaprof/endpoint/peer.h"

#include "libcpaprof/collector/memory.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OF_OTHERS = 077, ROOM = GUARD_SECRET_MOST + 256, PATH_SHOWN = 300, STATUS_UNKNOWN = 401, STATUS_REFUSED = 403 };
enum { FAILURES_MOST = 10, DELAY_MS = 1000, SECOND_NS = 1000000000, NAME_MOST = 255, PORT_DIGITS = 5 };

static int refuse(char *why, size_t n, const char *path, int rc, const char *text)
{
	snprintf(why, n, "the secret file %.*s %s", PATH_SHOWN, path, text);
	return rc;
}

static bool is_white(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static int take_secret(struct guard *g, const uint8_t *text, size_t n_text, const char *path, char *why, size_t n)
{
	while (n_text > 0 && is_white(text[n_text - 1]))
		n_text--;
	for (; n_text > 0 && is_white(*text); n_text--)
		text++;
	if (n_text < GUARD_SECRET_LEAST)
		return refuse(why, n, path, -EINVAL,
			      "has too few bytes, 32 are needed at least: head -c 32 /dev/urandom | base64");
	if (n_text > GUARD_SECRET_MOST)
		return refuse(why, n, path, -EINVAL, "has more than 1024 bytes");
	for (size_t i = 0; i < n_text; i++)
		if (text[i] < ' ' || text[i] > '~')
			return refuse(why, n, path, -EINVAL,
				      "has bytes that no header can have; one line of ASCII is meant: "
				      "head -c 32 /dev/urandom | base64");
	explicit_bzero(g->secret, sizeof(g->secret));
	memcpy(g->secret, text, n_text);
	g->n_secret = n_text;
	return 0;
}

/* Is it a file that nobody else can have written, or can read? */
static int check_file(int fd, const char *path, char *why, size_t n)
{
	struct stat is;

	if (fstat(fd, &is) != 0)
		return refuse(why, n, path, -errno, strerrordesc_np(errno));
	if (!S_ISREG(is.st_mode))
		return refuse(why, n, path, -EINVAL, "is no regular file");
	if (is.st_uid != geteuid() && is.st_uid != 0)
		return refuse(why, n, path, -EPERM, "belongs to another user");
	if (is.st_mode & OF_OTHERS)
		return refuse(why, n, path, -EPERM, "is open to other users: chmod 600");
	return 0;
}

int guard_read_secret(struct guard *g, const char *path, char *why, size_t n)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), rc;
	uint8_t text[ROOM];
	size_t n_text = 0;
	ssize_t got = 0;

	if (fd < 0 && errno == ELOOP)
		return refuse(why, n, path, -ELOOP, "is a symbolic link; give the path of the file itself");
	if (fd < 0) {
		rc = -errno;
		snprintf(why, n, "the secret file %.*s cannot be read: %s", PATH_SHOWN, path, strerrordesc_np(-rc));
		return rc;
	}
	rc = check_file(fd, path, why, n);
	while (rc == 0 && n_text < sizeof(text) && (got = read(fd, text + n_text, sizeof(text) - n_text)) > 0)
		n_text += (size_t)got;
	if (rc == 0 && got < 0)
		rc = refuse(why, n, path, -errno, strerrordesc_np(errno));
	else if (rc == 0 && n_text == sizeof(text))
		rc = refuse(why, n, path, -EINVAL, "has more than 1024 bytes");
	close(fd);
	if (rc == 0)
		rc = take_secret(g, text, n_text, path, why, n);
	explicit_bzero(text, sizeof(text));
	return rc;
}

struct guard *guard_new(void)
{
	return memory_map_secret(sizeof(struct guard));
}

void guard_free(struct guard *g)
{
	if (!g)
		return;
	guard_release(g);
	memory_unmap(g, sizeof(*g));
}

bool guard_peer(const struct guard *g, int fd, bool is_unix)
{
	struct peer_pair p;
	uid_t user;

	if (is_unix) {
		struct ucred who;
		socklen_t n = sizeof(who);

		if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) != 0 || n != sizeof(who))
			return false;
		user = who.uid;
	} else {
		if (!peer_pair(fd, &p))
			return false;
		if (g->any_user || !peer_is_local(&p))
			return true;
		if (peer_user(&p, &user) != 0)
			return false;
	}
	return user == geteuid() || user == 0;
}

/* As strncasecmp, but not by the locale of the program, in which I may be no i. */
static bool is_same(const char *a, const char *b, size_t n)
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

/* Constant time: how long it takes depends on what was given, and not on the secret or on how much of it was right. */
static bool is_secret(const struct guard *g, const char *given)
{
	size_t n = strnlen(given, GUARD_SECRET_MOST + 1);
	uint8_t wrong = n != g->n_secret;

	for (size_t i = 0; i < n && i < GUARD_SECRET_MOST; i++)
		wrong |= (uint8_t)given[i] ^ g->secret[i];
	__asm__("" : "+r"(wrong)); /* or the compiler could leave the loop early */
	return !wrong;
}

static bool knows_secret(const struct guard *g, const struct request_head *h)
{
	static const char scheme[] = "Bearer ";
	const char *given = h->authorization;
	bool bearer = false, own = *h->secret && is_secret(g, h->secret);

	if (is_same(given, scheme, sizeof(scheme) - 1)) {
		given += sizeof(scheme) - 1;
		bearer = is_secret(g, given + strspn(given, " "));
	}
	return bearer | own;
}

/* Whoever guesses is answered late, once there were ten within a second. */
static struct guard_says unknown(struct guard *g, uint64_t now_ns)
{
	struct guard_says says = { .status = STATUS_UNKNOWN, .text = "Unauthorized" };

	if (g->n_failed == 0 || now_ns - g->failed_ns >= SECOND_NS) {
		g->failed_ns = now_ns;
		g->n_failed = 0;
	}
	if (g->n_failed >= FAILURES_MOST)
		says.delay_ms = DELAY_MS;
	else
		g->n_failed++;
	return says;
}

static struct guard_says no(const char *text)
{
	return (struct guard_says){ .status = STATUS_REFUSED, .text = text };
}

/* Cut a Host into its name, without a dot at the end, and its port. Gives false when it is none. */
static bool split_host(const char *host, char name[NAME_MOST + 1], bool *is_v6)
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
	if (n == 0 || n > NAME_MOST)
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

/* Names that mean this machine wherever they are looked up. */
static bool is_loopback_name(const char *name)
{
	static const char local[] = "localhost";
	size_t n = strlen(name), n_local = sizeof(local) - 1;

	return n >= n_local && is_same(name + n - n_local, local, n_local) &&
	       (n == n_local || (name[n - n_local - 1] == '.' && n > n_local + 1));
}

static bool is_allowed(const char *hosts, const char *name)
{
	size_t n = strlen(name), length;

	for (; *hosts; hosts += strspn(hosts, ", ")) {
		length = strcspn(hosts, ", :"); /* a port says nothing */
		if (is_same(hosts, name, n) && (length == n || (length == n + 1 && hosts[n] == '.')))
			return true;
		hosts += strcspn(hosts, ",");
	}
	return false;
}

/*
 * DNS that an attacker has can give any name our address, and a page of that name may then read what we answer: so a
 * name must be known. An address as Host comes from nobody's DNS. 0.0.0.0 reaches us too, and browsers that keep
 * pages from 127.0.0.1 may not know it.
 */
static bool is_our_host(const struct guard *g, const char *host)
{
	char name[NAME_MOST + 1];
	struct in6_addr v6;
	struct in_addr v4;
	bool in_brackets;

	if (!split_host(host, name, &in_brackets))
		return false;
	if (in_brackets) {
		name[strcspn(name, "%")] = '\0';
		return inet_pton(AF_INET6, name, &v6) == 1 && (g->n_secret > 0 || !IN6_IS_ADDR_UNSPECIFIED(&v6));
	}
	if (inet_pton(AF_INET, name, &v4) == 1)
		return g->n_secret > 0 || v4.s_addr != htonl(INADDR_ANY);
	return is_loopback_name(name) || is_allowed(g->hosts, name);
}

struct guard_says guard_request(struct guard *g, const struct request_head *h, bool is_unix, uint64_t now_ns)
{
	/* only HTTP/1.0 may do without one, which no browser speaks */
	if (!is_unix && (h->has_host ? !is_our_host(g, h->host) : h->minor > 0))
		return no("Host is neither localhost nor an address; a name must be allowed by --profile-allow-host or "
			  "CPA_ALLOW_HOST");
	if (h->has_origin)
		return no("Pages of a browser may not read profiles");
	if (h->has_fetch_site && strcmp(h->fetch_site, "none") != 0 && strcmp(h->fetch_site, "same-origin") != 0)
		return no("Another site may not lead a browser here; enter the address by hand");
	if (g->n_secret > 0 && !knows_secret(g, h))
		return unknown(g, now_ns);
	return (struct guard_says){ 0 };
}

void guard_release(struct guard *g)
{
	explicit_bzero(g, sizeof(*g));
}
