# viewers/flame - flame graphs, independent of any format

noinst_LIBRARIES += viewers/flame/libflame.a
viewers_flame_libflame_a_SOURCES = \
	viewers/flame/caption.c \
	viewers/flame/change.c \
	viewers/flame/color.c \
	viewers/flame/details.c \
	viewers/flame/flame.h \
	viewers/flame/flame_int.h \
	viewers/flame/functions.c \
	viewers/flame/layout.c \
	viewers/flame/legend.c \
	viewers/flame/name_syntax.c \
	viewers/flame/name_syntax.h \
	viewers/flame/package.c \
	viewers/flame/palette.c \
	viewers/flame/short.c \
	viewers/flame/style.c
