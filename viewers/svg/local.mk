# viewers/svg - flame graphs as SVG

noinst_LIBRARIES += viewers/svg/libsvg.a
viewers_svg_libsvg_a_CFLAGS = $(AM_CFLAGS) $(XML_CFLAGS)
viewers_svg_libsvg_a_SOURCES = \
	viewers/svg/svg.c \
	viewers/svg/svg.h
