/*
 * config_text.h - the text of a settings file of pprof, which contains saved configs
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 *	{ "configs": [ { "name": "mine", "unit": "minimum", "nodecount": 10, ... }, ... ] }
 *
 * An option that is absent is zero, false or empty, whatever its default: a config without trim has trim=false. Fields
 * that are unknown to cpa are preserved.
 */
#ifndef SESSION_CONFIG_TEXT_H
#define SESSION_CONFIG_TEXT_H

#include "base/buf.h"
#include "base/err.h"
#include "session/settings.h"
#include "session/url_params.h"

#include <stdbool.h>
#include <stddef.h>

/* An entry of the Config menu. */
struct config_entry {
	char *name;      /* untrusted */
	char *query;     /* parameters of its URL, escaped, without a question mark */
	bool is_saved;   /* in the file; false for "Default" */
	bool is_current; /* the URL of the request has these parameters; true for at most one entry */
};

struct config_list {
	struct config_entry *item; /* [n] */
	size_t n, cap;
};

void config_list_release(struct config_list *l);

/*
 * Append "Default", then the configs of a text, in its order. Their URLs keep the parameters that are not options.
 *
 * text    n bytes; "" has no configs
 * params  parameters of the request
 * Fails   ERR_FORMAT when the text is not such a file, ERR_IO without libjansson. Then out only has "Default"
 * Like    pprof internal/driver/settings.go, configMenu. In addition, tagroot and tagleaf are in URLs
 */
int config_text_list(const char *text, size_t n, const struct url_params *params, struct config_list *out,
		     struct err *err);

/*
 * Append the text with one more config. A config with the same name is replaced at its position.
 *
 * s       the options of the request
 * params  the parameters of the request: only norm is read, because settings have no such option
 * Fails   ERR_USAGE when the name is empty or too long; as config_text_list
 * Like    pprof internal/driver/settings.go, setConfig
 */
enum { CONFIG_NAME_MAX = 256 };
int config_text_save(const char *text, size_t n, const char *name, const struct settings *s,
		     const struct url_params *params, struct buf *out, struct err *err);

/*
 * Append the text without the first config with this name.
 *
 * Fails   ERR_USAGE when there is none; as config_text_list
 */
int config_text_delete(const char *text, size_t n, const char *name, struct buf *out, struct err *err);

#endif
