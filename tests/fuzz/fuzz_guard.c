/*
 * fuzz_guard.c - any text as request headers that identify the client, as an address to listen on, and as a
 * list of sockets
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The lines of the input are the headers Host, Authorization and X-Cpa-Secret, and an address; the whole input is also
 * a list of sockets. Stops when a Host is accepted that does not name this machine, when a wrong secret is accepted, or
 * when an address is neither accepted nor rejected with a message.
 */
#include "config.h"

#include "fuzz.h"

#include "libcpaprof/endpoint/access.h"
#include "access/listen_int.h"
#include "access/peer.h"

#include <arpa/inet.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#define SECRET "0123456789abcdefghijklmnopqrstuvwxyzABCD"
#define ALLOWED "prof.example"

enum { LINES = 4, LINE_ROOM = 2048 };

static struct request_head head_of(char *const line[LINES])
{
	return (struct request_head){ .method = "GET",
				      .target = "/",
				      .host = line[0],
				      .origin = "",
				      .fetch_site = "",
				      .authorization = line[1],
				      .secret = line[2],
				      .has_host = true };
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), n_end = strlen(end);

	return n >= n_end && strcasecmp(text + n - n_end, end) == 0;
}

/* Does a Host name this machine, or an allowed one? Decided in another way than in the guard: from its end. */
static bool may_pass(const char *host)
{
	char name[LINE_ROOM];
	size_t n;
	struct in6_addr ip;

	snprintf(name, sizeof(name), "%s", host);
	n = strlen(name);
	while (n > 0 && name[n - 1] >= '0' && name[n - 1] <= '9')
		n--;
	if (n > 0 && name[n - 1] == ':')
		name[n - 1] = '\0';
	n = strlen(name);
	if (n > 2 && name[0] == '[' && name[n - 1] == ']') {
		name[n - 1] = '\0';
		name[strcspn(name, "%")] = '\0';
		return inet_pton(AF_INET6, name + 1, &ip) == 1;
	}
	if (n > 0 && name[n - 1] == '.')
		name[n - 1] = '\0';
	return strcasecmp(name, "localhost") == 0 || ends_with(name, ".localhost") || strcasecmp(name, ALLOWED) == 0 ||
	       inet_pton(AF_INET, name, &ip) == 1;
}

static void check_headers(char *const line[LINES])
{
	struct endpoint_access open = { .hosts = "a.example," ALLOWED },
			       closed = { .secret = { .text = SECRET, .n = sizeof(SECRET) - 1 } };
	struct request_head h = head_of(line);
	const char *bearer = strncasecmp(line[1], "bearer ", 7) == 0 ? line[1] + 7 : "";
	bool knows = strcmp(bearer + strspn(bearer, " "), SECRET) == 0 || strcmp(line[2], SECRET) == 0;
	struct endpoint_verdict says = endpoint_access_check_request(&open, &h, false, 1);

	if ((says.status != 0 && says.status != 403) || (says.status != 0) != (says.text != NULL))
		abort();
	if (says.status == 0 && !may_pass(line[0]))
		abort();
	if (endpoint_access_check_request(&open, &h, true, 1).status != 0)
		abort();
	if (endpoint_access_check_request(&closed, &h, true, 1).status != (knows ? 0 : 401))
		abort();
}

static void check_address(const char *address)
{
	struct listen_address p;
	char why[256] = "";
	int rc = listen_parse(address, &p, why, sizeof(why));

	if (rc > 0 || (rc < 0) != (why[0] != '\0'))
		abort();
	if (rc == 0 && p.is_unix ? p.path.sun_path[0] != '/' || !memchr(p.path.sun_path, '\0', sizeof(p.path.sun_path))
				 : rc == 0 && (p.n < 1 || p.n > LISTEN_MAX || !p.ip[0].any.sa_family))
		abort();
	if (rc == 0 && p.n == 2 && !(listen_is_loopback(&p.ip[0]) && listen_is_loopback(&p.ip[1])))
		abort();
}

static void check_list(const uint8_t *data, size_t n)
{
	const struct peer_pair p = {
		.here = { .s6_addr = { [10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1 } },
		.there = { .s6_addr = { [10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1 } },
		.here_port = htons(7777),
		.there_port = htons(40000),
	};
	int fd = memfd_create("tcp", MFD_CLOEXEC), rc;
	uid_t user = 77;

	if (fd < 0 || write(fd, data, n) != (ssize_t)n)
		abort();
	lseek(fd, 0, SEEK_SET);
	rc = peer_user_in_file(fd, &p, &user);
	if (rc > 0 || (rc < 0 && user != 77))
		abort();
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static char room[LINES][LINE_ROOM];
	char *const line[LINES] = { room[0], room[1], room[2], room[3] };
	size_t at = 0;

	for (int i = 0; i < LINES; i++) {
		size_t length = 0;

		while (at < n && data[at] != '\n' && data[at] != '\0' && length + 1 < LINE_ROOM)
			room[i][length++] = (char)data[at++];
		room[i][length] = '\0';
		at += at < n;
	}
	check_headers(line);
	check_address(line[3]);
	check_list(data, n);
	return 0;
}
