# tests/runtime - programs under cpa run: their profiles are complete, and they behave as without cpa
#
# One name per line, so that branches that add names can be merged. unwind_bytes and unwind_frames print TAP
# without cmocka, so that they also run for another machine.

unwind_libs = src/libcpaprof/target/unwind/libunwind.a $(BASE_LIBS)
runtime_tests =
runtime_tests += tests/runtime/t120-odd.t
runtime_tests += tests/runtime/t130-refused.t
runtime_tests += tests/runtime/t140-stress.t
runtime_tests += tests/runtime/t160-loader.t
runtime_tests += tests/runtime/t170-files.t
runtime_tests += tests/runtime/t171-attach.t
runtime_tests += tests/runtime/t173-attach-programs.t
runtime_tests += tests/runtime/t174-record-outside.t
runtime_tests += tests/runtime/t175-record.t
runtime_tests += tests/runtime/t176-wrappers.t
runtime_tests += tests/runtime/t177-follow-hint.t
runtime_tests += tests/runtime/t178-private.t
runtime_tests += tests/runtime/t179-overwrites.t
runtime_tests += tests/runtime/t180-life.t
runtime_tests += tests/runtime/t182-signal.t
runtime_tests += tests/runtime/t190-host.t
runtime_tests += tests/runtime/t220-install.t
runtime_tests += tests/runtime/t230-examples.t
runtime_tests += tests/runtime/t300-heap.t
runtime_tests += tests/runtime/t302-forms.t
runtime_tests += tests/runtime/t400-threads.t
runtime_tests += tests/runtime/t410-trace.t
runtime_tests += tests/runtime/t412-trace-sched.t
runtime_tests += tests/runtime/t450-sessions.t
runtime_tests += tests/runtime/t600-labels.t
runtime_tests += tests/runtime/t610-custom.t
runtime_tests += tests/runtime/t800-http-bad.t
runtime_tests += tests/runtime/t802-http-good.t
runtime_tests += tests/runtime/t810-http-aborts.t
runtime_tests += tests/runtime/t812-http-many.t
runtime_tests += tests/runtime/t820-http-end.t
runtime_tests += tests/runtime/t850-endpoint-run.t
runtime_tests += tests/runtime/t851-endpoint-target.t
runtime_tests += tests/runtime/t852-endpoint-life.t
runtime_tests += tests/runtime/t853-endpoint-options.t
runtime_tests += tests/runtime/t854-endpoint-prefork.t
runtime_tests += tests/runtime/t855-endpoint-web.t
runtime_tests += tests/runtime/t880-answers.t
runtime_tests += tests/runtime/t881-scrape.t
runtime_tests += tests/runtime/t882-proto.t
runtime_tests += tests/runtime/t883-clients.t
runtime_tests += tests/runtime/t884-trace.t
runtime_tests += tests/runtime/t900-week.t
runtime_tests += tests/runtime/unwind_symbols.t

# Tests of the library in other programs. It is the same in every build, so a build with sanitizers does not run them.
TARGET_TESTS =
TARGET_TESTS += tests/runtime/t100-cpu.t
TARGET_TESTS += tests/runtime/t105-loads.t
TARGET_TESTS += tests/runtime/t106-headers.t
TARGET_TESTS += tests/runtime/t107-own.t
TARGET_TESTS += tests/runtime/t110-shares.t
TARGET_TESTS += tests/runtime/t172-limits.t
TARGET_TESTS += tests/runtime/t185-exec.t
TARGET_TESTS += tests/runtime/t187-guarded.t
TARGET_TESTS += tests/runtime/t192-hosts.t
TARGET_TESTS += tests/runtime/t194-tls.t
TARGET_TESTS += tests/runtime/t195-sigpending.t
TARGET_TESTS += tests/runtime/t196-fsize.t
TARGET_TESTS += tests/runtime/t200-linked.t
TARGET_TESTS += tests/runtime/t210-environment.t
TARGET_TESTS += tests/runtime/t310-heap-rates.t
TARGET_TESTS += tests/runtime/t320-heap-others.t
TARGET_TESTS += tests/runtime/t330-heap-live.t
TARGET_TESTS += tests/runtime/t340-late.t
TARGET_TESTS += tests/runtime/t341-asleep.t
TARGET_TESTS += tests/runtime/t350-heap-run.t
TARGET_TESTS += tests/runtime/t360-heap-linked.t
TARGET_TESTS += tests/runtime/t365-jit.t
TARGET_TESTS += tests/runtime/t500-locks.t
TARGET_TESTS += tests/runtime/t510-locks-same.t
TARGET_TESTS += tests/runtime/t520-locks-cxx.t
TARGET_TESTS += tests/runtime/t530-locks-api.t
TARGET_TESTS += tests/runtime/t620-wrapper.t
TARGET_TESTS += tests/runtime/unwind_steps.t
TARGET_TESTS += tests/runtime/t830-served.t
TARGET_TESTS += tests/runtime/t840-served-life.t
TARGET_TESTS += tests/runtime/t845-served-listen.t
TARGET_TESTS += tests/runtime/t860-served-examples.t

