# viewers/svg - flame graphs as SVG

noinst_LIBRARIES += viewers/svg/libsvg.a
viewers_svg_libsvg_a_CFLAGS = $(AM_CFLAGS) $(XML_CFLAGS)
viewers_svg_libsvg_a_SOURCES = \
	viewers/svg/style.c \
	viewers/svg/svg.c \
	viewers/svg/svg.h \
	viewers/svg/svg_int.h \
	viewers/svg/words.c \
	viewers/svg/xml.c \
	viewers/svg/xml.h
nodist_viewers_svg_libsvg_a_SOURCES = viewers/svg/script.js.h
EXTRA_DIST += viewers/svg/script.js
BUILT_SOURCES += viewers/svg/script.js.h
CLEANFILES += viewers/svg/script.js.h

# The script as a string, without its indentation and the comments that are lines of their own.
viewers/svg/script.js.h: viewers/svg/script.js
	$(AM_V_GEN)$(MKDIR_P) viewers/svg && { echo 'static const char script[] =' && \
	sed -e 's/^[[:blank:]]*//' -e '/^\/\//d' -e '/^$$/d' -e 's/[\\"]/\\&/g' -e 's/.*/"&\\n"/' \
		$(srcdir)/viewers/svg/script.js && echo ';'; } >$@
