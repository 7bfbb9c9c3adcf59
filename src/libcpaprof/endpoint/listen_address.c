/*
 * listen_address.c - what an address to listen on says; the default Unix socket of a process
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/endpoint/listen_int.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>
#include <unistd.h>

enum { HOST_MAX = INET6_ADDRSTRLEN + IF_NAMESIZE + 1, SAID_MAX = 100, V4_IN_V6 = 12 };

int listen_why(char *why, size_t n, const char *address, int rc, const char *format, ...)
{
	va_list args;
	int at;

	if (n == 0)
		return rc;
	at = snprintf(why, n, "%.*s: ", SAID_MAX, address);
	if (at < 0 || (size_t)at >= n)
		return rc;
	va_start(args, format);
	vsnprintf(why + at, n - (size_t)at, format, args);
	va_end(args);
	return rc;
}

/* Gives the length, and the text as far as it fits. */
static size_t put(char *to, size_t most, size_t at, const char *text, size_t n)
{
	if (at < most && n < most - at)
		memcpy(to + at, text, n);
	return at + n;
}

static int parse_path(const char *text, struct listen_place *out, char *why, size_t n)
{
	const size_t most = sizeof(out->path.sun_path);
	char *to = out->path.sun_path, pid[16];
	size_t at = 0, n_pid = (size_t)snprintf(pid, sizeof(pid), "%d", (int)getpid());

	if (*text == '@')
		return listen_why(why, n, out->address, -EINVAL,
				  "no mode keeps others from an abstract socket; give the path of a file");
	if (*text == '\0' || text[strlen(text) - 1] == '/')
		return listen_why(why, n, out->address, -EINVAL, "a socket needs the path of a file");
	if (*text != '/') { /* the program may change its folder before the socket is unlinked */
		char here[sizeof(out->path.sun_path)];

		if (getcwd(here, sizeof(here))) {
			at = put(to, most, at, here, strlen(here));
			at = put(to, most, at, "/", here[1] != '\0');
		} else if (errno == ERANGE) {
			at = most;
		} else {
			return listen_why(why, n, out->address, -errno, "there is no working folder: %s",
					  strerrordesc_np(errno));
		}
	}
	for (; *text; text++)
		if (text[0] == '%' && text[1] == 'p') {
			at = put(to, most, at, pid, n_pid);
			text++;
		} else {
			at = put(to, most, at, text, 1);
		}
	if (at >= most)
		return listen_why(why, n, out->address, -ENAMETOOLONG,
				  "the whole path may have %zu bytes, and it has more", most - 1);
	to[at] = '\0';
	out->path.sun_family = AF_UNIX;
	out->is_unix = true;
	return 0;
}

static bool parse_port(const char *text, uint16_t *out)
{
	uint32_t port = 0;
	int n = 0;

	for (; text[n] >= '0' && text[n] <= '9' && n < 6; n++)
		port = port * 10 + (uint32_t)(text[n] - '0');
	*out = (uint16_t)port;
	return n > 0 && text[n] == '\0' && port <= UINT16_MAX;
}

static void both(struct listen_place *out)
{
	out->n = 2;
	out->ip[0].v4 = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	out->ip[1].v6 = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
}

static bool parse_v4(const char *host, union listen_ip *out)
{
	out->v4 = (struct sockaddr_in){ .sin_family = AF_INET };
	return inet_pton(AF_INET, host, &out->v4.sin_addr) == 1;
}

/* host: cut off before its "%interface". Mapped IPv4 is IPv4, for the other cannot be bound when IPv6 is meant only. */
static bool parse_v6(char *host, union listen_ip *out)
{
	char *scope = strchr(host, '%');
	struct in6_addr ip;
	uint32_t link = 0;

	if (scope) {
		*scope++ = '\0';
		link = if_nametoindex(scope);
		if (link == 0)
			return false;
	}
	if (inet_pton(AF_INET6, host, &ip) != 1 || (scope && !IN6_IS_ADDR_LINKLOCAL(&ip)))
		return false;
	if (IN6_IS_ADDR_V4MAPPED(&ip)) {
		out->v4 = (struct sockaddr_in){ .sin_family = AF_INET };
		memcpy(&out->v4.sin_addr, ip.s6_addr + V4_IN_V6, sizeof(out->v4.sin_addr));
		return true;
	}
	out->v6 = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_addr = ip, .sin6_scope_id = link };
	return true;
}

static int parse_host(char *host, bool brackets, struct listen_place *out, char *why, size_t n)
{
	if (!brackets && (!*host || strcasecmp(host, "localhost") == 0 || strcasecmp(host, "localhost.") == 0)) {
		both(out);
		return 0;
	}
	out->n = 1;
	if (brackets) {
		if (parse_v6(host, &out->ip[0]))
			return 0;
		return listen_why(why, n, out->address, -EINVAL,
				  "in brackets stands an IPv6 address, or a link-local one with %%INTERFACE");
	}
	if (strchr(host, ':'))
		return listen_why(why, n, out->address, -EINVAL, "an IPv6 address stands in brackets: [::1]:7777");
	if (parse_v4(host, &out->ip[0]))
		return 0;
	return listen_why(why, n, out->address, -EINVAL,
			  "names are not looked up: give the address itself, or \"localhost\"");
}

