/*
 * fuzz_pods.c - any bytes as responses of the API server of Kubernetes: a list of pods, then events
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The first line is the list, the others are events. Stops when the set is not sorted, when a target has another host than the
 * address of a pod, or when a text of a target has control characters.
 */
#include "config.h"

#include "fuzz.h"

#include "scrape/pods.h"

#include <arpa/inet.h>
#include <string.h>

static void demand(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static void judge_text(const char *text)
{
	for (const char *at = text; *at; at++)
		demand((unsigned char)*at >= ' ' && *at != 0x7f, "a text has control characters");
}

static void judge_target(const struct scrape_found *f)
{
	const char *scheme = strstr(f->address, "://"), *host = scheme ? scheme + 3 : f->address;
	size_t n = *host == '[' ? strcspn(++host, "]") : strcspn(host, ":");
	unsigned char address[sizeof(struct in6_addr)];
	char text[INET6_ADDRSTRLEN];

	demand(n < sizeof(text), "a host is long");
	memcpy(text, host, n);
	text[n] = '\0';
	demand(inet_pton(AF_INET, text, address) == 1 || inet_pton(AF_INET6, text, address) == 1,
	       "a host is not an address");
	judge_text(f->address);
	judge_text(f->service);
	judge_text(f->kinds);
	for (size_t i = 0; i < f->n_labels; i++) {
		judge_text(f->label[i].value);
		demand(*f->label[i].value && strlen(f->label[i].value) <= 256, "a label is empty or long");
		demand(i == 0 || strcmp(f->label[i - 1].name, f->label[i].name) < 0, "labels are not sorted");
	}
}

static void judge_set(const struct scrape_pods_set *s)
{
	struct scrape_list l = { 0 };
	struct buf notes = { 0 };

	scrape_pods_add_targets(s, 0, &l, &notes);
	demand(l.n == s->n_targets, "targets are counted wrongly");
	for (size_t i = 0; i < l.n; i++)
		judge_target(&l.found[i]);
	for (char *at = notes.data; at && *at; at++)
		demand(*at == '\n' || ((unsigned char)*at >= ' ' && *at != 0x7f), "a note has control characters");
	buf_release(&notes);
	scrape_list_release(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char text[] =
		"job a\ntargets kubernetes annotation=cpa.dev/scrape annotation=dapr.io/enable-profiling "
		"annotation=profiles.grafana.com/* pod-label=team pod-label=a/b:c zone=a\n";
	static struct scrape_config *c;
	struct bytes b = fuzz_bytes(data, n);
	struct scrape_pods_set s = { 0 };
	struct err err;

	if (!c)
		demand(scrape_config_parse(text, strlen(text), "c.cpa", NULL, &c, &err) == 0,
		       "the configuration is wrong");
	s.source = &c->job[0].source[0];
	for (size_t at = 0, line = 0; at < b.n; line++) {
		const uint8_t *newline = memchr(b.data + at, '\n', b.n - at);
		size_t n_line = newline ? (size_t)(newline - b.data) - at : b.n - at;
		bool changed = false;
		int rc = line == 0 ? scrape_pods_add_page(&s, (const char *)b.data + at, n_line, &err)
				   : scrape_pods_add_event(&s, (const char *)b.data + at, n_line, &changed, &err);

		if (rc < 0) /* the caller lists again */
			break;
		judge_set(&s);
		at += n_line + 1;
	}
	scrape_pods_set_release(&s);
	free(b.data);
	return 0;
}
