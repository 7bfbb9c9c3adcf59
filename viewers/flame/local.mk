# viewers/flame - flame graphs in no format

noinst_LIBRARIES += viewers/flame/libflame.a
viewers_flame_libflame_a_SOURCES = \
	viewers/flame/color.c \
	viewers/flame/flame.h \
	viewers/flame/layout.c \
	viewers/flame/words.c