/* "HOST:PORT", ":PORT", "PORT". */
static int parse_ip(const char *text, struct listen_place *out, char *why, size_t n)
{
	bool brackets = *text == '[';
	const char *close = brackets ? strchr(text, ']') : NULL, *colon = strrchr(text, ':'), *port;
	char host[HOST_MAX] = "";
	size_t n_host;

	if (brackets && (!close || close[1] != ':'))
		return listen_why(why, n, out->address, -EINVAL, "after [ADDRESS] follows :PORT");
	if (!brackets && !colon && text[strspn(text, "0123456789")] != '\0')
		return listen_why(why, n, out->address, -EINVAL, "give HOST:PORT, or a PORT, or the path of a socket");
	port = close ? close + 2 : colon ? colon + 1 : text;
	if (!parse_port(port, &out->port))
		return listen_why(why, n, out->address, -EINVAL, "a port is a number from 0 to 65535");
	text += brackets;
	n_host = close ? (size_t)(close - text) : colon ? (size_t)(colon - text) : 0;
	if (n_host >= sizeof(host))
		return listen_why(why, n, out->address, -EINVAL, "the address is too long to be one");
	memcpy(host, text, n_host);
	return parse_host(host, brackets, out, why, n);
}

int listen_parse(const char *address, struct listen_place *out, char *why, size_t n)
{
	*out = (struct listen_place){ .address = address ? address : "" };
	if (!*out->address)
		return listen_why(why, n, "address", -EINVAL, "there is none to listen on");
	if (strncasecmp(address, "http://", 7) == 0 || strncasecmp(address, "https://", 8) == 0)
		return listen_why(why, n, address, -EINVAL, "give HOST:PORT alone, without %.*s",
				  (int)(strchr(address, ':') + 3 - address), address);
	if (strncmp(address, "unix:", 5) == 0)
		return parse_path(address + 5, out, why, n);
	if (strchr(address, '/'))
		return parse_path(address, out, why, n);
	return parse_ip(address, out, why, n);
}

enum { FOLDER_MODE = 0700, OF_OTHERS = 077, PATH_MOST = sizeof(((struct sockaddr_un *)0)->sun_path) };

/* Programs have getenv functions of their own. A program with more rights than who started it is not told. */
static const char *variable(const char *name)
{
	size_t n = strlen(name);

	if (getauxval(AT_SECURE))
		return NULL;
	for (char **e = environ; e && *e; e++)
		if (strncmp(*e, name, n) == 0 && (*e)[n] == '=')
			return *e + n + 1;
	return NULL;
}

static bool is_ours_alone(int fd)
{
	struct stat is;

	return fstat(fd, &is) == 0 && S_ISDIR(is.st_mode) && is.st_uid == geteuid() && !(is.st_mode & OF_OTHERS);
}

/* A folder in one: made, or there already; ours alone either way. */
static int make_folder(int in, const char *name)
{
	int made = mkdirat(in, name, FOLDER_MODE), fd, rc;

	if (made != 0 && errno != EEXIST)
		return -errno;
	if (made == 0 && fchmodat(in, name, FOLDER_MODE, 0) != 0) /* the umask may have taken from it */
		return -errno;
	fd = openat(in, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	rc = is_ours_alone(fd) ? 0 : -EPERM;
	close(fd);
	return rc;
}

/* shared: like /tmp; else it must be ours alone itself. */
static int try_folder(const char *path, bool shared, const char *name)
{
	int rc, in;

	if (*path != '/')
		return -EINVAL;
	in = shared ? listen_folder(path, strlen(path)) : open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (in < 0)
		return shared ? in : -errno;
	rc = shared || is_ours_alone(in) ? make_folder(in, name) : -EPERM;
	close(in);
	return rc;
}

/* The name of a program as part of a name: without what means something in paths or on terminals. */
static void plain(const char *name, char *out, size_t n)
{
	size_t at = 0;

	for (; *name && at + 1 < n; name++) {
		uint8_t c = (uint8_t)*name;

		out[at++] = c <= ' ' || c == '/' || c == '%' || c >= 127 ? '_' : (char)c;
	}
	out[at] = '\0';
}

static int join(const char *folder, const char *under, const char *name, char *out, size_t n)
{
	int pid = (int)getpid(), whole = snprintf(NULL, 0, "%s/%s/-%d.sock", folder, under, pid);
	size_t most = n < PATH_MOST ? n : PATH_MOST;
	char words[NAME_MAX + 1];

	if (whole < 0 || (size_t)whole + 1 >= most)
		return -ENAMETOOLONG;
	plain(*name ? name : "program", words, sizeof(words));
	snprintf(out, n, "%s/%s/%.*s-%d.sock", folder, under, (int)(most - (size_t)whole - 1), words, pid);
	return 0;
}

int listen_usual(const char *name, char *out, size_t n)
{
	char run[32], under_tmp[32];
	const char *given = variable("XDG_RUNTIME_DIR");
	const struct {
		const char *folder, *under;
		bool shared;
	} at[] = {
		{ given ? given : "", "cpa", false },
		{ run, "cpa", false },
		{ "/tmp", under_tmp, true },
	};
	int rc = -ENOENT;

	snprintf(run, sizeof(run), "/run/user/%u", (unsigned)geteuid());
	snprintf(under_tmp, sizeof(under_tmp), "cpa-%u", (unsigned)geteuid());
	for (int i = 0; i < 3; i++) {
		rc = try_folder(at[i].folder, at[i].shared, at[i].under);
		if (rc == 0)
			rc = join(at[i].folder, at[i].under, name, out, n);
		if (rc == 0)
			break;
	}
	return rc;
}
