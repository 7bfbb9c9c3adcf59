/*
 * test_listen.c - listening addresses, and descriptors that programs close
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

#include <ifaddrs.h>
#include <net/if.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { LOOPBACK = 0x7f000001 };

static bool answers(const union made_ip *to)
{
	int fd = made_connection(to);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void a_port_alone_listens_on_both_loopback_addresses(void **state)
{
	static const char *const addresses[] = { "0", ":0", "localhost:0", "LOCALHOST.:0" };

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct listeners l = made_listeners(addresses[i]);
		union made_ip v4 = made_v4(LOOPBACK, l.port), v6 = made_v6("::1", l.port);
		char shown[LISTEN_URL_MAX];

		assert_int_equal(l.n, made_has_v6() ? 2 : 1);
		assert_int_not_equal(l.port, 0);
		assert_true(answers(&v4));
		assert_true(!made_has_v6() || answers(&v6));
		assert_false(l.listener[0].is_public || l.listener[0].is_unix);
		snprintf(shown, sizeof(shown), "http://127.0.0.1:%u", l.port);
		assert_string_equal(l.url, shown);
		listen_close(&l, false);
		assert_false(answers(&v4) || answers(&v6));
		assert_int_equal(l.n, 0);
	}
}

static void only_the_given_address_is_bound(void **state)
{
	struct listeners l = made_listeners("127.0.0.1:0"), mapped = made_listeners("[::ffff:127.0.0.2]:0");
	union made_ip v4 = made_v4(LOOPBACK, l.port), v6 = made_v6("::1", l.port),
		      second = made_v4(LOOPBACK + 1, l.port);

	(void)state;
	assert_int_equal(l.n, 1);
	assert_true(answers(&v4));
	assert_false(answers(&v6) || answers(&second));
	second.v4.sin_port = htons(mapped.port);
	assert_true(answers(&second));
	listen_close(&l, false);
	listen_close(&mapped, false);
	if (!made_has_v6())
		return;
	l = made_listeners("[::1]:0");
	v4.v4.sin_port = v6.v6.sin6_port = htons(l.port);
	assert_true(answers(&v6));
	assert_false(answers(&v4));
	assert_non_null(strstr(l.url, "http://[::1]:"));
	listen_close(&l, false);
}

static void an_error_names_the_port_in_use(void **state)
{
	struct listeners l = made_listeners("127.0.0.1:0"), second = { 0 };
	char address[32], bound[32];
	struct listen_options options = { .address = address };

	(void)state;
	snprintf(address, sizeof(address), "%u", l.port);
	snprintf(bound, sizeof(bound), "127.0.0.1:%u: Address", l.port);
	made_refused(&options, -EADDRINUSE, bound);
	listen_close(&l, false);
	if (!made_has_v6())
		return;
	l = made_listeners("[::1]:0");
	snprintf(address, sizeof(address), ":%u", l.port);
	snprintf(bound, sizeof(bound), "[::1]:%u: Address", l.port);
	made_refused(&options, -EADDRINUSE, bound);
	snprintf(address, sizeof(address), "127.0.0.1:%u", l.port);
	assert_int_equal(listen_open(&options, &second, bound, sizeof(bound)),
			 0); /* the first attempt has left no socket open */
	listen_close(&l, false);
	listen_close(&second, false);
}

static void all_addresses_need_a_secret_and_a_permission(void **state)
{
	static const char *const every[] = { "0.0.0.0:0", "[::]:0", "[::ffff:0.0.0.0]:0" };

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct listen_options options = { .address = every[i] };
		struct listeners l;
		union made_ip v4;
		char why[WHY_MAX];

		if (i == 1 && !made_has_v6())
			continue;
		made_refused(&options, -EACCES, "secret");
		options.any_address = true;
		made_refused(&options, -EACCES, "secret");
		options = (struct listen_options){ .address = every[i], .has_secret = true };
		made_refused(&options, -EACCES, "all addresses");
		options.any_address = true;
		assert_int_equal(listen_open(&options, &l, why, sizeof(why)), 0);
		assert_true(l.listener[0].is_public);
		assert_int_equal(l.n, 1);
		v4 = made_v4(LOOPBACK, l.port);
		assert_int_equal(answers(&v4), i != 1); /* [::] listens on IPv6 only */
		listen_close(&l, false);
	}
}

