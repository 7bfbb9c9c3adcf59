# src/front/grafana - the read API of Pyroscope on the listener of the collector

if WITH_COLLECT
noinst_LIBRARIES += src/front/grafana/libgrafana.a
else
EXTRA_LIBRARIES += src/front/grafana/libgrafana.a
endif
src_front_grafana_libgrafana_a_SOURCES = \
	src/front/grafana/answer.c \
	src/front/grafana/grafana.h \
	src/front/grafana/grafana_int.h \
	src/front/grafana/lists.c \
	src/front/grafana/query.c \
	src/front/grafana/render.c \
	src/front/grafana/select.c \
	src/front/grafana/tree.c
