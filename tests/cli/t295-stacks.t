#!/bin/sh
# t295-stacks.t - cpa threads with dumps from servers and files: equal stacks are grouped, the longest waits come first
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/server.sh"
server=snapshot_server.py
server_start "$TESTDATA"
cd "$tmp" || exit 1

cat >go.txt <<'END'
2026/11/21 10:00:00 some line of the log: x(1)
panic: it broke

goroutine 1 [running]:
main.main()
	/src/app/main.go:12 +0x1d
exit status 2

goroutine 7 gp=0xc000 m=3 mp=0xc1 [select, 3 minutes]:
main.(*Worker).run(0xc000012018, {0x1, 0x2})
	/src/app/worker.go:33 +0x1d fp=0xc0 sp=0xc8 pc=0x47
main.func1.2(...)
	/src/app/worker.go:40
created by main.main in goroutine 1
	/src/app/main.go:9 +0x25

goroutine 9 [select, 14 minutes]:
main.(*Worker).run(0xc000012099, {0x3, 0x4})
	/src/app/worker.go:33 +0x1d
main.func1.2(...)
	/src/app/worker.go:40
created by main.main in goroutine 5
	/src/app/main.go:9 +0x25

goroutine 10 [select, 14 minutes]:
main.(*Worker).run(0xc000012099, {0x3, 0x4})
	/src/app/worker.go:34 +0x1d
main.func1.2(...)
	/src/app/worker.go:40
created by main.main in goroutine 5
	/src/app/main.go:9 +0x25

goroutine 11 [GC worker (idle), 1 minute, locked to thread]:
	goroutine running on other thread; stack unavailable
END
cat >want <<'END'
panic: it broke
5 goroutines

2 goroutines, select, 3 to 14 minutes: 7, 9
    main.(*Worker).run  worker.go:33
    main.func1.2        worker.go:40
    created by main.main  main.go:9

1 goroutine, select, 14 minutes: 10
    main.(*Worker).run  worker.go:34
    main.func1.2        worker.go:40
    created by main.main  main.go:9

1 goroutine, GC worker (idle), 1 minute, locked to thread: 11
    goroutine running on other thread; stack unavailable

1 goroutine, running: 1
    main.main  main.go:12
END
"$CPA" threads go.txt >got 2>err
is_equal "$? $(cat err)" '0 ' 'the stacks in the text of a panic are read'
same 'stacks are grouped by functions and lines, not by arguments; the longest wait is first' want got
"$CPA" threads - <go.txt >got
same 'a dump is read from standard input' want got
sed 's/$/\r/' go.txt >crlf.txt
"$CPA" threads crlf.txt >got
same 'a dump may have CRLF line ends' want got
"$CPA" threads --focus='Worker' --ignore=nothing go.txt | head -2 >got
is_equal "$(tail -1 got)" '3 of 5 goroutines' '--focus selects stacks by function'
"$CPA" threads --ignore='Worker|main$' -o got go.txt
is_equal "$(sed -n '2p; $p' got)" '1 of 5 goroutines
    goroutine running on other thread; stack unavailable' '--ignore removes stacks by function'

cat >threads.txt <<'END'
thread 4711 "worker [1]" [futex, 12 minutes, cpu 3.2s, labels: {"op":"x, y","n":"1"}]:
std::lock(int, char (*)(int))(...)
	/src/lock.cc:12 +0x1d
created by start(int)
	/src/main.cc:3 +0x3

thread 4712 "other" [futex, 2 minutes, cpu 0.9s, labels: {"op":"x, y","n":"1"}]:
std::lock(int, char (*)(int))(...)
	/src/lock.cc:12 +0x1d
created by start(int)
	/src/main.cc:3 +0x3

thread 4713 "other" [futex, cpu 0.0s]:
std::lock(int, char (*)(int))(...)
	/src/lock.cc:12 +0x1d
END
cat >want <<'END'
3 threads

2 threads, futex, 2 to 12 minutes, cpu 4.10s: "worker [1]" 4711, "other" 4712
  labels: {"op":"x, y","n":"1"}
    std::lock(int, char (*)(int))  lock.cc:12
    created by start(int)          main.cc:3

