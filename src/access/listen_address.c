/*
 * listen_address.c - parse addresses to listen on; the default Unix socket of a process
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "access/listen_int.h"
#include "access/owned.h"

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

enum { HOST_MAX = INET6_ADDRSTRLEN + IF_NAMESIZE + 1, SHOWN_MAX = 100, V4_IN_V6 = 12 };

int listen_set_error(char *why, size_t n, const char *address, int rc, const char *format, ...)
{
	va_list args;
	int at;

	if (n == 0)
		return rc;
	at = snprintf(why, n, "%.*s: ", SHOWN_MAX, address);
	if (at < 0 || (size_t)at >= n)
		return rc;
	va_start(args, format);
	vsnprintf(why + at, n - (size_t)at, format, args);
	va_end(args);
	return rc;
}

/* Append a text at offset `at` if it fits. Returns the new length. */
static size_t listen_address_append(char *to, size_t max, size_t at, const char *text, size_t n)
{
	if (at < max && n < max - at)
		memcpy(to + at, text, n);
	return at + n;
}

static int parse_path(const char *text, struct listen_address *out, char *why, size_t n)
{
	const size_t max = sizeof(out->path.sun_path);
	char *to = out->path.sun_path, pid[16];
	size_t at = 0, n_pid = (size_t)snprintf(pid, sizeof(pid), "%d", (int)getpid());

	if (*text == '@')
		return listen_set_error(why, n, out->address, -EINVAL,
					"abstract sockets have no file permissions; use the path of a file");
	if (*text == '\0' || text[strlen(text) - 1] == '/')
		return listen_set_error(why, n, out->address, -EINVAL, "not the path of a file");
	if (*text != '/') { /* make it absolute: the program may change its working directory before it is unlinked */
		char here[sizeof(out->path.sun_path)];

		if (getcwd(here, sizeof(here))) {
			at = listen_address_append(to, max, at, here, strlen(here));
			at = listen_address_append(to, max, at, "/", here[1] != '\0');
		} else if (errno == ERANGE) {
			at = max;
		} else {
			return listen_set_error(why, n, out->address, -errno, "cannot find the current folder: %s",
						strerrordesc_np(errno));
		}
	}
	for (; *text; text++)
		if (text[0] == '%' && text[1] == 'p') {
			at = listen_address_append(to, max, at, pid, n_pid);
			text++;
		} else {
			at = listen_address_append(to, max, at, text, 1);
		}
	if (at >= max)
		return listen_set_error(why, n, out->address, -ENAMETOOLONG, "path too long: the limit is %zu bytes",
					max - 1);
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

static void set_loopback(struct listen_address *out)
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

/*
 * host: cut off before "%INTERFACE", if present. An IPv4-mapped address becomes IPv4, because IPV6_V6ONLY sockets
 * cannot bind it.
 */
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

static int parse_host(char *host, bool brackets, struct listen_address *out, char *why, size_t n)
{
	if (!brackets && (!*host || strcasecmp(host, "localhost") == 0 || strcasecmp(host, "localhost.") == 0)) {
		set_loopback(out);
		return 0;
	}
	out->n = 1;
	if (brackets) {
		if (parse_v6(host, &out->ip[0]))
			return 0;
		return listen_set_error(why, n, out->address, -EINVAL,
					"not an IPv6 address in brackets; only link-local ones can have %%INTERFACE");
	}
	if (strchr(host, ':'))
		return listen_set_error(why, n, out->address, -EINVAL, "write an IPv6 address in brackets: [::1]:7777");
	if (parse_v4(host, &out->ip[0]))
		return 0;
	return listen_set_error(why, n, out->address, -EINVAL,
				"host names are not resolved; use an address or \"localhost\"");
}

/* Parse "HOST:PORT", ":PORT" or "PORT". */
static int parse_ip(const char *text, struct listen_address *out, char *why, size_t n)
{
	bool brackets = *text == '[';
	const char *close = brackets ? strchr(text, ']') : NULL, *colon = strrchr(text, ':'), *port;
	char host[HOST_MAX] = "";
	size_t n_host;

	if (brackets && (!close || close[1] != ':'))
		return listen_set_error(why, n, out->address, -EINVAL, ":PORT is missing after [ADDRESS]");
	if (!brackets && !colon && text[strspn(text, "0123456789")] != '\0')
		return listen_set_error(why, n, out->address, -EINVAL,
					"not an address; use HOST:PORT, PORT or the path of a socket");
	port = close ? close + 2 : colon ? colon + 1 : text;
	if (!parse_port(port, &out->port))
		return listen_set_error(why, n, out->address, -EINVAL, "the port must be a number from 0 to 65535");
	text += brackets;
	n_host = close ? (size_t)(close - text) : colon ? (size_t)(colon - text) : 0;
	if (n_host >= sizeof(host))
		return listen_set_error(why, n, out->address, -EINVAL, "address too long");
	memcpy(host, text, n_host);
	return parse_host(host, brackets, out, why, n);
}

int listen_parse(const char *address, struct listen_address *out, char *why, size_t n)
{
	*out = (struct listen_address){ .address = address ? address : "" };
	if (!*out->address)
		return listen_set_error(why, n, "address", -EINVAL, "missing");
	if (strncasecmp(address, "http://", 7) == 0 || strncasecmp(address, "https://", 8) == 0)
		return listen_set_error(why, n, address, -EINVAL, "use HOST:PORT without %.*s",
					(int)(strchr(address, ':') + 3 - address), address);
	if (strncmp(address, "unix:", 5) == 0)
		return parse_path(address + 5, out, why, n);
	if (strchr(address, '/'))
		return parse_path(address, out, why, n);
	return parse_ip(address, out, why, n);
}

enum { FOLDER_MODE = 0700, MODE_OTHERS = 077, PATH_SIZE = sizeof(((struct sockaddr_un *)0)->sun_path) };

/* Read an environment variable without getenv, which the program may replace. Returns NULL in setuid programs. */
static const char *get_variable(const char *name)
{
	size_t n = strlen(name);

	if (getauxval(AT_SECURE))
		return NULL;
	for (char **e = environ; e && *e; e++)
		if (strncmp(*e, name, n) == 0 && (*e)[n] == '=')
			return *e + n + 1;
	return NULL;
}

static bool is_private(int fd)
{
	struct stat is;

	return fstat(fd, &is) == 0 && S_ISDIR(is.st_mode) && is.st_uid == geteuid() && !(is.st_mode & MODE_OTHERS);
}

/* Create a folder, unless it exists, and check that it belongs to this user alone. */
static int listen_address_make_folder(int in, const char *name)
{
	int made = mkdirat(in, name, FOLDER_MODE), fd, rc;
	struct owned_fd o;

	if (made != 0 && errno != EEXIST)
		return -errno;
	if (made == 0 && fchmodat(in, name, FOLDER_MODE, 0) != 0) /* the umask may have removed bits */
		return -errno;
	fd = openat(in, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	owned_record(&o, fd);
	rc = is_private(fd) ? 0 : -EPERM;
	owned_close(&o);
	return rc;
}

/* shared: path is a folder like /tmp; otherwise it must belong to this user alone. */
static int try_folder(const char *path, bool shared, const char *name)
{
	struct owned_fd o;
	int rc, in;

	if (*path != '/')
		return -EINVAL;
	in = shared ? listen_folder(path, strlen(path)) : open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (in < 0)
		return shared ? in : -errno;
	owned_record(&o, in);
	rc = shared || is_private(in) ? listen_address_make_folder(in, name) : -EPERM;
	owned_close(&o);
	return rc;
}

/* Replace characters of a program name that are special in paths or on terminals. */
static void make_plain(const char *name, char *out, size_t n)
{
	size_t at = 0;

	for (; *name && at + 1 < n; name++) {
		uint8_t c = (uint8_t)*name;

		out[at++] = c <= ' ' || c == '/' || c == '%' || c >= 127 ? '_' : (char)c;
	}
	out[at] = '\0';
}

static int join_path(const char *folder, const char *under, const char *name, char *out, size_t n)
{
	int pid = (int)getpid(), whole = snprintf(NULL, 0, "%s/%s/-%d.sock", folder, under, pid);
	size_t most = n < PATH_SIZE ? n : PATH_SIZE;
	char words[NAME_MAX + 1];

	if (whole < 0 || (size_t)whole + 1 >= most)
		return -ENAMETOOLONG;
	make_plain(*name ? name : "program", words, sizeof(words));
	snprintf(out, n, "%s/%s/%.*s-%d.sock", folder, under, (int)(most - (size_t)whole - 1), words, pid);
	return 0;
}

int listen_default_path(const char *name, char *out, size_t n)
{
	char run[32], under_tmp[32];
	const char *given = get_variable("XDG_RUNTIME_DIR");
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
			rc = join_path(at[i].folder, at[i].under, name, out, n);
		if (rc == 0)
			break;
	}
	return rc;
}
