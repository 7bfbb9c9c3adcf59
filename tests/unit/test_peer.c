/*
 * test_peer.c - find the user at the other end of a connection
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "make_listen.h"

#include "libcpaprof/endpoint/access.h"
#include "access/peer.h"

#include <sys/mman.h>

enum { LOOPBACK = 0x7f000001, FEW = 200 };

static int listening(union made_ip ip, uint16_t *port)
{
	socklen_t n = ip.any.sa_family == AF_INET ? sizeof(ip.v4) : sizeof(ip.v6);
	int fd = socket(ip.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0), off = 0;

	if (ip.any.sa_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	assert_int_equal(bind(fd, &ip.any, n), 0);
	assert_int_equal(listen(fd, FEW), 0);
	assert_int_equal(getsockname(fd, &ip.any, &n), 0);
	*port = ntohs(ip.any.sa_family == AF_INET ? ip.v4.sin_port : ip.v6.sin6_port);
	return fd;
}

typedef int user_fn(const struct peer_pair *p, uid_t *out);

static user_fn *const ways[] = { peer_user, peer_user_by_netlink, peer_user_by_proc };

/* Is a method available? A kernel or a sandbox may lack it. */
static bool is_supported(user_fn *way)
{
	uint16_t port;
	int l = listening(made_v4(LOOPBACK, 0), &port);
	union made_ip to = made_v4(LOOPBACK, port);
	int there = made_connection(&to), here = made_accepted(l);
	struct peer_pair p;
	uid_t user;
	bool tells = peer_pair(here, &p) && way(&p, &user) == 0;

	close(there);
	close(here);
	close(l);
	return tells;
}

/* Check that a connection to an address is ours by each method, and that the endpoint allows it. */
static void is_ours(int l, const union made_ip *to, bool local)
{
	const struct endpoint_access g = { 0 };
	int there = made_connection(to), here = made_accepted(l);
	struct peer_pair p;

	assert_true(there >= 0 && here >= 0);
	assert_true(peer_pair(here, &p));
	assert_int_equal(peer_is_local(&p), local);
	for (int i = 0; i < 3; i++) {
		uid_t user = 77;

		if (!is_supported(ways[i]))
			continue;
		assert_int_equal(ways[i](&p, &user), 0);
		assert_int_equal(user, geteuid());
	}
	assert_true(peer_is_user(here, false, g.any_user));
	close(there);
	close(here);
}

static void our_own_connections_are_recognized(void **state)
{
	uint16_t port;
	int l = listening(made_v4(LOOPBACK, 0), &port);
	union made_ip v4 = made_v4(LOOPBACK, port), mapped = made_v6("::ffff:127.0.0.1", port), v6;

	(void)state;
	is_ours(l, &v4, true);
	if (!made_has_v6()) {
		close(l);
		return;
	}
	is_ours(l, &mapped, true); /* the peer has an IPv6 socket */
	close(l);
	l = listening(made_v6("::1", 0), &port);
	v6 = made_v6("::1", port);
	is_ours(l, &v6, true);
	close(l);
	l = listening(made_v6("::", 0), &port); /* our end is an IPv6 socket */
	v6 = made_v6("::1", port);
	v4 = made_v4(LOOPBACK, port);
	mapped = made_v6("::ffff:127.0.0.1", port);
	is_ours(l, &v6, true);
	is_ours(l, &v4, true);
	is_ours(l, &mapped, true);
	close(l);
}

struct visit {
	union made_ip to;
	const char *path;
	int ready, done;
};

/* Connect, report this, and wait until released. */
static bool visits(void *arg)
{
	struct visit *v = arg;
	int fd = v->path ? made_unix_connection(v->path) : made_connection(&v->to);
	char c = 0;

	close(v->ready);
	if (fd >= 0)
		(void)!read(v->done, &c, 1);
	return fd >= 0;
}

