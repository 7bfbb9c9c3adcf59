/*
 * name_syntax.h - syntax of function names in all languages: words, brackets, operators
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_FLAME_NAME_SYNTAX_H
#define VIEWERS_FLAME_NAME_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>

/* Can a byte be part of an identifier? Bytes of characters outside of ASCII can. */
bool name_is_word(char c);

/* 1 for a character of name that opens a bracket, -1 for one that closes it, else 0. The > of -> closes none. */
int name_bracket(const char *name, const char *s);

/* The position after the bracket that closes the bracket at s; the end of the name if none does. */
const char *name_skip_brackets(const char *s);

/* The length of the C++ operator name at s, such as "operator()" or "operator<<"; 0 if there is none. */
size_t name_operator(const char *name, const char *s);

/*
 * Is a part of a name meaningless without the part before it? Such parts are func1, 2, {{closure}}, <impl> and compiler
 * suffixes such as cold.
 */
bool name_is_weak(const char *part);

#endif
