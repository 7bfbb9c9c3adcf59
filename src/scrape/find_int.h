/*
 * find_int.h - internals shared by the files that look up targets
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SCRAPE_FIND_INT_H
#define SCRAPE_FIND_INT_H

#include "scrape/target.h"

/* A kind of list of targets. */
struct scrape_source_kind {
	const char *word; /* at the start of the second word of a line: "dns=" */
	int64_t seconds;  /* between lookups; 0: never again */
	bool is_slow;     /* a lookup may wait for the network, so it comes after the others */
	/* Look up the targets of an address. NULL: scrape/pods.h */
	int (*find)(const char *address, const struct scrape_found *like, struct scrape_list *out, struct err *err);
};
extern const struct scrape_source_kind scrape_source_kinds[N_SCRAPE_SOURCE_TYPES];

/* Add a target to a list, by copy. */
void scrape_list_add(struct scrape_list *l, const struct scrape_found *f);

/*
 * Look up the targets of a source and add them to a list. The list is unchanged on failure.
 *
 * notes  problems that leave the other targets usable, a line each
 * Fails  ERR_IO for a file that cannot be read, or a name that cannot be looked up now; ERR_USAGE for an invalid file
 */
int scrape_find_source(uint32_t job, const struct scrape_source *s, struct scrape_list *out, struct buf *notes,
		       struct err *err);

/*
 * Parse a list of targets.
 *
 * text   [n] lines like those after the keyword target, or the JSON of Prometheus' file_sd
 * like   job, and the labels that targets have unless the list has others
 * Fails  ERR_USAGE with name and line; ERR_IO without libjansson
 */
int scrape_find_in_text(const char *text, size_t n, const char *name, const struct scrape_found *like,
			struct scrape_list *out, struct err *err);

/* Look up the addresses of "[SCHEME://]HOST:PORT". A name that does not exist has none. Fails with ERR_IO. */
int scrape_find_addresses(const char *address, const struct scrape_found *like, struct scrape_list *out,
			  struct err *err);

/* Look up the SRV records of a name. Fails with ERR_IO. */
int scrape_find_srv(const char *name, const struct scrape_found *like, struct scrape_list *out, struct err *err);

/* Add the targets of a response to a query for SRV records, [n] bytes. Fails with ERR_FORMAT. */
int scrape_find_in_srv(const unsigned char *response, size_t n, const char *scheme, const struct scrape_found *like,
		       struct scrape_list *out, struct err *err);

#endif