# Slow tests that check in another way what other tests check: attacks on the endpoint, engines other than the default,
# another machine, many programs. script/test skips them; script/test all, which CI calls, runs them.
LONG_TESTS =
LONG_TESTS += tests/runtime/t871-attack-run.t
LONG_TESTS += tests/runtime/t874-attack-rules-run.t
LONG_TESTS += tests/runtime/t876-attack-life-run.t
LONG_TARGET_TESTS =
LONG_TARGET_TESTS += tests/runtime/aarch64.t
LONG_TARGET_TESTS += tests/runtime/t150-engines.t
LONG_TARGET_TESTS += tests/runtime/t700-sweep.t
LONG_TARGET_TESTS += tests/runtime/t870-attack-served.t
LONG_TARGET_TESTS += tests/runtime/t872-attack-names.t
LONG_TARGET_TESTS += tests/runtime/t873-attack-rules-served.t
LONG_TARGET_TESTS += tests/runtime/t875-attack-life-served.t
LONG_TARGET_TESTS += tests/runtime/unwind_aarch64.t
LONG_TARGET_TESTS += tests/runtime/unwind_compare.t
TARGET_TESTS += $(LONG_TARGET_TESTS)

TESTS += $(runtime_tests) $(LONG_TESTS) $(TARGET_TESTS)
TESTS += tests/runtime/unwind_bytes
TESTS += tests/runtime/unwind_frames
EXTRA_DIST += $(runtime_tests) $(LONG_TESTS) $(TARGET_TESTS)
EXTRA_DIST += tests/runtime/asleep.c
EXTRA_DIST += tests/runtime/attack.py
EXTRA_DIST += tests/runtime/attack_flood.py
EXTRA_DIST += tests/runtime/attack_life.py
EXTRA_DIST += tests/runtime/attack_names.py
EXTRA_DIST += tests/runtime/attack_rules.py
EXTRA_DIST += tests/runtime/attached.c
EXTRA_DIST += tests/runtime/attacked.c
EXTRA_DIST += tests/runtime/burn.c
EXTRA_DIST += tests/runtime/chain.c
EXTRA_DIST += tests/runtime/children.c
EXTRA_DIST += tests/runtime/custom.c
EXTRA_DIST += tests/runtime/depths.c
EXTRA_DIST += tests/runtime/dumps_itself.c
EXTRA_DIST += tests/runtime/endpoint.py
EXTRA_DIST += tests/runtime/endpoint.sh
EXTRA_DIST += tests/runtime/exec.c
EXTRA_DIST += tests/runtime/exported.txt
EXTRA_DIST += tests/runtime/gohost.c
EXTRA_DIST += tests/runtime/golib.go
EXTRA_DIST += tests/runtime/gperf.c
EXTRA_DIST += tests/runtime/guarded.c
EXTRA_DIST += tests/runtime/heap.sh
EXTRA_DIST += tests/runtime/heap_exact.cc
EXTRA_DIST += tests/runtime/heap_linked.c
EXTRA_DIST += tests/runtime/heap_live.c
EXTRA_DIST += tests/runtime/heap_load.c
EXTRA_DIST += tests/runtime/jit.c
EXTRA_DIST += tests/runtime/host.c
EXTRA_DIST += tests/runtime/http_client.py
EXTRA_DIST += tests/runtime/http_oracle.go
EXTRA_DIST += tests/runtime/interrupted.c
EXTRA_DIST += tests/runtime/known.c
EXTRA_DIST += tests/runtime/known.py
EXTRA_DIST += tests/runtime/known.sh
EXTRA_DIST += tests/runtime/known_answers.py
EXTRA_DIST += tests/runtime/known_clients.py
EXTRA_DIST += tests/runtime/known_proto.py
EXTRA_DIST += tests/runtime/known_scrape.py
EXTRA_DIST += tests/runtime/known_trace.py
EXTRA_DIST += tests/runtime/labels.c
EXTRA_DIST += tests/runtime/lib.sh
EXTRA_DIST += tests/runtime/life.c
EXTRA_DIST += tests/runtime/limits.c
EXTRA_DIST += tests/runtime/large_tls.c
EXTRA_DIST += tests/runtime/linked.c
EXTRA_DIST += tests/runtime/move_headers.py
EXTRA_DIST += tests/runtime/no_timers.c
EXTRA_DIST += tests/runtime/locks.c
EXTRA_DIST += tests/runtime/locks.sh
EXTRA_DIST += tests/runtime/locks_api.c
EXTRA_DIST += tests/runtime/locks_cxx.cc
EXTRA_DIST += tests/runtime/locks_same.c
EXTRA_DIST += tests/runtime/locks_same.h
EXTRA_DIST += tests/runtime/odd.c
EXTRA_DIST += tests/runtime/overwrites.c
EXTRA_DIST += tests/runtime/paced.c
EXTRA_DIST += tests/runtime/plug.c
EXTRA_DIST += tests/runtime/prefork.c
EXTRA_DIST += tests/runtime/proto.py
EXTRA_DIST += tests/runtime/sched_check.py
EXTRA_DIST += tests/runtime/scrape_rules.py
EXTRA_DIST += tests/runtime/scribble.c
EXTRA_DIST += tests/runtime/served.c
EXTRA_DIST += tests/runtime/served.py
EXTRA_DIST += tests/runtime/served.sh
EXTRA_DIST += tests/runtime/served_api.py
EXTRA_DIST += tests/runtime/served_life.py
EXTRA_DIST += tests/runtime/served_listen.py
EXTRA_DIST += tests/runtime/serves.c
EXTRA_DIST += tests/runtime/week.c
EXTRA_DIST += tests/runtime/stress.c
EXTRA_DIST += tests/runtime/sweep.sh
EXTRA_DIST += tests/runtime/switches.c
EXTRA_DIST += tests/runtime/taken.c
EXTRA_DIST += tests/runtime/timeline.c
EXTRA_DIST += tests/runtime/trace_check.py
EXTRA_DIST += tests/runtime/unwind_compare.c
EXTRA_DIST += tests/runtime/unwind_compare.sh
EXTRA_DIST += tests/runtime/unwind_steps.c
EXTRA_DIST += tests/runtime/waits.c
EXTRA_DIST += tests/runtime/waits_same.c
EXTRA_DIST += tests/runtime/wrapper.cc

