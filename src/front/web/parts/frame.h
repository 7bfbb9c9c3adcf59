/*
 * frame.h - the parts of the frame around a view: menus, filters, forms
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each function appends HTML. All parts are links and forms that work without scripts; menu.js makes them faster to use.
 */
#ifndef FRONT_WEB_PARTS_FRAME_H
#define FRONT_WEB_PARTS_FRAME_H

#include "front/web/parts/state.h"

/* The menus: View, Sample, Refine, Config, Export, Compare. */
void web_menus_draw(const struct web_page *page, struct buf *out);

/* Append entries of a menu that hide the frames of well-known libraries. */
void web_presets_draw(const struct web_page *page, struct buf *out);

/* The search field. Nothing for a view with its own. */
void web_search_draw(const struct web_page *page, struct buf *out);

/* A chip for each option that selects samples, frames or rows, with a link that removes it. */
void web_chips_draw(const struct web_page *page, struct buf *out);

/* A form with a field for each option that has a parameter. */
void web_options_draw(const struct web_page *page, struct buf *out);

/* The command line that prints the same numbers; nothing if there is none. */
void web_command_draw(const struct web_page *page, struct buf *out);

/* Append an attribute whose text is shown to users: control characters are visible. */
void web_add_attribute(struct buf *out, const char *name, const char *text);

/* Append the attribute value of a field, which sends exactly this text. */
void web_add_value(struct buf *out, const char *value);

/* Append a link: its text is trusted, its tooltip is the first line of help. Frees link. */
void web_add_link(struct url_params *link, const char *path, const char *text, const char *help, struct buf *out);

/* Append hidden fields with the parameters of the page, except those for which skip is true. */
void web_add_hidden_params(const struct web_page *page, bool (*skip)(const char *key), struct buf *out);

/* The parameters of a link that removes all filters, also those of the command line. */
struct url_params *web_link_reset(const struct web_page *page);

/* Append a form that sends one action: a button with fields. It is closed with web_form_end. */
void web_form_start(const struct web *w, const char *action, struct buf *out);
void web_form_add_hidden(struct buf *out, const char *name, const char *value);
void web_form_end(struct buf *out, const char *button);

#endif
