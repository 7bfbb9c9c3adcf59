# viewers/html - reports as web pages

noinst_LIBRARIES += viewers/html/libhtml.a
viewers_html_libhtml_a_SOURCES = \
	viewers/html/flame.c \
	viewers/html/flame_data.c \
	viewers/html/html.h \
	viewers/html/html_int.h \
	viewers/html/weblist.c

# The script of a flame graph (files in this order), its style and its body are constants in flame_parts.h, with their
# SHA-256 for the page's content security policy.
# Files up to flame_window.js are also part of the flame graph's page in the web UI.
flame_shared = \
	viewers/html/flame_number.js \
	viewers/flame/expression.js \
	viewers/flame/text.js \
	viewers/html/flame_data.js \
	viewers/html/flame_model.js \
	viewers/html/flame_derive.js \
	viewers/html/flame_shares.js \
	viewers/html/flame_details.js \
	viewers/html/flame_picture.js \
	viewers/html/flame_table.js \
	viewers/html/flame_state.js \
	viewers/html/flame_page.js \
	viewers/html/flame_input.js \
	viewers/html/flame_keys.js \
	viewers/html/flame_window.js
flame_scripts = $(flame_shared) viewers/html/flame_address.js viewers/html/flame_start.js
flame_files = viewers/html/embed.sh viewers/html/flame_page.css viewers/html/flame.css viewers/html/flame_body.html \
	$(flame_scripts)

EXTRA_DIST += $(flame_files)
BUILT_SOURCES += viewers/html/flame_parts.h
CLEANFILES += viewers/html/flame_parts.h
nodist_viewers_html_libhtml_a_SOURCES = viewers/html/flame_parts.h

viewers/html/flame_parts.h: $(flame_files)
	$(AM_V_GEN)$(MKDIR_P) viewers/html && (cd $(srcdir) && \
	sh viewers/html/embed.sh FLAME_STYLE viewers/html/flame_page.css viewers/html/flame.css && \
	sh viewers/html/embed.sh FLAME_BODY viewers/html/flame_body.html && \
	sh viewers/html/embed.sh FLAME_SCRIPT $(flame_scripts)) >$@.new && mv $@.new $@
