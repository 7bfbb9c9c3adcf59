# tests/bench - benchmark programs; script/bench builds them by name

EXTRA_PROGRAMS += tests/bench/addresses tests/bench/gate_sim tests/bench/gen tests/bench/inflate tests/bench/bench \
	tests/bench/reports tests/bench/store_blocks \
	tests/bench/store_days tests/bench/store_year

tests_bench_gate_sim_SOURCES = \
	tests/bench/gate_alarms.c \
	tests/bench/gate_detection.c \
	tests/bench/gate_inputs.c \
	tests/bench/gate_rand.c \
	tests/bench/gate_rand.h \
	tests/bench/gate_replicates.c \
	tests/bench/gate_scene.c \
	tests/bench/gate_sim.c \
	tests/bench/gate_tables.h \
	tests/bench/gate_world.c \
	tests/bench/gate_world.h
tests_bench_gate_sim_LDADD = $(gate_libs) $(report_libs)

tests_bench_gen_SOURCES = \
	tests/bench/gen.c \
	tests/bench/gen_names.c \
	tests/bench/gen_names.h \
	tests/bench/gen_world.c \
	tests/bench/gen_world.h
tests_bench_gen_CFLAGS = $(AM_CFLAGS) $(DEFLATE_CFLAGS)
tests_bench_gen_LDADD = $(DEFLATE_LIBS)

tests_bench_inflate_SOURCES = tests/bench/inflate.c
tests_bench_inflate_CFLAGS = $(AM_CFLAGS) $(DEFLATE_CFLAGS)
tests_bench_inflate_LDADD = $(DEFLATE_LIBS)

tests_bench_bench_SOURCES = \
	tests/bench/bench.c \
	tests/bench/bench.h \
	tests/bench/bench_print.c \
	tests/bench/bench_rank.c \
	tests/bench/bench_rank.h \
	tests/bench/bench_run.c
tests_bench_bench_LDADD = -lm

tests_bench_addresses_SOURCES = tests/bench/addresses.c
tests_bench_reports_SOURCES = tests/bench/reports.c
tests_bench_reports_LDADD = $(answer_libs)

tests_bench_store_blocks_SOURCES = tests/bench/store_blocks.c
tests_bench_store_days_SOURCES = tests/bench/store_days.c
tests_bench_store_days_LDADD = src/store/libstore.a $(formats_libs) $(DEFLATE_LIBS)
tests_bench_store_year_SOURCES = tests/bench/store_year.c
tests_bench_store_year_LDADD = src/store/libstore.a $(formats_libs) $(DEFLATE_LIBS) -lm
tests_bench_store_blocks_LDADD = src/store/libstore.a $(formats_libs) $(DEFLATE_LIBS)
EXTRA_DIST += tests/bench/symbols.cc tests/bench/shell.py tests/bench/terminal_screen.py tests/bench/terminal_session.py
EXTRA_DIST += tests/bench/soak.py tests/bench/soak_load.c tests/bench/watch.py tests/bench/web.py
EXTRA_DIST += tests/bench/rt_load.c tests/bench/rt_heap.cc tests/bench/runtime.py tests/bench/rt_cpu.py tests/bench/rt_faults.py \
	tests/bench/rt_memory.py tests/bench/rt_stacks.py tests/bench/rt_start.py tests/bench/rt_tools.py
EXTRA_DIST += tests/bench/copies.sh tests/bench/rt_answers.py tests/bench/programs.py tests/bench/gate_programs.py tests/bench/rt_attach.py tests/bench/rt_endpoint.py tests/bench/rt_serve.py \
	tests/bench/rt_service.cc tests/bench/rt_service.go tests/bench/rt_single.cc tests/bench/service.sh
EXTRA_DIST += tests/bench/store.py tests/bench/store_distinct.py tests/bench/store_load.go
