# src/engine - evaluate a query over a profile

noinst_LIBRARIES += src/engine/libengine.a
src_engine_libengine_a_SOURCES = \
	src/engine/boxes.c \
	src/engine/boxes.h \
	src/engine/calltree.c \
	src/engine/calltree.h \
	src/engine/diff.c \
	src/engine/diff.h \
	src/engine/edges.c \
	src/engine/edges_above.c \
	src/engine/edges_forest.c \
	src/engine/edges_int.h \
	src/engine/filter.c \
	src/engine/filter.h \
	src/engine/filter_frames.c \
	src/engine/filter_hint.c \
	src/engine/filter_int.h \
	src/engine/filter_names.c \
	src/engine/filter_tags.c \
	src/engine/forest_walk.c \
	src/engine/forest_walk.h \
	src/engine/grand_calls.c \
	src/engine/grand_calls.h \
	src/engine/graph.c \
	src/engine/graph.h \
	src/engine/graph_walk.c \
	src/engine/graph_walk.h \
	src/engine/label_unit.c \
	src/engine/label_unit.h \
	src/engine/match.c \
	src/engine/match.h \
	src/engine/match_name.c \
	src/engine/matcher.c \
	src/engine/matcher.h \
	src/engine/net.c \
	src/engine/net.h \
	src/engine/nodes.c \
	src/engine/nodes.h \
	src/engine/normal.c \
	src/engine/normal.h \
	src/engine/option_values.h \
	src/engine/parts.c \
	src/engine/parts.h \
	src/engine/places.c \
	src/engine/places.h \
	src/engine/places_join.c \
	src/engine/query.c \
	src/engine/query.def \
	src/engine/query.h \
	src/engine/runtime_names.c \
	src/engine/runtime_names.h \
	src/engine/shorten.c \
	src/engine/shorten.h \
	src/engine/sketch.c \
	src/engine/sketch.h \
	src/engine/sums.c \
	src/engine/sums.h \
	src/engine/sums_calls.c \
	src/engine/sums_whole.c \
	src/engine/tags.c \
	src/engine/tags.h \
	src/engine/trend.c \
	src/engine/trend.h \
	src/engine/trim.c \
	src/engine/trim.h \
	src/engine/view.c \
	src/engine/view.h

# The parts of struct query. make remakes a file that it includes before all others, so the headers exist whatever is
# built first. Each changes only with the fields of its part: a new text of an option compiles query.c alone again.
QUERY_PARTS = filter load report draw
EXTRA_DIST += src/engine/query_parts.awk
CLEANFILES += src/engine/query_parts.mk $(QUERY_PARTS:%=src/engine/query_%.h)
src/engine/query_parts.mk: $(srcdir)/src/engine/query.def $(srcdir)/src/engine/query_parts.awk
	$(AM_V_at)$(MKDIR_P) src/engine && for part in $(QUERY_PARTS); do \
		header=src/engine/query_$$part.h && \
		$(AWK) -f $(srcdir)/src/engine/query_parts.awk -v part=$$part $(srcdir)/src/engine/query.def >$$header.new && \
		if cmp -s $$header.new $$header; then rm $$header.new; else mv $$header.new $$header; fi || exit; \
	done && touch $@
-include src/engine/query_parts.mk
