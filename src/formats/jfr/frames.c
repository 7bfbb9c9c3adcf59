/*
 * frames.c - constants as stacks, names and threads
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A constant is resolved when the first event refers to it, and what became of it is in its memos:
 *
 *	text     its text; its name in Java source
 *	method   the name of the method; the same with its descriptor
 *	stack    the stack; whether it was cut
 *	thread   the labels thread and tid
 *
 * A class has constants of one role only, so that a damaged file cannot mix up ids.
 */
#include "config.h"

#include "formats/jfr/jfr_int.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum jfr_constant_role { CONSTANT_UNUSED, CONSTANT_TEXT, CONSTANT_METHOD, CONSTANT_STACK, CONSTANT_THREAD };

enum { TEXT_NESTING_MAX = 4 };

static const uint32_t no_label = JFR_UNRESOLVED - 1;

/* The constant of a role that a value refers to, or NULL. */
static struct jfr_constant *jfr_find_constant(struct jfr_reader *r, const struct jfr_value *v,
					      enum jfr_constant_role role)
{
	struct jfr_class *class;

	if (!v->field || v->field->is_array || v->field->coding != CODING_KEY || v->field->class == JFR_UNRESOLVED)
		return NULL;
	class = &r->c.class[v->field->class];
	if (class->role == CONSTANT_UNUSED)
		class->role = (uint8_t)role;
	return class->role == role ? jfr_chunk_find(&r->c, v->field->class, (uint64_t)v->num) : NULL;
}

/* Read the fields of a constant. */
static void jfr_read_constant(struct jfr_reader *r, const struct jfr_value *v, const struct jfr_constant *k,
			      struct jfr_fields *fields)
{
	struct jfr_cursor at = jfr_chunk_cursor(&r->c, k->at);

	jfr_read_fields(&r->c, v->field->class, &at, fields);
}

static str_id jfr_value_text(struct jfr_reader *r, const struct jfr_value *v, unsigned depth);

/* Read a string, which may be a reference to the pool of strings. */
static str_id jfr_string(struct jfr_reader *r, const uint8_t *start, unsigned depth)
{
	static const struct jfr_field in_pool = { .coding = CODING_KEY };
	struct jfr_cursor at = jfr_chunk_cursor(&r->c, start);
	struct jfr_field field = in_pool;
	struct jfr_value v = { .field = &field };
	uint64_t key = 0;

	r->text.len = 0;
	if (jfr_read_string(&at, r->c.is_compressed, &r->text, &key) != JFR_STRING_POOL)
		return strtab_add(r->str, buf_text(&r->text), r->text.len);
	field.class = r->c.string_class;
	v.num = (int64_t)key;
	return jfr_value_text(r, &v, depth + 1);
}

static str_id jfr_value_text(struct jfr_reader *r, const struct jfr_value *v, unsigned depth)
{
	static const enum jfr_slot slots[] = { SLOT_STRING, SLOT_NAME, SLOT_DESCRIPTION };
	struct jfr_fields fields;
	struct jfr_constant *k;
	str_id text = 0;

	if (!v->field || v->field->is_array || depth > TEXT_NESTING_MAX)
		return 0;
	if (v->field->coding == CODING_STRING)
		return jfr_string(r, v->at, depth);
	k = jfr_find_constant(r, v, CONSTANT_TEXT);
	if (!k)
		return 0;
	if (k->memo[0] != JFR_UNRESOLVED)
		return k->memo[0];
	if (r->c.class[v->field->class].coding == CODING_STRING) {
		text = jfr_string(r, k->at, depth);
	} else {
		jfr_read_constant(r, v, k, &fields);
		for (size_t i = 0; text == 0 && i < sizeof(slots) / sizeof(slots[0]); i++)
			text = jfr_value_text(r, jfr_get(&fields, slots[i]), depth + 1);
	}
	k->memo[0] = text;
	return text;
}

str_id jfr_text(struct jfr_reader *r, const struct jfr_value *v)
{
	return jfr_value_text(r, v, 0);
}

/* Append a name with dots for slashes. */
static void jfr_add_dotted(struct buf *out, const char *name, size_t n)
{
	size_t first = out->len;

	buf_add(out, name, n);
	for (size_t i = first; i < out->len; i++)
		if (out->data[i] == '/')
			out->data[i] = '.';
}

