# src/session - what is loaded, asked, cached

noinst_LIBRARIES += src/session/libsession.a
src_session_libsession_a_SOURCES = \
	src/session/complete.c \
	src/session/complete.h \
	src/session/complete_int.h \
	src/session/complete_names.c \
	src/session/kept.c \
	src/session/kept.h \
	src/session/line.c \
	src/session/line.h \
	src/session/line_words.c \
	src/session/line_words.h \
	src/session/settings.c \
	src/session/settings.h \
	src/session/settings_arguments.c