check_PROGRAMS += tests/runtime/heap_watch
tests_runtime_heap_watch_SOURCES = tests/runtime/heap_watch.c
tests_runtime_heap_watch_LDADD = $(collector_libs)

check_PROGRAMS += tests/runtime/http_server
tests_runtime_http_server_SOURCES = tests/runtime/http_server.c
tests_runtime_http_server_LDADD = $(endpoint_libs) $(collector_libs)

check_PROGRAMS += tests/runtime/sessions
tests_runtime_sessions_SOURCES = tests/runtime/sessions.c
tests_runtime_sessions_LDADD = $(collector_libs)

check_PROGRAMS += tests/runtime/snap_files
tests_runtime_snap_files_SOURCES = tests/runtime/snap_files.c tests/unit/make_tables.h
tests_runtime_snap_files_LDADD = $(collector_libs)

check_PROGRAMS += tests/runtime/threads_dump
tests_runtime_threads_dump_SOURCES = tests/runtime/threads_dump.c
tests_runtime_threads_dump_LDADD = $(collector_libs)

check_PROGRAMS += tests/runtime/trace_file
tests_runtime_trace_file_SOURCES = tests/runtime/trace_file.c
tests_runtime_trace_file_LDADD = $(collector_libs)

check_PROGRAMS += tests/runtime/unwind_bytes
tests_runtime_unwind_bytes_SOURCES = tests/runtime/unwind_bytes.c tests/runtime/make_cfi.h tests/runtime/tap.h tests/runtime/unwind_here.h
tests_runtime_unwind_bytes_LDADD = $(unwind_libs)

check_PROGRAMS += tests/runtime/unwind_frames
tests_runtime_unwind_frames_SOURCES = tests/runtime/unwind_frames.c tests/runtime/tap.h tests/runtime/unwind_here.h
tests_runtime_unwind_frames_LDADD = $(unwind_libs)

EXTRA_PROGRAMS += tests/runtime/heap_bench
tests_runtime_heap_bench_SOURCES = tests/runtime/heap_bench.c

EXTRA_PROGRAMS += tests/runtime/lock_bench
tests_runtime_lock_bench_SOURCES = tests/runtime/lock_bench.c

EXTRA_PROGRAMS += tests/runtime/sample_bench
tests_runtime_sample_bench_SOURCES = tests/runtime/sample_bench.c

EXTRA_PROGRAMS += tests/runtime/unwind_bench
tests_runtime_unwind_bench_SOURCES = tests/runtime/unwind_bench.c tests/runtime/unwind_here.h
tests_runtime_unwind_bench_LDADD = $(unwind_libs)
