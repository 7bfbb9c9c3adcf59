# src/front/web - the web UI: from a request to a page

if WITH_WEB
noinst_LIBRARIES += src/front/web/libweb.a
else
EXTRA_LIBRARIES += src/front/web/libweb.a
endif
src_front_web_libweb_a_SOURCES = \
	src/front/web/assets.c \
	src/front/web/chips.c \
	src/front/web/capture.c \
	src/front/web/compare.c \
	src/front/web/compare.h \
	src/front/web/diff.c \
	src/front/web/disasm.c \
	src/front/web/empty.c \
	src/front/web/export.c \
	src/front/web/export.h \
	src/front/web/flame.c \
	src/front/web/enter.c \
	src/front/web/frame.c \
	src/front/web/gate.c \
	src/front/web/graph.c \
	src/front/web/help.c \
	src/front/web/labels.c \
	src/front/web/folder.c \
	src/front/web/form.c \
	src/front/web/frame.h \
	src/front/web/menu.c \
	src/front/web/order.c \
	src/front/web/page.c \
	src/front/web/page.h \
	src/front/web/post.c \
	src/front/web/post.h \
	src/front/web/presets.c \
	src/front/web/profiles.c \
	src/front/web/progress.c \
	src/front/web/respond.c \
	src/front/web/route.c \
	src/front/web/row_links.c \
	src/front/web/rows.c \
	src/front/web/save.c \
	src/front/web/source.c \
	src/front/web/sources.c \
	src/front/web/sources.h \
	src/front/web/store.c \
	src/front/web/store.h \
	src/front/web/store_chart.c \
	src/front/web/table.c \
	src/front/web/table.h \
	src/front/web/traces.c \
	src/front/web/trend.c \
	src/front/web/upload.c \
	src/front/web/verdicts.c \
	src/front/web/verdicts.h \
	src/front/web/views.c \
	src/front/web/views.h \
	src/front/web/web.c \
	src/front/web/web.h \
	src/front/web/web_int.h

# Each style sheet and each script is a constant in web_parts.h, with its SHA-256 for its URL. A script joins several
# files, in this order.
web_scripts = \
	src/front/web/web.js \
	src/front/web/keys.js \
	src/front/web/theme.js \
	src/front/web/menu.js \
	src/front/web/capture.js \
	src/front/web/open.js \
	src/front/web/loading.js
# The scripts of the standalone page of a flame graph are shared: see viewers/html/local.mk.
web_flame_scripts = $(flame_shared) \
	src/front/web/flame_address.js \
	src/front/web/flame_load.js \
	src/front/web/flame_detail.js \
	src/front/web/flame_server.js \
	src/front/web/flame_menu.js \
	src/front/web/flame_verdict.js \
	src/front/web/flame_start.js
web_flame_files = viewers/html/flame.css src/front/web/flame.css viewers/html/flame_body.html $(web_flame_scripts)
web_table_scripts = viewers/flame/expression.js src/front/web/table.js
web_styles = src/front/web/web.css src/front/web/source.css viewers/graph/callgraph.css
web_files = $(web_styles) $(web_scripts) src/front/web/enter.js src/front/web/graph.js src/front/web/store.js $(web_table_scripts) $(web_flame_files)

EXTRA_DIST += $(web_files)
BUILT_SOURCES += src/front/web/web_parts.h
CLEANFILES += src/front/web/web_parts.h
nodist_src_front_web_libweb_a_SOURCES = src/front/web/web_parts.h

src/front/web/web_parts.h: viewers/html/embed.sh $(web_files)
	$(AM_V_GEN)$(MKDIR_P) src/front/web && (cd $(srcdir) && \
	sh viewers/html/embed.sh WEB_STYLE $(web_styles) && \
	sh viewers/html/embed.sh WEB_GRAPH_SCRIPT viewers/flame/expression.js src/front/web/graph.js && \
	sh viewers/html/embed.sh WEB_FLAME_STYLE viewers/html/flame.css src/front/web/flame.css && \
	sh viewers/html/embed.sh WEB_FLAME_BODY viewers/html/flame_body.html && \
	sh viewers/html/embed.sh WEB_FLAME_SCRIPT $(web_flame_scripts) && \
	sh viewers/html/embed.sh WEB_TABLE_SCRIPT $(web_table_scripts) && \
	sh viewers/html/embed.sh WEB_STORE_SCRIPT src/front/web/store.js && \
	sh viewers/html/embed.sh WEB_ENTER_SCRIPT src/front/web/enter.js && \
	sh viewers/html/embed.sh WEB_SCRIPT $(web_scripts)) >$@.new && mv $@.new $@
