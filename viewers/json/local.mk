# viewers/json - reports as JSON

noinst_LIBRARIES += viewers/json/libjson.a
viewers_json_libjson_a_SOURCES = \
	viewers/json/gate_json.c \
	viewers/json/report_json.c \
	viewers/json/report_json.h \
	viewers/json/traces_json.c
