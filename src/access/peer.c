/*
 * peer.c - find the user at the other end of a TCP connection
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The kernel stores the user of each socket, and reports it for all sockets of this machine. For a closed socket, also
 * in TIME_WAIT, it reports user 0. Such sockets have inode 0, and are ignored.
 */
#include "config.h"

#include "access/peer.h"
#include "access/owned.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { V4_IN_V6 = 12, V4_SIZE = 4, LOOPBACK_NET = 127, ANSWER_MAX = 1024, ANSWER_MS = 1000 };

/* Limits of the lines of /proc/net/tcp. */
enum { LINE_MAX_LEN = 256, READ_SIZE = 4096, WORDS = 4, WORD_DIGITS = 8 };

union ip {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static bool peer_convert(const union ip *ip, struct in6_addr *address, in_port_t *port, uint32_t *link)
{
	if (ip->any.sa_family == AF_INET6) {
		*address = ip->v6.sin6_addr;
		*port = ip->v6.sin6_port;
		*link = ip->v6.sin6_scope_id;
		return true;
	}
	*address = (struct in6_addr){ .s6_addr = { [10] = 0xff, [11] = 0xff } };
	memcpy(address->s6_addr + V4_IN_V6, &ip->v4.sin_addr, V4_SIZE);
	*port = ip->v4.sin_port;
	return ip->any.sa_family == AF_INET;
}

bool peer_pair(int fd, struct peer_pair *out)
{
	union ip here = { 0 }, there = { 0 };

	*out = (struct peer_pair){ 0 };
	return getsockname(fd, &here.any, &(socklen_t){ sizeof(here) }) == 0 &&
	       getpeername(fd, &there.any, &(socklen_t){ sizeof(there) }) == 0 &&
	       peer_convert(&here, &out->here, &out->here_port, &out->link) &&
	       peer_convert(&there, &out->there, &out->there_port, &out->link);
}

static bool is_loopback(const struct in6_addr *ip)
{
	return IN6_IS_ADDR_LOOPBACK(ip) || (IN6_IS_ADDR_V4MAPPED(ip) && ip->s6_addr[V4_IN_V6] == LOOPBACK_NET);
}

/* A peer that connects to a loopback address is on this machine, even if its own address is another one. */
bool peer_is_local(const struct peer_pair *p)
{
	return is_loopback(&p->there) || is_loopback(&p->here) || memcmp(&p->there, &p->here, sizeof(p->there)) == 0;
}

bool peer_is_loopback(const struct peer_pair *p)
{
	return is_loopback(&p->there);
}

void peer_format(const struct peer_pair *p, char *out, size_t n)
{
	const uint8_t *bytes = p->there.s6_addr;

	out[0] = '\0';
	if (IN6_IS_ADDR_V4MAPPED(&p->there))
		inet_ntop(AF_INET, bytes + V4_IN_V6, out, (socklen_t)n);
	else
		inet_ntop(AF_INET6, bytes, out, (socklen_t)n);
}

/* Convert an address of the kernel: AF_INET uses only the first word, AF_INET6 may be an IPv4-mapped address. */
static struct in6_addr address_of(uint8_t family, const uint32_t word[4])
{
	struct in6_addr ip = { .s6_addr = { [10] = 0xff, [11] = 0xff } };

