# src/session - command language, settings and preferences of the shells

noinst_LIBRARIES += src/session/libsession.a
src_session_libsession_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
src_session_libsession_a_SOURCES = \
	src/session/complete.c \
	src/session/complete.h \
	src/session/complete_int.h \
	src/session/complete_names.c \
	src/session/expression.c \
	src/session/expression.h \
	src/session/config_text.c \
	src/session/config_text.h \
	src/session/configs.c \
	src/session/configs.h \
	src/session/prefs.c \
	src/session/prefs.h \
	src/session/line.c \
	src/session/line.h \
	src/session/line_words.c \
	src/session/line_words.h \
	src/session/settings.c \
	src/session/settings.h \
	src/session/settings_arguments.c \
	src/session/url_params.c \
	src/session/url_params.h \
	src/session/url_settings.c \
	src/session/url_settings.h \
	src/session/workspace.c \
	src/session/workspace.h \
	src/session/workspace_derived.c \
	src/session/workspace_int.h