1 thread, futex, cpu 0: "other" 4713
    std::lock(int, char (*)(int))  lock.cc:12
END
"$CPA" threads threads.txt >got
same 'threads of a C or C++ program have names, CPU time, labels and parameter types' want got

# Servers.
"$CPA" threads "http://$host/go" 9>&- >/dev/null 2>&1
"$CPA" threads "$host" 9>&- >got 2>err
is_equal "$? $(cat err) $(sed -n 3p got)" '0  1 goroutine, select, 12 minutes: 1' 'the goroutines of a server are printed'
is_equal "$(tail -2 log | tr '\n' ' ')" 'GET /debug/pprof/threads?debug=2 GET /debug/pprof/goroutine?debug=2 ' 'threads are requested before goroutines'
"$CPA" threads "http://$host/threaded/debug/pprof" 9>&- >got
is_equal "$(sed -n 3p got)" '1 thread, futex, 12 minutes, cpu 3.20s: "worker" 4711' 'the threads of a server are printed'
"$CPA" threads "unix:$sock" 9>&- >got
is_equal "$(sed -n 3p got)" '1 goroutine, select, 12 minutes: 1' 'the server can be a socket'
echo tok-123 >token && chmod 600 token
"$CPA" threads --bearer-file=token "http://$host/secret/debug/pprof" 9>&- >got
is_equal "$(sed -n 3p got)" '1 goroutine, select, 12 minutes: 1' '--bearer-file sends the token'
fails '401 Unauthorized' threads "http://$host/secret/debug/pprof"
fails 'the server closed the connection without an answer' threads "http://bob:hush@$host/down/debug/pprof"
is_equal "$(grep -c hush err)" 0 'the error does not contain the secret'

# Mangled names.
printf 'goroutine 1 [futex]:\n_ZN4shop6server5serveEi()\n\tshopd+0x10\n_Zbroken()\n\tx.c:3\nmain.f()\n\t/m.go:3\n' >symbols.txt
"$CPA" threads symbols.txt >got
is_equal "$(awk 'NR > 3 { print $1 }' got | tr '\n' ' ')" 'shop::server::serve _Zbroken main.f ' 'C++ names are demangled'
"$CPA" threads --focus='server::serve$' symbols.txt >got
is_equal "$(head -1 got)" '1 goroutine' '--focus matches the demangled name'

# Hostile and large input.
printf 'goroutine 1 [\033[31mselect, 99999999999999999999 minutes]:\nmain.\033]0;x\007main()\n\t/a\033[2J.go:1\n' >hostile.txt
printf 'goroutine 18446744073709551616 [x]:\ngoroutine 2 []:\n(((((\n))))))\n\tx:\n\t\n\n' >>hostile.txt
"$CPA" threads hostile.txt >got 2>err
is_equal "$? $(grep -c '[[:cntrl:]]' got) $(awk 'length > 80' got)" '0 0 ' 'control characters in a dump are escaped'
"${PYTHON3:-python3}" -c 'for i in range(100000): print(f"goroutine {i} [select, {i % 7} minutes]:\nmain.f{i % 3}({i})\n\t/a.go:1\n")' >many.txt
"$CPA" threads many.txt >got
is_equal "$(head -3 got | tr '\n' ' ' | cut -c 1-65)" '100,000 goroutines  33,334 goroutines, select, 0 to 6 minutes: 0,' '100,000 goroutines are grouped'
is_equal "$(wc -l <got)" 19 'the list of numbers is shortened'
fails 'no stack of a goroutine or thread found' threads "$TESTDATA/go-goroutine.txt"
# shellcheck disable=SC2016 # the message has a command
fails '/sh: is a program; give a process ID, as in cpa threads $(pidof sh)$' threads /bin/sh
fails 'nowhere.txt: not a PID, a file or a server address' threads nowhere.txt
fails 'applies to processes only' threads -proto go.txt
fails 'to servers and files only' threads --focus=x 1
fails 'error parsing regexp' threads '--focus=(' go.txt
fails 'takes one process' threads 1 2
done_testing
