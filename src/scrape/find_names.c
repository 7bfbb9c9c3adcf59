/*
 * find_names.c - look up targets in the DNS: A and AAAA records of a name, SRV records
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "scrape/find_int.h"

#include "base/mem.h"

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <netdb.h>
#include <resolv.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { RESPONSE_MAX = 65536 };

/* Length of "https://" at the start of an address; 0 without a scheme. */
static size_t find_names_scheme_length(const char *address)
{
	const char *end = strstr(address, "://");

	return end ? (size_t)(end - address) + 3 : 0;
}

static int find_names_compare_addresses(const void *a, const void *b)
{
	return strcmp(((const struct scrape_found *)a)->address, ((const struct scrape_found *)b)->address);
}

/* Sort the targets from first on, and remove duplicates. */
static void find_names_sort(struct scrape_list *l, size_t first)
{
	size_t n = first;

	if (l->n > first)
		qsort(l->found + first, l->n - first, sizeof(*l->found), find_names_compare_addresses);
	for (size_t i = first; i < l->n; i++)
		if (i == first || strcmp(l->found[i].address, l->found[n - 1].address) != 0)
			l->found[n++] = l->found[i];
	l->n = n;
}

static void find_names_add_address(const struct addrinfo *a, const char *address, size_t n_scheme, const char *port,
				   const struct scrape_found *like, struct scrape_list *out)
{
	struct scrape_found f = *like;
	char text[INET6_ADDRSTRLEN];
	struct buf all = { 0 };
	const void *ip;

	if (a->ai_family == AF_INET)
		ip = &((const struct sockaddr_in *)(const void *)a->ai_addr)->sin_addr;
	else if (a->ai_family == AF_INET6)
		ip = &((const struct sockaddr_in6 *)(const void *)a->ai_addr)->sin6_addr;
	else
		return;
	if (!inet_ntop(a->ai_family, ip, text, sizeof(text)))
		return;
	buf_add(&all, address, n_scheme);
	buf_addf(&all, a->ai_family == AF_INET6 ? "[%s]:%s" : "%s:%s", text, port);
	f.address = buf_text(&all);
	scrape_list_add(out, &f);
	buf_release(&all);
}

int scrape_find_addresses(const char *address, const struct scrape_found *like, struct scrape_list *out,
			  struct err *err)
{
	static const struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
	size_t n_scheme = find_names_scheme_length(address), first = out->n;
	const char *start = address + n_scheme, *port = strrchr(start, ':');
	struct addrinfo *all = NULL;
	char *host;
	int rc;

	if (!port)
		return err_set(err, ERR_USAGE, "dns=%s: missing port", address);
	host = *start == '[' && port > start + 1 ? mem_strndup(start + 1, (size_t)(port - start) - 2)
						 : mem_strndup(start, (size_t)(port - start));
	rc = getaddrinfo(host, NULL, &hints, &all);
	free(host);
	if (rc == EAI_NONAME || rc == EAI_NODATA)
		return 0;
	if (rc != 0)
		return err_set(err, ERR_IO, "dns=%s: %s", address, gai_strerror(rc));
	for (const struct addrinfo *a = all; a && out->n - first < SCRAPE_TARGETS_MAX; a = a->ai_next)
		find_names_add_address(a, address, n_scheme, port + 1, like, out);
	freeaddrinfo(all);
	find_names_sort(out, first);
	return 0;
}

static unsigned get16(const unsigned char *at)
{
	return (unsigned)at[0] << 8 | at[1];
}

/* Skip a name and n more bytes. NULL at the end of the response. */
static const unsigned char *skip_record(const unsigned char *at, const unsigned char *end, size_t n)
{
	int length = dn_skipname(at, end);

	return length < 0 || (size_t)(end - at) < (size_t)length + n ? NULL : at + length + n;
}

/* Add the target of an SRV record; data is its content, [n] bytes. Returns false if it is damaged. */
static bool add_srv(const unsigned char *response, const unsigned char *end, const unsigned char *data, size_t n,
		    const char *scheme, const struct scrape_found *like, struct scrape_list *out)
{
	enum { PORT_AT = 4, NAME_AT = 6 }; /* after priority and weight */
	struct scrape_found f = *like;
	struct buf address = { 0 };
	char host[NS_MAXDNAME];

	if (n <= NAME_AT || dn_expand(response, end, data + NAME_AT, host, sizeof(host)) < 0)
		return false;
	if (!*host) /* the service is not available */
		return true;
	buf_addf(&address, "%s%s:%u", scheme, host, get16(data + PORT_AT));
	f.address = buf_text(&address);
	scrape_list_add(out, &f);
	buf_release(&address);
	return true;
}

int scrape_find_in_srv(const unsigned char *response, size_t n, const char *scheme, const struct scrape_found *like,
		       struct scrape_list *out, struct err *err)
{
	static const char damaged[] = "the response of the name server is damaged";
	enum { HEAD = 12, QUESTION_TAIL = 4, RECORD_TAIL = 10 }; /* bytes; of the tails: after the name */
	const unsigned char *at = response + HEAD, *end = response + n;
	size_t first = out->n;

	if (n < HEAD || n > RESPONSE_MAX)
		return err_set(err, ERR_FORMAT, damaged);
	for (unsigned i = get16(response + 4); i > 0; i--) {
		at = skip_record(at, end, QUESTION_TAIL);
		if (!at)
			return err_set(err, ERR_FORMAT, damaged);
	}
	for (unsigned i = get16(response + 6); i > 0; i--) {
		size_t size;

		at = skip_record(at, end, RECORD_TAIL);
		size = at ? get16(at - 2) : 0;
		if (!at || size > (size_t)(end - at))
			return err_set(err, ERR_FORMAT, damaged);
		if (get16(at - RECORD_TAIL) == ns_t_srv && !add_srv(response, end, at, size, scheme, like, out))
			return err_set(err, ERR_FORMAT, damaged);
		at += size;
	}
	find_names_sort(out, first);
	return 0;
}

int scrape_find_srv(const char *name, const struct scrape_found *like, struct scrape_list *out, struct err *err)
{
	size_t n_scheme = find_names_scheme_length(name);
	char *scheme = mem_strndup(name, n_scheme);
	unsigned char *response = mem_alloc(RESPONSE_MAX, 1);
	struct __res_state state = { 0 };
	int n, rc = 0;

	if (res_ninit(&state) < 0) {
		rc = err_set(err, ERR_IO, "srv=%s: cannot read /etc/resolv.conf", name);
	} else {
		n = res_nquery(&state, name + n_scheme, ns_c_in, ns_t_srv, response, RESPONSE_MAX);
		if (n >= 0)
			rc = scrape_find_in_srv(response, (size_t)n, scheme, like, out, err);
		else if (state.res_h_errno != HOST_NOT_FOUND && state.res_h_errno != NO_DATA)
			rc = err_set(err, ERR_IO, "%s", hstrerror(state.res_h_errno));
		res_nclose(&state);
		if (rc < 0)
			err_wrap(err, "srv=%s", name);
	}
	free(response);
	free(scheme);
	return rc;
}
