/*
 * url_settings.h - settings in the parameters of a URL
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The command line is the base of every request: a parameter that is absent or empty means "as started". The parameter
 * off=f,i, which may repeat, switches options of the command line off.
 */
#ifndef SESSION_URL_SETTINGS_H
#define SESSION_URL_SETTINGS_H

#include "base/err.h"
#include "profile/profile.h"
#include "session/settings.h"
#include "session/url_params.h"

#include <stdbool.h>

/*
 * Assign the options that parameters name. Parameters that are not options are ignored. norm is checked, but has no
 * effect after loading, as in pprof.
 *
 * s       a copy of the settings of the command line; partly changed on failure
 * p       the profile whose sample types si can name; NULL: sample type and unit are not checked
 * Fails   ERR_USAGE in pprof's words
 * Like    pprof internal/driver/config.go, applyURL
 */
int settings_apply_params(struct settings *s, const struct url_params *params, const struct profile *p,
			  struct err *err);

/*
 * Set or remove parameters, including off, such that settings_apply_params turns base into s. Options without a
 * parameter are ignored.
 *
 * base    the settings of the command line
 */
void settings_set_params(const struct settings *s, const struct settings *base, struct url_params *params);

/* Append the value of the option or choice of a parameter as text. */
void settings_add_param_value(const struct settings *s, const struct query_param *param, struct buf *out);

/* The option or choice with this parameter, or NULL. */
const struct query_param *settings_find_param(const char *param);

/* The option that a parameter sets; NULL for a choice. */
const struct opt *settings_param_option(const struct query_param *param);

/* Is the parameter in the list off? */
bool settings_param_is_off(const struct url_params *params, const char *param);

/* Does the value of the option or choice of a parameter differ from its default? */
bool settings_param_is_given(const struct settings *s, const struct query_param *param);

/*
 * Change parameters such that an option has its default: remove its parameter and, if the command line sets the option,
 * add it to the list off.
 *
 * base    the settings of the command line
 */
void settings_switch_off(const struct settings *base, const struct query_param *param, struct url_params *params);

#endif