/* Find an address of this machine that is not loopback. */
static bool public_address(char *out, size_t n)
{
	struct ifaddrs *all, *at;
	char text[INET_ADDRSTRLEN];
	bool found = false;

	if (getifaddrs(&all) != 0)
		return false;
	for (at = all; at && !found; at = at->ifa_next) {
		const union made_ip *ip = (const void *)at->ifa_addr;

		if (!ip || ip->any.sa_family != AF_INET || at->ifa_flags & IFF_LOOPBACK || !(at->ifa_flags & IFF_UP))
			continue;
		inet_ntop(AF_INET, &ip->v4.sin_addr, text, sizeof(text));
		snprintf(out, n, "%s:0", text);
		found = true;
	}
	freeifaddrs(all);
	return found;
}

static void a_public_address_needs_a_secret(void **state)
{
	char address[64], why[WHY_MAX];
	struct listen_options options = { .address = address, .any_address = true };
	struct listeners l;

	(void)state;
	if (!public_address(address, sizeof(address)))
		skip();
	made_refused(&options, -EACCES, "ssh -L");
	options.address = "192.0.2.7:0"; /* not an address of this machine: refused before bind */
	made_refused(&options, -EACCES, "ssh -L");
	options.address = address;
	options = (struct listen_options){ .address = address, .has_secret = true };
	assert_int_equal(listen_open(&options, &l, why, sizeof(why)), 0);
	assert_true(l.listener[0].is_public);
	listen_close(&l, false);
}

