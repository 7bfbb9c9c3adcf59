# src/session - what is loaded, asked, cached

noinst_LIBRARIES += src/session/libsession.a
src_session_libsession_a_SOURCES = \
	src/session/again.c \
	src/session/again.h \
	src/session/bundle.c \
	src/session/bundle.h \
	src/session/compare.c \
	src/session/compare.h \
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
	src/session/load.c \
	src/session/load.h \
	src/session/remote.c \
	src/session/remote.h \
	src/session/settings.c \
	src/session/settings.h \
	src/session/settings_arguments.c \
	src/session/sides.c \
	src/session/sides.h \
	src/session/sides_join.c \
	src/session/sources.c \
	src/session/sources.h \
	src/session/symbolize.c \
	src/session/symbolize.h \
	src/session/symbolz.c \
	src/session/symbolz.h
