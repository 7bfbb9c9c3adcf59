/*
 * configs.h - saved configs in the settings file of pprof
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * pprof and cpa share this file, so each offers the configs that the other saved. It is read again for each call,
 * because other servers may change it. Any thread may call these functions.
 */
#ifndef SESSION_CONFIGS_H
#define SESSION_CONFIGS_H

#include "base/buf.h"
#include "base/err.h"
#include "session/config_text.h"

/*
 * Append the path of the settings file: $XDG_CONFIG_HOME/pprof/settings.json, else ~/.config/pprof/settings.json.
 *
 * Fails   ERR_IO when neither variable is set, or XDG_CONFIG_HOME is relative
 * Like    Go os.UserConfigDir
 */
int configs_add_path(struct buf *out, struct err *err);

/* Append text that differs whenever the file was changed; nothing if there is no file. */
void configs_add_stamp(const char *path, struct buf *out);

/*
 * Append "Default" and the configs of a settings file; a missing file has none.
 *
 * Fails   ERR_IO, ERR_LIMIT and as config_text_list. Then out only has "Default"
 */
int configs_list(const char *path, const struct url_params *params, struct config_list *out, struct err *err);

/*
 * Save a config; see config_text_save. The file is replaced atomically and keeps its mode; missing folders are made
 * with mode 0700.
 *
 * Fails   ERR_IO, ERR_LIMIT and as config_text_save. The file is then unchanged
 */
int configs_save(const char *path, const char *name, const struct settings *s, const struct url_params *params,
		 struct err *err);

/* Delete a config. Fails like configs_save, and with ERR_USAGE when there is none. */
int configs_delete(const char *path, const char *name, struct err *err);

#endif