static void invalid_addresses_are_refused_with_a_reason(void **state)
{
	static const struct {
		const char *address, *words;
	} bad[] = {
		{ NULL, "missing" },
		{ "", "missing" },
		{ "example.com:80", "not resolved" },
		{ "127.1:80", "not resolved" },
		{ "*:80", "not resolved" },
		{ "::1:7777", "in brackets" },
		{ "[::1]", ":PORT is missing" },
		{ "[::1", ":PORT is missing" },
		{ "[::1]7", ":PORT is missing" },
		{ "[]:7", "IPv6 address" },
		{ "[localhost]:7", "IPv6 address" },
		{ "[127.0.0.1]:7", "IPv6 address" },
		{ "[::1%lo]:7", "link-local" },
		{ "[fe80::1%no-such-link]:7", "link-local" },
		{ ":", "the port" },
		{ "127.0.0.1:", "the port" },
		{ "127.0.0.1:65536", "the port" },
		{ ":99999999999999999999", "the port" },
		{ ":-1", "the port" },
		{ ":7 ", "the port" },
		{ "localhost", "HOST:PORT" },
		{ "127.0.0.1", "HOST:PORT" },
		{ "http://127.0.0.1:7777", "without http://" },
		{ "HTTPS://127.0.0.1:7777/", "without HTTPS://" },
		{ "unix:", "path of a file" },
		{ "/tmp/", "path of a file" },
		{ "unix:@cpa", "abstract" },
		{ "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggggggggg:1", "too long" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const struct listen_options options = { .address = bad[i].address };

		made_refused(&options, -EINVAL, bad[i].words);
	}
}

static void descriptors_are_high_and_close_on_exec(void **state)
{
	struct listeners l = made_listeners("127.0.0.1:0");
	struct rlimit was, few = { .rlim_cur = 100 };

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
	assert_true(was.rlim_cur <= LISTEN_FD_MIN || l.listener[0].fd >= LISTEN_FD_MIN);
	assert_int_equal(fcntl(l.listener[0].fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	assert_int_equal(fcntl(l.listener[0].fd, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
	listen_close(&l, false);
	few.rlim_max = was.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	l = made_listeners("127.0.0.1:0");
	assert_in_range(l.listener[0].fd, 3, 99);
	assert_true(listener_is_ours(&l.listener[0]));
	listen_close(&l, false);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
}

static void a_reused_descriptor_is_not_touched(void **state)
{
	struct listeners l = made_listeners("127.0.0.1:0");
	int fd = l.listener[0].fd, other = memfd_create("other", MFD_CLOEXEC), socket_of_program;

	(void)state;
	assert_true(listener_is_ours(&l.listener[0]));
	assert_int_equal(dup2(other, fd), fd);
	assert_false(listener_is_ours(&l.listener[0]));
	listen_close(&l, false);
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
	close(other);

	l = made_listeners("127.0.0.1:0");
	fd = l.listener[0].fd;
	close(fd);
	assert_false(listener_is_ours(&l.listener[0]));
	socket_of_program = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(dup2(socket_of_program, fd), fd);
	assert_false(listener_is_ours(&l.listener[0]));
	listen_close(&l, false);
	assert_true(fcntl(fd, F_GETFD) >= 0);
	close(fd);
	close(socket_of_program);
}

static void the_same_port_is_bound_again(void **state)
{
	const struct listen_options options = { .address = ":0" };
	struct listeners l = made_listeners(options.address);
	unsigned n = l.n;
	uint16_t port = l.port;
	union made_ip v4 = made_v4(LOOPBACK, port), v6 = made_v6("::1", port);

	(void)state;
	close(l.listener[0].fd); /* the socket of the other address is still open */
	assert_int_equal(listen_reopen(&options, &l), 0);
	assert_int_equal(l.n, n);
	assert_int_equal(l.port, port);
	assert_true(answers(&v4));
	assert_true(n == 1 || answers(&v6));
	for (unsigned i = 0; i < l.n; i++)
		close(l.listener[i].fd);
	assert_false(answers(&v4));
	assert_int_equal(listen_reopen(&options, &l), 0);
	assert_true(answers(&v4));
	listen_close(&l, false);
}

static void reopening_a_port_succeeds_once_it_is_free(void **state)
{
	const struct listen_options options = { .address = "127.0.0.1:0" };
	struct listeners l = made_listeners(options.address), other;
	uint16_t port = l.port;
	char address[32];

	(void)state;
	snprintf(address, sizeof(address), "127.0.0.1:%u", port);
	close(l.listener[0].fd);
	other = made_listeners(address);
	assert_int_equal(listen_reopen(&options, &l), -EADDRINUSE);
	assert_false(listener_is_ours(&l.listener[0]));
	listen_close(&other, false);
	assert_int_equal(listen_reopen(&options, &l), 0);
	assert_int_equal(l.port, port);
	listen_close(&l, false);
}

static void a_port_is_free_although_a_child_still_has_its_socket(void **state)
{
	struct listeners l = made_listeners("127.0.0.1:0"), again;
	int end[2];
	char address[32], c;
	pid_t pid;

	(void)state;
	snprintf(address, sizeof(address), "127.0.0.1:%u", l.port);
	assert_int_equal(pipe(end), 0);
	pid = fork();
	if (pid == 0) {
		close(end[1]);
		(void)!read(end[0], &c, 1);
		_exit(0);
	}
	close(end[0]);
	listen_close(&l, false);
	again = made_listeners(address);
	listen_close(&again, false);
	close(end[1]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void closing_in_a_child_does_not_affect_the_parent(void **state)
{
	struct listeners l = made_listeners("127.0.0.1:0");
	union made_ip v4 = made_v4(LOOPBACK, l.port);
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		int fd = l.listener[0].fd;

		listen_close(&l, true);
		_exit(fcntl(fd, F_GETFD) < 0 && l.n == 0 ? 0 : 1);
	}
	{
		int status = -1;

		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
	assert_true(answers(&v4));
	listen_close(&l, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_port_alone_listens_on_both_loopback_addresses),
		cmocka_unit_test(only_the_given_address_is_bound),
		cmocka_unit_test(an_error_names_the_port_in_use),
		cmocka_unit_test(all_addresses_need_a_secret_and_a_permission),
		cmocka_unit_test(a_public_address_needs_a_secret),
		cmocka_unit_test(invalid_addresses_are_refused_with_a_reason),
		cmocka_unit_test(descriptors_are_high_and_close_on_exec),
		cmocka_unit_test(a_reused_descriptor_is_not_touched),
		cmocka_unit_test(the_same_port_is_bound_again),
		cmocka_unit_test(reopening_a_port_succeeds_once_it_is_free),
		cmocka_unit_test(a_port_is_free_although_a_child_still_has_its_socket),
		cmocka_unit_test(closing_in_a_child_does_not_affect_the_parent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