/* Append the name of a class as in Java source: "[[B" is byte[][], "[Ljava/lang/String;" is java.lang.String[]. */
static void jfr_add_class_name(struct buf *out, const char *name, size_t n)
{
	static const char *const primitive[] = {
		['Z' - 'A'] = "boolean", ['B' - 'A'] = "byte", ['C' - 'A'] = "char",  ['S' - 'A'] = "short",
		['I' - 'A'] = "int",     ['J' - 'A'] = "long", ['F' - 'A'] = "float", ['D' - 'A'] = "double",
	};
	size_t n_dims = 0;

	while (n_dims < n && name[n_dims] == '[')
		n_dims++;
	name += n_dims;
	n -= n_dims;
	if (n_dims && n == 1 && *name >= 'A' && *name <= 'Z' && primitive[*name - 'A'])
		buf_addz(out, primitive[*name - 'A']);
	else if (n_dims && n > 2 && *name == 'L' && name[n - 1] == ';')
		jfr_add_dotted(out, name + 1, n - 2);
	else
		jfr_add_dotted(out, name, n);
	while (n_dims--)
		buf_addz(out, "[]");
}

/*
 * Take n bytes from those that names may add to the texts of the file. A short file can have many methods of a class with
 * a very long name.
 */
static bool jfr_take_name_bytes(struct jfr_reader *r, size_t n)
{
	if (n > r->name_bytes_left)
		return false;
	r->name_bytes_left -= n;
	return true;
}

str_id jfr_class_name(struct jfr_reader *r, const struct jfr_value *v)
{
	str_id raw = jfr_text(r, v);
	struct jfr_constant *k = jfr_find_constant(r, v, CONSTANT_TEXT);

	if (k && k->memo[1] != JFR_UNRESOLVED)
		return k->memo[1];
	if (!jfr_take_name_bytes(r, 2 * strtab_len(r->str, raw)))
		return raw;
	r->text.len = 0;
	jfr_add_class_name(&r->text, strtab_text(r->str, raw), strtab_len(r->str, raw));
	raw = strtab_add(r->str, buf_text(&r->text), r->text.len);
	if (k)
		k->memo[1] = raw;
	return raw;
}

/*
 * Set the memos of a method to its name, and to its name and descriptor.
 *
 * is_java   its class is one of Java, whose packages have slashes; C++ functions have the name of their library
 */
static int jfr_resolve_method(struct jfr_reader *r, const struct jfr_value *method, struct jfr_constant *k,
			      bool is_java, struct err *err)
{
	struct jfr_fields fields;
	str_id class, name, descriptor;
	const char *args;

	jfr_read_constant(r, method, k, &fields);
	class = jfr_text(r, jfr_get(&fields, SLOT_TYPE));
	name = jfr_text(r, jfr_get(&fields, SLOT_NAME));
	descriptor = jfr_text(r, jfr_get(&fields, SLOT_DESCRIPTOR));
	r->text.len = 0;
	if (class && is_java)
		jfr_add_dotted(&r->text, strtab_text(r->str, class), strtab_len(r->str, class));
	else
		buf_add(&r->text, strtab_text(r->str, class), strtab_len(r->str, class));
	buf_addz(&r->text, class ? "." : "");
	buf_add(&r->text, strtab_text(r->str, name), strtab_len(r->str, name));
	if (r->text.len == 0)
		buf_addz(&r->text, strtab_text(r->str, r->name_unknown));
	if (!jfr_take_name_bytes(r, 2 * r->text.len + strtab_len(r->str, descriptor)))
		return err_set(err, ERR_LIMIT, "the names of methods are much longer than the file");
	k->memo[0] = strtab_add(r->str, buf_text(&r->text), r->text.len);
	args = strtab_text(r->str, descriptor);
	k->memo[1] = 0;
	if (is_java && descriptor && strcmp(args, "()L;") != 0) { /* async-profiler's for functions */
		buf_add(&r->text, args, strtab_len(r->str, descriptor));
		k->memo[1] = strtab_add(r->str, buf_text(&r->text), r->text.len);
	}
	return 0;
}

/* The location of a frame. */
static int jfr_frame(struct jfr_reader *r, const struct jfr_fields *fields, uint32_t *loc, struct err *err)
{
	const struct jfr_value *method = jfr_get(fields, SLOT_METHOD);
	struct jfr_constant *k = jfr_find_constant(r, method, CONSTANT_METHOD);
	struct named_frame frame = { .name = r->name_unknown };
	const char *type;

	if (!k)
		skipped_add(&r->methods, method->at ? (size_t)(method->at - r->c.data) : r->c.start);
	if (k && k->memo[0] == JFR_UNRESOLVED) {
		type = strtab_text(r->str, jfr_text(r, jfr_get(fields, SLOT_TYPE)));
		if (jfr_resolve_method(r, method, k, strcmp(type, "C++") != 0 && strcmp(type, "Kernel") != 0, err) < 0)
			return ERR_LIMIT;
	}
	if (k) {
		frame.name = k->memo[0];
		frame.system_name = k->memo[1];
	}
	frame.line = jfr_get(fields, SLOT_LINE)->num > 0 ? jfr_get(fields, SLOT_LINE)->num : 0;
	return named_frames_location(r->frames, &frame, loc, err);
}

