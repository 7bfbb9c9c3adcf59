/*
 * make_listen.h - listeners, folders and other users for tests
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef MAKE_LISTEN_H
#define MAKE_LISTEN_H

#include "access/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534, WHY_MAX = 512, SOON_MS = 10000 };

union made_ip {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* Create and remove a private folder. */
static inline const char *made_folder(char name[64])
{
	snprintf(name, 64, "/tmp/test-listen-XXXXXX");
	assert_non_null(mkdtemp(name));
	return name;
}

static inline void made_folder_end(const char *name)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", name);
	assert_int_equal(system(command), 0);
}

static inline struct listeners made_listeners(const char *address)
{
	const struct listen_options options = { .address = address };
	char why[WHY_MAX] = "";
	struct listeners l = { 0 };

	if (listen_open(&options, &l, why, sizeof(why)) < 0)
		fail_msg("%s", why);
	return l;
}

/* Check that listening fails with rc, and with a message that contains words. */
static inline void made_refused(const struct listen_options *options, int rc, const char *words)
{
	struct listeners l = { .n = 77 };
	char why[WHY_MAX] = "";

	assert_int_equal(listen_open(options, &l, why, sizeof(why)), rc);
	if (!strstr(why, words))
		fail_msg("\"%s\" does not contain \"%s\"", why, words);
	assert_int_equal(l.n, 77);
}

static inline union made_ip made_v4(uint32_t ip, uint16_t port)
{
	return (union made_ip){
		.v4 = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(ip), .sin_port = htons(port) }
	};
}

static inline union made_ip made_v6(const char *ip, uint16_t port)
{
	union made_ip made = { .v6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) } };

	assert_int_equal(inet_pton(AF_INET6, ip, &made.v6.sin6_addr), 1);
	return made;
}

/* Connect. Returns a descriptor or -errno. */
static inline int made_connection(const union made_ip *to)
{
	int fd = socket(to->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0), rc;

	if (fd < 0)
		return -errno;
	if (connect(fd, &to->any, to->any.sa_family == AF_INET ? sizeof(to->v4) : sizeof(to->v6)) == 0)
		return fd;
	rc = -errno;
	close(fd);
	return rc;
}

static inline int made_unix_connection(const char *path)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), rc;

	memcpy(to.sun_path, path, strnlen(path, sizeof(to.sun_path) - 1));
	if (connect(fd, (const struct sockaddr *)&to, sizeof(to)) == 0)
		return fd;
	rc = -errno;
	close(fd);
	return rc;
}

static inline int made_accepted(int listener)
{
	struct pollfd ready = { .fd = listener, .events = POLLIN };

	assert_int_equal(poll(&ready, 1, SOON_MS), 1);
	return accept4(listener, NULL, NULL, SOCK_CLOEXEC);
}

static inline bool made_has_v6(void)
{
	union made_ip any = made_v6("::1", 0);
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool has = fd >= 0 && bind(fd, &any.any, sizeof(any.v6)) == 0;

	if (fd >= 0)
		close(fd);
	return has;
}

/* Call fn in a child that runs as another user. Returns the result of fn. Only for root. */
static inline bool made_as_user(uid_t user, bool (*fn)(void *arg), void *arg)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(setgid(user) == 0 && setuid(user) == 0 && fn(arg) ? 0 : 1);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

#endif
