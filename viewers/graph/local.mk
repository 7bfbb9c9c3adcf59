# viewers/graph - call graphs as boxes and arrows, and as SVG

noinst_LIBRARIES += viewers/graph/libgraph.a
viewers_graph_libgraph_a_SOURCES = \
	viewers/graph/callgraph.c \
	viewers/graph/callgraph.h \
	viewers/graph/layout.c \
	viewers/graph/layout.h \
	viewers/graph/plain.c \
	viewers/graph/svg.c

nodist_viewers_graph_libgraph_a_SOURCES = viewers/graph/callgraph.css.h
EXTRA_DIST += viewers/graph/callgraph.css
BUILT_SOURCES += viewers/graph/callgraph.css.h
CLEANFILES += viewers/graph/callgraph.css.h

viewers/graph/callgraph.css.h: viewers/html/embed.sh viewers/graph/callgraph.css
	$(AM_V_GEN)$(MKDIR_P) viewers/graph && (cd $(srcdir) && \
	sh viewers/html/embed.sh CALLGRAPH_STYLE viewers/graph/callgraph.css) >$@.new && mv $@.new $@