/* Read the frames of a stack. */
static int jfr_frames(struct jfr_reader *r, const struct jfr_value *frames, uint32_t *stack, struct err *err)
{
	struct jfr_cursor at = jfr_chunk_cursor(&r->c, frames->at);
	struct jfr_fields fields;
	size_t n = 0;
	int rc = 0;

	for (uint64_t n_left = jfr_chunk_number(&r->c, &at, 4); n_left > 0 && rc == 0; n_left--) {
		if (format_exceeds(n + 1, r->options->max_depth))
			return err_set(err, ERR_LIMIT, "more than %" PRIu64 " frames; raise the limit with --max-depth",
				       r->options->max_depth);
		jfr_read_fields(&r->c, frames->field->class, &at, &fields);
		if (at.is_bad)
			return err_set(err, ERR_FORMAT, "byte %zu: a stack is cut", (size_t)(frames->at - r->c.data));
		r->loc = mem_grow(r->loc, &r->cap_locs, n + 1, sizeof(*r->loc));
		rc = jfr_frame(r, &fields, &r->loc[n++], err);
	}
	return rc < 0 ? rc : builder_stack(r->b, r->loc, n, builder_stack_hash(r->loc, n), stack, err);
}

int jfr_stack(struct jfr_reader *r, const struct jfr_value *v, uint32_t *stack, bool *is_truncated, struct err *err)
{
	struct jfr_fields fields;
	struct jfr_constant *k = jfr_find_constant(r, v, CONSTANT_STACK);
	const struct jfr_value *frames;
	int rc = 0;

	*is_truncated = false;
	if (!k) {
		if (v->field && v->num)
			skipped_add(&r->stacks, (size_t)(v->at - r->c.data));
		return builder_stack(r->b, r->loc, 0, builder_stack_hash(r->loc, 0), stack, err);
	}
	if (k->memo[0] == JFR_UNRESOLVED) {
		jfr_read_constant(r, v, k, &fields);
		frames = jfr_get(&fields, SLOT_FRAMES);
		if (frames->field && frames->field->is_array && frames->field->coding == CODING_FIELDS)
			rc = jfr_frames(r, frames, stack, err);
		else
			rc = builder_stack(r->b, r->loc, 0, builder_stack_hash(r->loc, 0), stack, err);
		k->memo[1] = jfr_get(&fields, SLOT_TRUNCATED)->num != 0;
		k->memo[0] = rc == 0 ? *stack : JFR_UNRESOLVED;
	}
	*stack = k->memo[0];
	*is_truncated = k->memo[1];
	return rc;
}

static int jfr_resolve_thread(struct jfr_reader *r, const struct jfr_value *v, struct jfr_constant *k, struct err *err)
{
	struct jfr_fields fields;
	struct builder_label thread = { .key = r->key_thread, .is_text = true };
	struct builder_label tid = { .key = r->key_tid };
	int rc = 0;

	jfr_read_constant(r, v, k, &fields);
	thread.text = jfr_text(r, jfr_get(&fields, SLOT_JAVA_NAME));
	if (!thread.text)
		thread.text = jfr_text(r, jfr_get(&fields, SLOT_OS_NAME));
	tid.num = jfr_get(&fields, SLOT_OS_ID)->num;
	k->memo[0] = k->memo[1] = no_label;
	if (thread.text)
		rc = builder_label(r->b, &thread, &k->memo[0], err);
	if (rc == 0 && tid.num)
		rc = builder_label(r->b, &tid, &k->memo[1], err);
	return rc;
}

int jfr_add_thread(struct jfr_reader *r, const struct jfr_value *v, struct err *err)
{
	struct jfr_constant *k = jfr_find_constant(r, v, CONSTANT_THREAD);
	int rc = k && k->memo[0] == JFR_UNRESOLVED ? jfr_resolve_thread(r, v, k, err) : 0;

	for (unsigned i = 0; rc == 0 && k && i < 2; i++)
		if (k->memo[i] != no_label)
			r->label[r->n_labels++] = k->memo[i];
	return rc;
}

int jfr_add_text_label(struct jfr_reader *r, str_id key, str_id text, struct err *err)
{
	const struct builder_label l = { .key = key, .text = text, .is_text = true };

	return text ? builder_label(r->b, &l, &r->label[r->n_labels++], err) : 0;
}
