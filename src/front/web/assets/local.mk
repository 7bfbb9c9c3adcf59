# src/front/web/assets - scripts and style sheets of pages

src_front_web_libweb_a_SOURCES += \
	src/front/web/assets/assets.c \
	src/front/web/assets/assets.h

# Each style sheet and each script is a constant in web_parts.h, with its SHA-256 for its URL. A script joins several
# files, in this order.
web_scripts = \
	src/front/web/assets/web.js \
	src/front/web/assets/keys.js \
	src/front/web/assets/theme.js \
	src/front/web/assets/menu.js \
	src/front/web/assets/capture.js \
	src/front/web/assets/open.js \
	src/front/web/assets/loading.js
# The scripts of the standalone page of a flame graph are shared: see viewers/html/local.mk.
web_flame_scripts = $(flame_shared) \
	src/front/web/assets/flame_address.js \
	src/front/web/assets/flame_load.js \
	src/front/web/assets/flame_detail.js \
	src/front/web/assets/flame_server.js \
	src/front/web/assets/flame_menu.js \
	src/front/web/assets/flame_verdict.js \
	src/front/web/assets/flame_start.js
web_flame_files = viewers/html/flame.css src/front/web/assets/flame.css viewers/html/flame_body.html $(web_flame_scripts)
web_table_scripts = viewers/flame/expression.js src/front/web/assets/table.js
web_styles = src/front/web/assets/web.css src/front/web/assets/source.css viewers/graph/callgraph.css
web_files = $(web_styles) $(web_scripts) src/front/web/assets/enter.js src/front/web/assets/graph.js src/front/web/assets/store.js $(web_table_scripts) $(web_flame_files)

EXTRA_DIST += $(web_files)
BUILT_SOURCES += src/front/web/assets/web_parts.h
CLEANFILES += src/front/web/assets/web_parts.h
nodist_src_front_web_libweb_a_SOURCES = src/front/web/assets/web_parts.h

src/front/web/assets/web_parts.h: viewers/html/embed.sh $(web_files)
	$(AM_V_GEN)$(MKDIR_P) src/front/web/assets && (cd $(srcdir) && \
	sh viewers/html/embed.sh WEB_STYLE $(web_styles) && \
	sh viewers/html/embed.sh WEB_GRAPH_SCRIPT viewers/flame/expression.js src/front/web/assets/graph.js && \
	sh viewers/html/embed.sh WEB_FLAME_STYLE viewers/html/flame.css src/front/web/assets/flame.css && \
	sh viewers/html/embed.sh WEB_FLAME_BODY viewers/html/flame_body.html && \
	sh viewers/html/embed.sh WEB_FLAME_SCRIPT $(web_flame_scripts) && \
	sh viewers/html/embed.sh WEB_TABLE_SCRIPT $(web_table_scripts) && \
	sh viewers/html/embed.sh WEB_STORE_SCRIPT src/front/web/assets/store.js && \
	sh viewers/html/embed.sh WEB_ENTER_SCRIPT src/front/web/assets/enter.js && \
	sh viewers/html/embed.sh WEB_SCRIPT $(web_scripts)) >$@.new && mv $@.new $@
