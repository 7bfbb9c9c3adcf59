/*
 * places_join.h - places of a profile with two sides, joined like those of two profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_PLACES_JOIN_H
#define ENGINE_PLACES_JOIN_H

#include "engine/places.h"
#include "engine/view.h"

/*
 * Find the places of a view. If it has samples with BASE_LABEL, functions of the two sides are the same by the rules of
 * engine/match.h, as in a diff of the two profiles; places then have the names of the match, with the file where
 * functions share a name. Frames of labels, and addresses, are not joined.
 *
 * A function without a file that a build has once, and the other build beside several functions of its name, is that
 * of the new side on both sides, because both sides use one location.
 *
 * Fails   as places_make and match_places
 */
int places_join(const struct view *v, const struct query_filter *q, struct arena *mem, struct places *out,
		struct err *err);

#endif
