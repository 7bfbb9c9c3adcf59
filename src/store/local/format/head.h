/*
 * head.h - the content of a journal in memory, for the writer
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_FORMAT_HEAD_H
#define STORE_LOCAL_FORMAT_HEAD_H

#include "base/buf.h"
#include "base/idtab.h"
#include "store/local/format/dict.h"
#include "store/local/format/journal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum record_tag { RECORD_SERVICE = 32, RECORD_PROFILE, RECORD_MARK }; /* smaller ones are tables of dictionaries */

struct head_service {
	char *name;
	struct chapter_builder *builder; /* NULL after the chapter was made */
	struct dict *dict;               /* of builder */
	struct store_content content;
	struct buf records; /* PROFILE and MARK, as in the journal */
	uint32_t n_records;
	bool is_unnamed; /* its name was not read yet, or is lost */
	bool is_broken;  /* a table could not be decoded: later records are refused */

	/* the part that is in the journal already */
	uint32_t logged[DICT_TABLES_END];
	size_t records_logged;
	uint32_t n_records_logged;
	bool is_dirty; /* in head.dirty: has something to be logged */
};

/* The id of a profile, and the hash of its content. */
struct head_id {
	uint8_t id[16];
	uint64_t content;
};

struct journal_head {
	struct head_service *service;
	size_t n, cap;
	struct idtab by_name;
	uint64_t n_profiles;
	size_t memory; /* estimate, without what the dictionaries count themselves */

	uint32_t *dirty; /* services with something to be logged */
	size_t n_dirty, cap_dirty;
	size_t n_named; /* services whose names are in the journal: those below this number */

	bool has_ids; /* for a writer: ids are kept to find duplicates */
	struct head_id *id;
	size_t n_ids, cap_ids;
	struct idtab by_id;
};

struct journal_head *head_new(bool has_ids);

/* The number of a service, which is added if it is new. */
uint32_t head_add_service(struct journal_head *h, const char *name, size_t length);

/* Add a profile whose entries are in the dictionary of the service. content is used if the head keeps ids. */
void head_add_profile(struct journal_head *h, uint32_t service, const struct stored *s, uint64_t content);
void head_add_mark(struct journal_head *h, uint32_t service, const struct store_mark *m);

/* The content of a profile of this id; NULL if there is none. */
const uint64_t *head_find_id(const struct journal_head *h, const uint8_t id[16]);

/* Bytes of memory used. */
size_t head_memory(const struct journal_head *h);

/* Give an unnamed service without content its name. Returns false if it has a name or content. */
bool head_name_service(struct journal_head *h, uint32_t service, const char *name, size_t length);

/*
 * Add the entries, profiles or marks of a record of a journal. Returns 1 if it was added, but names of services are missing; err
 * has the message.
 *
 * Fails  ERR_FORMAT: it was not added
 */
int head_read_record(struct journal_head *h, unsigned tag, uint64_t service, const uint8_t *body, size_t n,
		     struct err *err);

/* Call a function for each profile and mark of a service, in the order of adding; mark may be NULL. */
typedef int head_profile_fn(void *arg, const struct stored *p, struct err *err);
typedef int head_mark_fn(void *arg, const struct store_mark *m, struct err *err);
int head_each(const struct head_service *s, head_profile_fn *profile, head_mark_fn *mark, void *arg, struct err *err);

/*
 * Append records for everything that is not logged yet, of some services, up to about max bytes. head_set_logged then marks it as
 * logged, after it was written. Returns the number of records; 0 if everything is logged.
 */
uint32_t head_add_records(const struct journal_head *h, size_t max, struct buf *out, size_t *n_services);
void head_set_logged(struct journal_head *h, size_t n_services);

/* Everything is in the journal: it was read from there. */
void head_set_all_logged(struct journal_head *h);

/* Everything is to be logged again, in another file. */
void head_set_all_dirty(struct journal_head *h);

#endif
