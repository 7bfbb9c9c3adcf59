# src/engine - a question over a profile

noinst_LIBRARIES += src/engine/libengine.a
src_engine_libengine_a_SOURCES = \
	src/engine/calltree.c \
	src/engine/calltree.h \
	src/engine/edges.c \
	src/engine/filter.c \
	src/engine/filter.h \
	src/engine/graph.c \
	src/engine/graph.h \
	src/engine/label_unit.c \
	src/engine/label_unit.h \
	src/engine/net.c \
	src/engine/net.h \
	src/engine/net_edges.c \
	src/engine/net_int.h \
	src/engine/net_tree.c \
	src/engine/nodes.c \
	src/engine/nodes.h \
	src/engine/path.c \
	src/engine/path.h \
	src/engine/places.c \
	src/engine/places.h \
	src/engine/query.c \
	src/engine/query.def \
	src/engine/query.h \
	src/engine/shorten.c \
	src/engine/shorten.h \
	src/engine/tags.c \
	src/engine/tags.h \
	src/engine/trim.c \
	src/engine/trim.h \
	src/engine/view.c \
	src/engine/view.h
