# viewers/web - the web UI: from a request to a page

if WITH_WEB
noinst_LIBRARIES += viewers/web/libweb.a
else
EXTRA_LIBRARIES += viewers/web/libweb.a
endif
viewers_web_libweb_a_SOURCES = \
	viewers/web/assets.c \
	viewers/web/chips.c \
	viewers/web/capture.c \
	viewers/web/compare.c \
	viewers/web/compare.h \
	viewers/web/diff.c \
	viewers/web/disasm.c \
	viewers/web/empty.c \
	viewers/web/export.c \
	viewers/web/export.h \
	viewers/web/flame.c \
	viewers/web/enter.c \
	viewers/web/frame.c \
	viewers/web/gate.c \
	viewers/web/graph.c \
	viewers/web/help.c \
	viewers/web/labels.c \
	viewers/web/folder.c \
	viewers/web/form.c \
	viewers/web/frame.h \
	viewers/web/menu.c \
	viewers/web/order.c \
	viewers/web/page.c \
	viewers/web/page.h \
	viewers/web/post.c \
	viewers/web/post.h \
	viewers/web/presets.c \
	viewers/web/profiles.c \
	viewers/web/progress.c \
	viewers/web/respond.c \
	viewers/web/route.c \
	viewers/web/row_links.c \
	viewers/web/rows.c \
	viewers/web/save.c \
	viewers/web/source.c \
	viewers/web/sources.c \
	viewers/web/sources.h \
	viewers/web/store.c \
	viewers/web/store.h \
	viewers/web/store_chart.c \
	viewers/web/table.c \
	viewers/web/table.h \
	viewers/web/traces.c \
	viewers/web/trend.c \
	viewers/web/upload.c \
	viewers/web/verdicts.c \
	viewers/web/verdicts.h \
	viewers/web/views.c \
	viewers/web/views.h \
	viewers/web/web.c \
	viewers/web/web.h \
	viewers/web/web_int.h

# Each style sheet and each script is a constant in web_parts.h, with its SHA-256 for its URL. A script joins several
# files, in this order.
web_scripts = \
	viewers/web/web.js \
	viewers/web/keys.js \
	viewers/web/theme.js \
	viewers/web/menu.js \
	viewers/web/capture.js \
	viewers/web/open.js \
	viewers/web/loading.js
# The scripts of the standalone page of a flame graph are shared: see viewers/html/local.mk.
web_flame_scripts = $(flame_shared) \
	viewers/web/flame_address.js \
	viewers/web/flame_load.js \
	viewers/web/flame_detail.js \
	viewers/web/flame_server.js \
	viewers/web/flame_menu.js \
	viewers/web/flame_verdict.js \
	viewers/web/flame_start.js
web_flame_files = viewers/html/flame.css viewers/web/flame.css viewers/html/flame_body.html $(web_flame_scripts)
web_table_scripts = viewers/flame/expression.js viewers/web/table.js
web_styles = viewers/web/web.css viewers/web/source.css viewers/graph/callgraph.css
web_files = $(web_styles) $(web_scripts) viewers/web/enter.js viewers/web/graph.js viewers/web/store.js $(web_table_scripts) $(web_flame_files)

EXTRA_DIST += $(web_files)
BUILT_SOURCES += viewers/web/web_parts.h
CLEANFILES += viewers/web/web_parts.h
nodist_viewers_web_libweb_a_SOURCES = viewers/web/web_parts.h

viewers/web/web_parts.h: viewers/html/embed.sh $(web_files)
	$(AM_V_GEN)$(MKDIR_P) viewers/web && (cd $(srcdir) && \
	sh viewers/html/embed.sh WEB_STYLE $(web_styles) && \
	sh viewers/html/embed.sh WEB_GRAPH_SCRIPT viewers/flame/expression.js viewers/web/graph.js && \
	sh viewers/html/embed.sh WEB_FLAME_STYLE viewers/html/flame.css viewers/web/flame.css && \
	sh viewers/html/embed.sh WEB_FLAME_BODY viewers/html/flame_body.html && \
	sh viewers/html/embed.sh WEB_FLAME_SCRIPT $(web_flame_scripts) && \
	sh viewers/html/embed.sh WEB_TABLE_SCRIPT $(web_table_scripts) && \
	sh viewers/html/embed.sh WEB_STORE_SCRIPT viewers/web/store.js && \
	sh viewers/html/embed.sh WEB_ENTER_SCRIPT viewers/web/enter.js && \
	sh viewers/html/embed.sh WEB_SCRIPT $(web_scripts)) >$@.new && mv $@.new $@
