# viewers/svg - flame graphs as SVG

noinst_LIBRARIES += viewers/svg/libsvg.a
viewers_svg_libsvg_a_SOURCES = \
	viewers/svg/series.c \
	viewers/svg/svg.c \
	viewers/svg/svg.h
nodist_viewers_svg_libsvg_a_SOURCES = viewers/svg/script.js.h
BUILT_SOURCES += viewers/svg/script.js.h
CLEANFILES += viewers/svg/script.js.h

# The script as a string, in one scope, without indentation and without comments on their own lines.
svg_scripts = viewers/svg/boxes.js viewers/flame/expression.js viewers/flame/text.js viewers/svg/search.js \
	viewers/svg/keys.js
EXTRA_DIST += $(svg_scripts)
viewers/svg/script.js.h: $(svg_scripts)
	$(AM_V_GEN)$(MKDIR_P) viewers/svg && { echo 'static const char script[] =' && \
	{ echo '(function () {' && echo '"use strict";' && (cd $(srcdir) && cat $(svg_scripts)) && echo '})();'; } | \
	sed -e 's/^[[:blank:]]*//' -e '/^\/\//d' -e '/^$$/d' -e 's/[\\"]/\\&/g' -e 's/.*/"&\\n"/' && echo ';'; } >$@