	if (family == AF_INET)
		memcpy(ip.s6_addr + V4_IN_V6, word, V4_SIZE);
	else
		memcpy(&ip, word, sizeof(ip));
	return ip;
}

static bool peer_is_same(const struct in6_addr *a, const struct in6_addr *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/* Check that the answer is the socket of the peer, and neither a listening nor a closed socket. */
static int peer_check_answer(const struct inet_diag_msg *m, const struct peer_pair *p, uid_t *out)
{
	struct in6_addr src = address_of(m->idiag_family, m->id.idiag_src),
			dst = address_of(m->idiag_family, m->id.idiag_dst);

	if (!peer_is_same(&src, &p->there) || !peer_is_same(&dst, &p->here) || m->id.idiag_sport != p->there_port ||
	    m->id.idiag_dport != p->here_port || m->idiag_inode == 0)
		return -ENOENT;
	*out = m->idiag_uid;
	return 0;
}

static int receive(int fd, const struct peer_pair *p, uid_t *out)
{
	union {
		struct nlmsghdr head;
		char room[ANSWER_MAX];
	} answer;
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	struct sockaddr_nl from = { 0 };
	socklen_t n_from = sizeof(from);
	ssize_t got;

	if (poll(&ready, 1, ANSWER_MS) != 1)
		return -ETIMEDOUT;
	got = recvfrom(fd, &answer, sizeof(answer), MSG_DONTWAIT, (struct sockaddr *)&from, &n_from);
	if (got < 0)
		return -errno;
	if (from.nl_pid != 0 || !NLMSG_OK(&answer.head, (size_t)got)) /* netlink port 0 is the kernel */
		return -EPROTO;
	if (answer.head.nlmsg_type == NLMSG_ERROR && answer.head.nlmsg_len >= NLMSG_LENGTH(sizeof(struct nlmsgerr))) {
		int rc = ((const struct nlmsgerr *)NLMSG_DATA(&answer.head))->error;

		return rc < 0 ? rc : -EPROTO;
	}
	if (answer.head.nlmsg_type != SOCK_DIAG_BY_FAMILY ||
	    answer.head.nlmsg_len < NLMSG_LENGTH(sizeof(struct inet_diag_msg)))
		return -EPROTO;
	return peer_check_answer(NLMSG_DATA(&answer.head), p, out);
}

int peer_user_by_netlink(const struct peer_pair *p, uid_t *out)
{
	struct {
		struct nlmsghdr head;
		struct inet_diag_req_v2 is;
	} ask = {
		.head = { .nlmsg_len = sizeof(ask), .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST },
		.is = { .sdiag_protocol = IPPROTO_TCP,
			.idiag_states = UINT32_MAX,
			.id = { .idiag_sport = p->there_port,
				.idiag_dport = p->here_port,
				.idiag_if = p->link,
				.idiag_cookie = { INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE } } },
	};
	const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	struct owned_fd o;
	int fd, rc;

	if (IN6_IS_ADDR_V4MAPPED(&p->there)) {
		ask.is.sdiag_family = AF_INET;
		memcpy(ask.is.id.idiag_src, p->there.s6_addr + V4_IN_V6, V4_SIZE);
		memcpy(ask.is.id.idiag_dst, p->here.s6_addr + V4_IN_V6, V4_SIZE);
	} else {
		ask.is.sdiag_family = AF_INET6;
		memcpy(ask.is.id.idiag_src, &p->there, sizeof(p->there));
		memcpy(ask.is.id.idiag_dst, &p->here, sizeof(p->here));
	}
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	if (fd < 0)
		return -errno;
	owned_record(&o, fd);
	rc = sendto(fd, &ask, sizeof(ask), 0, (const struct sockaddr *)&kernel, sizeof(kernel)) == (ssize_t)sizeof(ask)
		     ? receive(fd, p, out)
		     : -EIO;
	owned_close(&o);
	return rc;
}

static bool peer_is_space(char c)
{
	return c == ' ';
}

static const char *peer_skip_spaces(const char *at)
{
	while (peer_is_space(*at))
		at++;
	return at;
}

/* Skip a word. */
static const char *skip_word(const char *at)
{
	at = peer_skip_spaces(at);
	while (*at && !peer_is_space(*at))
		at++;
	return at;
}

/* Parse a number of at most `max` digits, and advance *at. Returns false if there is no digit. */
static bool peer_parse_number(const char **at, int base, int max, uint64_t *out)
{
	int n = 0;

	*out = 0;
	for (; n < max; n++, (*at)++) {
		int c = **at, digit = c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;

		if (digit >= base)
			break;
		*out = *out * (uint64_t)base + (uint64_t)digit;
	}
	return n > 0;
}

/* Parse "0100007F:1F90": the words of the address are in host byte order, the port is a plain number. */
static const char *parse_end(const char *at, struct in6_addr *ip, in_port_t *port)
{
	uint32_t word[WORDS];
	uint64_t value;
	int n = 0;

	for (at = peer_skip_spaces(at); *at != ':' && n < WORDS; n++) {
		const char *from = at;

		if (!peer_parse_number(&at, 16, WORD_DIGITS, &value) || at - from != WORD_DIGITS)
			return NULL;
		word[n] = (uint32_t)value;
	}
	if ((n != 1 && n != WORDS) || *at++ != ':' || !peer_parse_number(&at, 16, 4, &value))
		return NULL;
	*ip = address_of(n == 1 ? AF_INET : AF_INET6, word);
	*port = htons((uint16_t)value);
	return at;
}

/* Parse "0: LOCAL REMOTE STATE QUEUES TIMER RETRANSMITS USER TIMEOUT INODE ...". */
static bool peer_parse_line(const char *line, const struct peer_pair *p, uid_t *out)
{
	struct in6_addr src, dst;
	in_port_t sport, dport;
	uint64_t user, inode;
	const char *at = parse_end(skip_word(line), &src, &sport);

	at = at ? parse_end(at, &dst, &dport) : NULL;
	if (!at || sport != p->there_port || dport != p->here_port || !peer_is_same(&src, &p->there) ||
	    !peer_is_same(&dst, &p->here))
		return false;
	at = peer_skip_spaces(skip_word(skip_word(skip_word(skip_word(at)))));
	if (!peer_parse_number(&at, 10, 10, &user) || user > UINT32_MAX)
		return false;
	at = peer_skip_spaces(skip_word(at));
	if (!peer_parse_number(&at, 10, 19, &inode) || inode == 0)
		return false;
	*out = (uid_t)user;
	return true;
}

int peer_user_in_file(int fd, const struct peer_pair *p, uid_t *out)
{
	char text[READ_SIZE + 1];
	size_t n = 0;
	ssize_t got;

	while ((got = read(fd, text + n, READ_SIZE - n)) > 0) {
		char *line = text, *end;

		n += (size_t)got;
		text[n] = '\0';
		for (; (end = strchr(line, '\n')); line = end + 1) {
			*end = '\0';
			if (peer_parse_line(line, p, out))
				return 0;
		}
		n = (size_t)(text + n - line);
		if (n >= LINE_MAX_LEN) /* no valid line is that long */
			return -EPROTO;
		memmove(text, line, n);
	}
	return got < 0 ? -errno : -ENOENT;
}

int peer_user_by_proc(const struct peer_pair *p, uid_t *out)
{
	static const char *const files[] = { "/proc/thread-self/net/tcp", "/proc/thread-self/net/tcp6" };
	int rc = -ENOENT, last = -ENOENT;

	/* IPv6 sockets with IPv4 peers are in tcp6 */
	for (int i = IN6_IS_ADDR_V4MAPPED(&p->there) ? 0 : 1; i < 2; i++) {
		int fd = open(files[i], O_RDONLY | O_CLOEXEC);
		struct owned_fd o;

		rc = fd < 0 ? -errno : 0;
		owned_record(&o, fd);
		if (rc == 0)
			rc = peer_user_in_file(fd, p, out);
		owned_close(&o);
		if (rc == 0)
			return 0;
		if (i == 0)
			last = rc;
	}
	return rc == -ENOENT ? last : rc;
}

int peer_user(const struct peer_pair *p, uid_t *out)
{
	const struct peer_pair ours = { p->there, p->here, p->there_port, p->here_port, p->link };
	int rc = peer_user_by_netlink(p, out);
	uid_t user;

	/* A kernel without inet_diag for TCP also returns ENOENT. Check this with our own socket, which exists. */
	if (rc == 0 || (rc == -ENOENT && peer_user_by_netlink(&ours, &user) == 0))
		return rc;
	return peer_user_by_proc(p, out);
}

bool peer_is_user(int fd, bool is_unix, bool any_user)
{
	struct peer_pair p;
	uid_t user;

	if (is_unix) {
		struct ucred peer;
		socklen_t n = sizeof(peer);

		if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) != 0 || n != sizeof(peer))
			return false;
		user = peer.uid;
	} else {
		if (!peer_pair(fd, &p))
			return false;
		if (any_user || !peer_is_local(&p))
			return true;
		if (peer_user(&p, &user) != 0)
			return false;
	}
	return user == geteuid() || user == 0;
}