/* Does the endpoint allow this user? */
static bool passes(int l, struct visit *v, uid_t user, const struct endpoint_access *g, bool is_unix)
{
	int done[2], fd;
	bool passed;
	pid_t pid;

	assert_int_equal(pipe(done), 0);
	pid = fork();
	if (pid == 0) {
		close(done[1]);
		v->ready = -1;
		v->done = done[0];
		_exit(setgid(user) == 0 && setuid(user) == 0 && visits(v) ? 0 : 1);
	}
	close(done[0]);
	fd = made_accepted(l);
	assert_true(fd >= 0);
	passed = peer_is_user(fd, is_unix, g->any_user);
	close(fd);
	close(done[1]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return passed;
}

static void another_user_is_refused(void **state)
{
	const struct endpoint_access g = { 0 }, any = { .any_user = true };
	uint16_t port;
	int l = listening(made_v4(LOOPBACK, 0), &port);
	struct visit v4 = { .to = made_v4(LOOPBACK, port) }, v6;

	(void)state;
	if (geteuid() != 0) {
		close(l);
		skip();
	}
	assert_true(passes(l, &v4, 0, &g, false));
	assert_false(passes(l, &v4, NOBODY, &g, false));
	assert_true(passes(l, &v4, NOBODY, &any, false));
	if (made_has_v6()) {
		v6 = (struct visit){ .to = made_v6("::ffff:127.0.0.1", port) };
		assert_false(passes(l, &v6, NOBODY, &g, false));
		close(l);
		l = listening(made_v6("::1", 0), &port);
		v6.to = made_v6("::1", port);
		assert_true(passes(l, &v6, 0, &g, false));
		assert_false(passes(l, &v6, NOBODY, &g, false));
	}
	close(l);
}

static void root_may_connect_to_other_users(void **state)
{
	uint16_t port;
	int l = listening(made_v4(LOOPBACK, 0), &port), status;
	union made_ip to = made_v4(LOOPBACK, port);
	pid_t pid;

	(void)state;
	if (geteuid() != 0) {
		close(l);
		skip();
	}
	pid = fork();
	if (pid == 0) {
		const struct endpoint_access g = { 0 };
		int of_root = made_connection(&to), of_nobody, first = made_accepted(l), second;

		if (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)
			_exit(1);
		of_nobody = made_connection(&to);
		second = made_accepted(l);
		_exit(of_root >= 0 && of_nobody >= 0 && peer_is_user(first, false, g.any_user) &&
				      peer_is_user(second, false, g.any_user)
			      ? 0
			      : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(l);
}

static void another_user_of_a_unix_socket_is_refused(void **state)
{
	const struct endpoint_access g = { 0 }, any = { .any_user = true };
	char name[64], path[128];
	struct visit v = { .path = path };
	struct listeners l;

	(void)state;
	snprintf(path, sizeof(path), "%s/s", made_folder(name));
	l = made_listeners(path);
	{
		int there = made_unix_connection(path), here = made_accepted(l.listener[0].fd);

		assert_true(peer_is_user(here, true, g.any_user));
		close(there);
		close(here);
	}
	if (geteuid() == 0) { /* its mode allows all users */
		assert_int_equal(chmod(name, 0755), 0);
		assert_int_equal(chmod(path, 0666), 0);
		assert_true(passes(l.listener[0].fd, &v, 0, &g, true));
		assert_false(passes(l.listener[0].fd, &v, NOBODY, &g, true));
		assert_false(passes(l.listener[0].fd, &v, NOBODY, &any, true));
	}
	listen_close(&l, false);
	made_folder_end(name);
}

/* The kernel reports user 0 for closed sockets, so a client could pretend to be root by closing its socket. */
static void a_closed_socket_has_no_user(void **state)
{
	const struct endpoint_access g = { 0 };
	uint16_t port;
	int l = listening(made_v4(LOOPBACK, 0), &port);
	union made_ip to = made_v4(LOOPBACK, port);
	int there = made_connection(&to), here = made_accepted(l);
	struct peer_pair p;
	struct pollfd ended = { .fd = here, .events = POLLIN };

	(void)state;
	assert_int_equal(write(there, "GET", 3), 3);
	assert_true(peer_is_user(here, false, g.any_user));
	assert_int_equal(shutdown(there, SHUT_WR), 0); /* the client can still read */
	assert_true(peer_is_user(here, false, g.any_user));
	close(there);
	assert_int_equal(poll(&ended, 1, SOON_MS), 1);
	assert_true(peer_pair(here, &p));
	for (int i = 0; i < 3; i++) {
		uid_t user = 77;

		if (is_supported(ways[i]))
			assert_int_equal(ways[i](&p, &user), -ENOENT);
		assert_int_equal(user, 77);
	}
	assert_false(peer_is_user(here, false, g.any_user));
	close(here);
	close(l);
}

/* For a missing connection the kernel may answer with a listener on its port. */
static void a_listener_is_not_a_connection(void **state)
{
	uint16_t port, other_port;
	int l = listening(made_v4(LOOPBACK, 0), &port), other = listening(made_v4(LOOPBACK, 0), &other_port);
	struct peer_pair p = {
		.here = { .s6_addr = { [10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1 } },
		.there = { .s6_addr = { [10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1 } },
		.here_port = htons(port),
		.there_port = htons(other_port),
	};

	(void)state;
	for (int i = 0; i < 3; i++) {
		uid_t user = 77;

		if (is_supported(ways[i]))
			assert_int_equal(ways[i](&p, &user), -ENOENT);
		assert_int_equal(user, 77);
	}
	close(l);
	close(other);
}

static void peers_on_other_machines_need_only_the_secret(void **state)
{
	struct peer_pair p = { .here = { .s6_addr = { [10] = 0xff, [11] = 0xff, [12] = 192, [14] = 2, [15] = 1 } },
			       .there = { .s6_addr = { [10] = 0xff, [11] = 0xff, [12] = 192, [14] = 2, [15] = 2 } } };

	(void)state;
	assert_false(peer_is_local(&p));
	p.there = p.here;
	assert_true(peer_is_local(&p)); /* a socket connected to itself */
	p.there.s6_addr[15] = 9;
	p.here = (struct in6_addr){ .s6_addr = { [10] = 0xff, [11] = 0xff, [12] = 127, [15] = 5 } };
	assert_true(peer_is_local(&p)); /* a connection from another address of this machine */
	p.here = p.there;
	p.there = in6addr_loopback;
	assert_true(peer_is_local(&p));
	p.there.s6_addr[0] = 0x20;
	assert_false(peer_is_local(&p));
}

/* Not a connection over IP, or a closed one. */
static void peers_without_a_known_user_are_refused(void **state)
{
	const struct endpoint_access g = { .any_user = true };
	int pair[2], file = memfd_create("none", MFD_CLOEXEC), udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	assert_false(peer_is_user(pair[0], false, g.any_user));
	assert_false(peer_is_user(file, false, g.any_user));
	assert_false(peer_is_user(file, true, g.any_user));
	assert_false(peer_is_user(udp, false, g.any_user));
	assert_false(peer_is_user(-1, false, g.any_user));
	assert_false(peer_is_user(-1, true, g.any_user));
	close(pair[0]);
	close(pair[1]);
	close(file);
	close(udp);
}

#define LINE(local, remote, user, inode)                                                                               \
	"   1: " local " " remote " 01 00000000:00000000 00:00000000 00000000 " user "        0 " inode                \
	" 1 0 20 4 0 10 -1\n"

static int in_text(const char *text, uid_t *out)
{
	const struct peer_pair p = {
		.here = { .s6_addr = { [10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1 } },
		.there = { .s6_addr = { [10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1 } },
		.here_port = htons(7777),
		.there_port = htons(40000),
	};
	int fd = memfd_create("tcp", MFD_CLOEXEC), rc;

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	lseek(fd, 0, SEEK_SET);
	rc = peer_user_in_file(fd, &p, out);
	close(fd);
	return rc;
}

static void socket_lists_of_the_kernel_are_parsed(void **state)
{
	static const char head[] =
		"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n";
	static const char ours[] = LINE("0100007F:9C40", "0100007F:1E61", "1000", "4242");
	char text[64 * 1024], again[4096], line[300];
	uid_t user = 0;
	size_t n;

	(void)state;
	if (htons(1) == 1) /* addresses are in host byte order */
		skip();
	snprintf(text, sizeof(text), "%s%s", head, ours);
	assert_int_equal(in_text(text, &user), 0);
	assert_int_equal(user, 1000);
	assert_int_equal(in_text(LINE("0000000000000000FFFF00000100007F:9C40", "0000000000000000FFFF00000100007F:1E61",
				      "4294967294", "1"),
				 &user),
			 0);
	assert_int_equal(user, 4294967294);
	assert_int_equal(in_text(LINE("0100007F:9C41", "0100007F:1E61", "1000", "4242"), &user), -ENOENT);
	assert_int_equal(in_text(LINE("0100007F:9C40", "0100007F:1E62", "1000", "4242"), &user), -ENOENT);
	assert_int_equal(in_text(LINE("0200007F:9C40", "0100007F:1E61", "1000", "4242"), &user), -ENOENT);
	assert_int_equal(in_text(LINE("0100007F:9C40", "0100007F:1E61", "0", "0"), &user), -ENOENT);
	assert_int_equal(in_text(LINE("0100007F:9C40", "00000000:0000", "0", "7"), &user), -ENOENT);
	assert_int_equal(in_text("", &user), -ENOENT);
	memset(again, 'x', sizeof(again) - 1);
	again[sizeof(again) - 1] = '\0';
	assert_int_equal(in_text(again, &user), -EPROTO); /* a line that is too long */
	for (int pad = 0; pad < 200; pad++) {             /* move the boundary of reads through a line */
		n = (size_t)snprintf(text, sizeof(text), "%*s\n", pad, "");
		snprintf(line, sizeof(line), "%s", LINE("0100007F:0001", "0100007F:1E61", "5", "6"));
		for (int i = 0; i < 100; i++)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s", line);
		snprintf(text + n, sizeof(text) - n, "%s", ours);
		user = 77;
		assert_int_equal(in_text(text, &user), 0);
		assert_int_equal(user, 1000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(our_own_connections_are_recognized),
		cmocka_unit_test(another_user_is_refused),
		cmocka_unit_test(root_may_connect_to_other_users),
		cmocka_unit_test(another_user_of_a_unix_socket_is_refused),
		cmocka_unit_test(a_closed_socket_has_no_user),
		cmocka_unit_test(a_listener_is_not_a_connection),
		cmocka_unit_test(peers_on_other_machines_need_only_the_secret),
		cmocka_unit_test(peers_without_a_known_user_are_refused),
		cmocka_unit_test(socket_lists_of_the_kernel_are_parsed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
