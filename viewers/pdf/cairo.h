/*
 * cairo.h - cairo and fontconfig, loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_PDF_CAIRO_H
#define VIEWERS_PDF_CAIRO_H

#include "base/err.h"

#include <cairo-ft.h>
#include <cairo-pdf.h>
#include <fontconfig/fontconfig.h>
#include <stdbool.h>

/* clang-format off */
#define CAIRO_FUNCTIONS(F)                                                                                             \
	F(create) F(destroy) F(status) F(status_to_string) F(show_page)                        \
	F(set_source_rgb) F(rectangle) F(move_to) F(line_to) F(fill) F(paint) F(stroke) F(set_line_width) F(set_dash)   \
	F(set_scaled_font) F(show_text_glyphs)                                                                         \
	F(toy_font_face_create) F(ft_font_face_create_for_pattern) F(font_face_destroy)                                \
	F(scaled_font_create) F(scaled_font_destroy) F(scaled_font_status) F(scaled_font_text_to_glyphs)               \
	F(scaled_font_glyph_extents) F(glyph_free) F(matrix_init_identity) F(matrix_init_scale)                        \
	F(font_options_create) F(font_options_destroy) F(font_options_set_antialias)                                   \
	F(font_options_set_hint_style) F(font_options_set_hint_metrics)                                                \
	F(image_surface_create) F(surface_write_to_png_stream) F(surface_status) F(surface_finish) F(surface_destroy)   \
	F(pdf_surface_create_for_stream) F(pdf_surface_set_size) F(pdf_surface_set_metadata) F(pdf_surface_add_outline)  \
	F(debug_reset_static_data)

#define FONTCONFIG_FUNCTIONS(F)                                                                                        \
	F(PatternCreate) F(PatternAddString) F(PatternDestroy) F(PatternGetBool) F(PatternGetCharSet)                   \
	F(ConfigSubstitute) F(DefaultSubstitute) F(FontSort) F(FontSetDestroy) F(FontRenderPrepare) F(CharSetHasChar)     \
	F(Fini)
/* clang-format on */

/* The functions that are used, without the prefixes cairo_ and Fc. */
#define MEMBER(name) __typeof__(cairo_##name) *name;
struct cairo {
	CAIRO_FUNCTIONS(MEMBER)
};
#undef MEMBER

#define MEMBER(name) __typeof__(Fc##name) *name;
struct fontconfig {
	FONTCONFIG_FUNCTIONS(MEMBER)
};
#undef MEMBER

/*
 * Load cairo and fontconfig, which are never unloaded, and lock them: another thread waits until cairo_close. They cannot
 * be used in parallel, because cairo_close releases caches that all their objects share.
 *
 * Fails   ERR_IO; the message names the package to install; they are not locked then
 */
int cairo_open(const struct cairo **out, const struct fontconfig **fonts, struct err *err);

/*
 * Release the caches of both libraries, and unlock them.
 *
 * is_unused  none of their objects is in use, which is only certain if nothing failed; false keeps the caches
 */
void cairo_close(bool is_unused);

#endif
