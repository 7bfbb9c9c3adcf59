# tests/compat - compare cpa with pprof: with its recorded output in make check, with the program itself in
# make check-interop. differences.txt lists intended differences.

INTEROP_TESTS = \
	tests/compat/agents.t \
	tests/compat/answers.t \
	tests/compat/calls.t \
	tests/compat/clickhouse.t \
	tests/compat/code.t \
	tests/compat/debuginfod.t \
	tests/compat/diff.t \
	tests/compat/flame.t \
	tests/compat/flame_tools.t \
	tests/compat/frames.t \
	tests/compat/gate.t \
	tests/compat/labels.t \
	tests/compat/list.t \
	tests/compat/live.t \
	tests/compat/random.t \
	tests/compat/raw.t \
	tests/compat/shell.t \
	tests/compat/sinks.t \
	tests/compat/source.t \
	tests/compat/stats.t \
	tests/compat/store.t \
	tests/compat/top.t \
	tests/compat/web.t

recorded_tests = tests/compat/recorded.t tests/compat/versions.t tests/compat/web_recorded.t
EXTRA_DIST += tests/compat/agents/Agent.java tests/compat/agents/Recording.java tests/compat/agents/java.sh
EXTRA_DIST += tests/compat/agents/agent.js tests/compat/agents/agent.py tests/compat/agents/compare.py \
	tests/compat/agents/compare_types.py tests/compat/agents/datadog.js tests/compat/agents/datadog.py \
	tests/compat/agents/datadog/main.go tests/compat/agents/decode/main.go tests/compat/agents/install.sh tests/compat/agents/main.go \
	tests/compat/agents/otlp/main.go tests/compat/agents/parca/main.go tests/compat/agents/record.py tests/compat/agents/run.sh
EXTRA_DIST += tests/compat/clickhouse/collector.py tests/compat/clickhouse/compare.py tests/compat/clickhouse/front.py tests/compat/clickhouse/history.py \
	tests/compat/clickhouse/questions.py tests/compat/clickhouse/replicas.py tests/compat/clickhouse/servers.py \
	tests/compat/clickhouse/soak.py
EXTRA_DIST += tests/compat/go_answers.py tests/compat/parca.py
EXTRA_DIST += tests/compat/goserver/main.go
EXTRA_DIST += tests/compat/requests.txt
EXTRA_DIST += tests/compat/store/compare.py tests/compat/store/main.go tests/compat/store/normal.py
EXTRA_DIST += tests/compat/text_kinds.py
EXTRA_DIST += tests/compat/web tests/compat/web.py tests/compat/web_cases.txt tests/compat/web_cpa.py tests/compat/web_pprof.py
TESTS += $(recorded_tests)
EXTRA_DIST += $(recorded_tests) $(INTEROP_TESTS) tests/compat/pprof.sh tests/compat/versions.sh tests/compat/differences.txt \
	tests/compat/cases.txt tests/compat/flame.py tests/compat/flame_tools.py tests/compat/live tests/compat/recorded tests/compat/sessions.txt \
	tests/compat/random_lines.py tests/compat/sort_fields.py tests/compat/stats.py

# Prints boxes, for flame.t.
check_PROGRAMS += tests/compat/flame_dump
tests_compat_flame_dump_SOURCES = tests/compat/flame_dump.c
tests_compat_flame_dump_LDADD = $(answer_libs)

# Evaluates distributions, for stats.t.
check_PROGRAMS += tests/compat/stats_dump
tests_compat_stats_dump_SOURCES = tests/compat/stats_dump.c
tests_compat_stats_dump_LDADD = $(stats_libs)
