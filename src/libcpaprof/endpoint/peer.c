/*
 * peer.c - whose the other end of a TCP connection is
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The kernel keeps the user of each socket, and tells it of the other end as of any socket of this machine. Of one that
 * is closed, or that lingers after that, it tells user 0: those have no inode, by which they are known and left out.
 */
#include "config.h"

#include "libcpaprof/endpoint/peer.h"

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

/* The lines of the kernel's lists of sockets. */
enum { LINE_MOST = 256, READ_SIZE = 4096, WORDS = 4, WORD_DIGITS = 8 };

union ip {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static bool take(const union ip *ip, struct in6_addr *address, in_port_t *port, uint32_t *link)
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
	       take(&here, &out->here, &out->here_port, &out->link) &&
	       take(&there, &out->there, &out->there_port, &out->link);
}

static bool is_loopback(const struct in6_addr *ip)
{
	return IN6_IS_ADDR_LOOPBACK(ip) || (IN6_IS_ADDR_V4MAPPED(ip) && ip->s6_addr[V4_IN_V6] == LOOPBACK_NET);
}

/* Who comes to a loopback address is on this machine, though it may come from another address of it. */
bool peer_is_local(const struct peer_pair *p)
{
	return is_loopback(&p->there) || is_loopback(&p->here) || memcmp(&p->there, &p->here, sizeof(p->there)) == 0;
}

/* Addresses as sockets have them: of family AF_INET in the first word, of AF_INET6 perhaps mapped. */
static struct in6_addr address_of(uint8_t family, const uint32_t word[4])
{
	struct in6_addr ip = { .s6_addr = { [10] = 0xff, [11] = 0xff } };

	if (family == AF_INET)
		memcpy(ip.s6_addr + V4_IN_V6, word, V4_SIZE);
	else
		memcpy(&ip, word, sizeof(ip));
	return ip;
}

static bool is_same(const struct in6_addr *a, const struct in6_addr *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/* The answer is of the other end: as asked for, and neither one that listens there nor one that is closed. */
static int take_answer(const struct inet_diag_msg *m, const struct peer_pair *p, uid_t *out)
{
	struct in6_addr src = address_of(m->idiag_family, m->id.idiag_src),
			dst = address_of(m->idiag_family, m->id.idiag_dst);

	if (!is_same(&src, &p->there) || !is_same(&dst, &p->here) || m->id.idiag_sport != p->there_port ||
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
	if (from.nl_pid != 0 || !NLMSG_OK(&answer.head, (size_t)got)) /* 0: the kernel */
		return -EPROTO;
	if (answer.head.nlmsg_type == NLMSG_ERROR && answer.head.nlmsg_len >= NLMSG_LENGTH(sizeof(struct nlmsgerr))) {
		int rc = ((const struct nlmsgerr *)NLMSG_DATA(&answer.head))->error;

		return rc < 0 ? rc : -EPROTO;
	}
	if (answer.head.nlmsg_type != SOCK_DIAG_BY_FAMILY ||
	    answer.head.nlmsg_len < NLMSG_LENGTH(sizeof(struct inet_diag_msg)))
		return -EPROTO;
	return take_answer(NLMSG_DATA(&answer.head), p, out);
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
	rc = sendto(fd, &ask, sizeof(ask), 0, (const struct sockaddr *)&kernel, sizeof(kernel)) == (ssize_t)sizeof(ask)
		     ? receive(fd, p, out)
		     : -EIO;
	close(fd);
	return rc;
}

static bool is_space(char c)
{
	return c == ' ';
}

static const char *skip(const char *at)
{
	while (is_space(*at))
		at++;
	return at;
}

/* Past a word. */
static const char *past(const char *at)
{
	at = skip(at);
	while (*at && !is_space(*at))
		at++;
	return at;
}

/* Digits of a number; *at: behind them, and there is at least one. */
static bool number(const char **at, int base, int most, uint64_t *out)
{
	int n = 0;

	*out = 0;
	for (; n < most; n++, (*at)++) {
		int c = **at, digit = c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;

		if (digit >= base)
			break;
		*out = *out * (uint64_t)base + (uint64_t)digit;
	}
	return n > 0;
}

/* "0100007F:1F90": words of the address as the machine has them, and the port as people write it. */
static const char *end_of(const char *at, struct in6_addr *ip, in_port_t *port)
{
	uint32_t word[WORDS];
	uint64_t value;
	int n = 0;

	for (at = skip(at); *at != ':' && n < WORDS; n++) {
		const char *from = at;

		if (!number(&at, 16, WORD_DIGITS, &value) || at - from != WORD_DIGITS)
			return NULL;
		word[n] = (uint32_t)value;
	}
	if ((n != 1 && n != WORDS) || *at++ != ':' || !number(&at, 16, 4, &value))
		return NULL;
	*ip = address_of(n == 1 ? AF_INET : AF_INET6, word);
	*port = htons((uint16_t)value);
	return at;
}

/* "0: LOCAL REMOTE STATE QUEUES TIMER RETRANSMITS USER TIMEOUT INODE ..." */
static bool take_line(const char *line, const struct peer_pair *p, uid_t *out)
{
	struct in6_addr src, dst;
	in_port_t sport, dport;
	uint64_t user, inode;
	const char *at = end_of(past(line), &src, &sport);

	at = at ? end_of(at, &dst, &dport) : NULL;
	if (!at || sport != p->there_port || dport != p->here_port || !is_same(&src, &p->there) ||
	    !is_same(&dst, &p->here))
		return false;
	at = skip(past(past(past(past(at)))));
	if (!number(&at, 10, 10, &user) || user > UINT32_MAX)
		return false;
	at = skip(past(at));
	if (!number(&at, 10, 19, &inode) || inode == 0)
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
			if (take_line(line, p, out))
				return 0;
		}
		n = (size_t)(text + n - line);
		if (n >= LINE_MOST) /* no line is so long */
			return -EPROTO;
		memmove(text, line, n);
	}
	return got < 0 ? -errno : -ENOENT;
}

int peer_user_by_proc(const struct peer_pair *p, uid_t *out)
{
	static const char *const files[] = { "/proc/thread-self/net/tcp", "/proc/thread-self/net/tcp6" };
	int rc = -ENOENT, last = -ENOENT;

	/* A socket of IPv6 that talks IPv4 is in the second. */
	for (int i = IN6_IS_ADDR_V4MAPPED(&p->there) ? 0 : 1; i < 2; i++) {
		int fd = open(files[i], O_RDONLY | O_CLOEXEC);

		rc = fd < 0 ? -errno : peer_user_in_file(fd, p, out);
		if (fd >= 0)
			close(fd);
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

	/* A kernel that does not answer for TCP says the same as of a socket that is not there; but ours is. */
	if (rc == 0 || (rc == -ENOENT && peer_user_by_netlink(&ours, &user) == 0))
		return rc;
	return peer_user_by_proc(p, out);
}
