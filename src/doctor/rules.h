/*
 * rules.h - the tables of rules, and the state while they are applied
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DOCTOR_RULES_H
#define DOCTOR_RULES_H

#include "doctor/cpu.h"
#include "doctor/doctor.h"
#include "doctor/groups.h"
#include "doctor/growth.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RULE_NUMBERS_MAX = 12, RULE_TEXTS_MAX = 12 };

struct rule_text {
	const char *key, *text; /* the text is in the memory of the result */
};

/* The evidence, added up, and the values of the rule that is being checked. */
struct rule_case {
	const struct doctor_evidence *e;
	struct doctor_result *out;
	const struct profile *cpu_profile; /* NULL: none */
	struct doctor_cpu shares;
	struct growth_table heap;  /* n_captures 0: no heap profile */
	struct wait_groups waits;  /* n_captures 0: no stacks */
	int64_t waits_ns, heap_ns; /* time between the first and the last of them; 0: unknown */
	const struct doctor_capture *heap_first, *heap_last, *waits_last; /* NULL: none */
	struct doctor_number number[RULE_NUMBERS_MAX];
	struct rule_text text[RULE_TEXTS_MAX];
	size_t n_numbers, n_texts;
};

/*
 * A rule. {KEY} in the sentence and the command is replaced by a number or text that the condition set. A command with a text
 * that is empty is omitted.
 */
struct rule_entry {
	const char *name;
	bool is_note;
	bool (*condition)(struct rule_case *c); /* true: report it */
	const char *sentence, *command;
};

/* Tables, with an entry without a name at the end. */
extern const struct rule_entry rules_slow[], rules_memory[], rules_threads[];

void rule_set_number(struct rule_case *c, const char *key, double value, enum doctor_unit unit);

/* Set a text: formatted; names of profiles must have been made by rule_name. */
void rule_set_text(struct rule_case *c, const char *key, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A name of a profile or dump, demangled and without control characters; in the memory of the result. */
const char *rule_name(struct rule_case *c, const char *name, size_t n);

/* A function for a sentence: "main.work, called by main.main"; "an unknown function". */
const char *rule_function(struct rule_case *c, const struct doctor_function *f);

/* Append a number in its unit. */
void rule_add_number(double value, enum doctor_unit unit, struct buf *out);

/* --- conditions that several runbooks share --- */

bool rule_lock_wait(struct rule_case *c);
bool rule_blocked_send(struct rule_case *c);
bool rule_thread_growth(struct rule_case *c);
extern const char rule_lock_wait_sentence[], rule_blocked_send_sentence[], rule_thread_growth_sentence[],
	rule_threads_command[];

/* "thread", "goroutines". */
const char *rule_threads_word(const struct rule_case *c, uint32_t n);

/* Set the text span: the words before it and a time; "" if it is 0. */
void rule_set_span(struct rule_case *c, int64_t ns, const char *before);

/* Set the number of captures of stacks, and its word. */
void rule_set_captures(struct rule_case *c);

/* Set the texts of a group: stack, place, creator; and the command of its file. */
void rule_set_group(struct rule_case *c, const struct wait_group *g);

#endif
