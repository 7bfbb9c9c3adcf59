/*
 * help_text.c - the longer help texts of commands
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/help_text.h"

#include "engine/query.h"

#include <string.h>

const char *const help_job_title[N_HELP_JOBS] = {
	[JOB_COLLECT] = "Record profiles",  [JOB_REPORT] = "Print reports",   [JOB_DRAW] = "Draw pictures",
	[JOB_COMPARE] = "Compare profiles", [JOB_CONVERT] = "Write profiles", [JOB_HELP] = "Get help",
};

#define PATTERN_ABOUT "REGEX is a regular expression that is searched for in function names. "
#define GRAPHVIZ "Needs the program dot of Graphviz. Nodes are functions, edges are calls. "
#define GRAPHVIZ_SHOWN GRAPHVIZ "With -o FILE the picture is written to FILE, and no program is started."
#define PROGRAM_STATUS "The exit status of the program; 128 + N if signal N ended it.\n"

/* clang-format off */
const struct help_text help_texts[] = {
	{ "record", JOB_COLLECT, true,
	  "Runs PROGRAM, writes one profile of it and of all programs that it starts, and "
	  "prints the top functions on standard error. The program needs no special build, "
	  "and its standard output is not changed. The profile is cpa-record.pb.gz unless -o "
	  "names a file. Options of reports (-cum, -lines, -focus=REGEX) and reports "
	  "(-tree, -peek=REGEX) are also accepted and apply to what is printed.\n"
	  "With -p, running processes are sampled instead, with perf events of the kernel; "
	  "nothing is loaded into them, and they are not stopped. This works for all "
	  "programs, also static ones and those written in Go.",
	  "cpa record -- make -j4\twhere a build spends its time\n"
	  "cpa record -p 4711 --seconds=10\ta running process\n"
	  "cpa record -a -F 99 -g -- sleep 5\tthe whole machine, as with perf\n"
	  "cpa record --flame=app.svg -- ./app\tdraw a flame graph instead\n"
	  "cpa record --heap -cum -- ./app\tmemory in use at exit, by cum\n",
	  PROGRAM_STATUS "2 if it cannot be profiled. With -p, 0 or 2.\n", "cpa-record(1)" },
	{ "run", JOB_COLLECT, true,
	  "Runs PROGRAM and writes a profile for each option that names a file; by default, "
	  "CPU time to cpu-%p.pb.gz. In a file name, %p is the process ID, %t the time and "
	  "%h the host. The program needs no special build. With --enable-profiling, cpa "
	  "serves profiles of the program over HTTP while it runs.",
	  "cpa run --cpu=cpu.pb.gz -- ./app\tprofile CPU time\n"
	  "cpa run --heap=heap.pb.gz --every=10s -- ./app\theap profiles every 10 s\n"
	  "cpa run --profile-port=7777 -- ./app\tthen: cpa top localhost:7777\n",
	  PROGRAM_STATUS "2 if it cannot be profiled.\n", "cpa-run(1)" },
	{ "doctor", JOB_COLLECT, true,
	  "Captures the profiles and stacks of a server (or a process, for slow and threads) into a folder, compares them, and "
	  "prints findings with their numbers and the command line that shows each. slow explains CPU time and waits, memory "
	  "what grows, threads what is blocked. What cannot be determined is stated. A DIR is evidence of an earlier run. "
	  "report.md in the folder is for a ticket.",
	  "cpa doctor slow localhost:6060\n"
	  "cpa doctor slow --baseline=store:shop@-25h..-23h -o slow localhost:6060\n"
	  "cpa doctor memory --wait=10m -o leak localhost:6060\n"
	  "cpa doctor threads $(pidof server)\n"
	  "cpa doctor memory leak\tagain, from the saved evidence\n",
	  "0 if evidence was captured and explained, with or without findings; else 2.\n", "cpa-doctor(1)" },
	{ "snapshot", JOB_COLLECT, true,
	  "Fetches all profiles of a server at the same time and writes one file for each, "
	  "with a manifest.json. SERVER is http://HOST:PORT, https://HOST:PORT, HOST:PORT or "
	  "unix:SOCKET.",
	  "cpa snapshot -o prof/v1.4 localhost:6060\n"
	  "cpa snapshot -o now --seconds=5 --dump unix:/run/app.sock\n"
	  "cpa snapshot --release=2.4.0 --service=shop localhost:6060\n",
	  "2 if a profile could not be fetched; the others are written.\n", "cpa-snapshot(1)" },
	{ "store", JOB_COLLECT, true,
	  "A store is a folder of profiles over time, which cpa collect fills and every report "
	  "reads: cpa top store:SERVICE. SELECTOR is such a source, with or without store:, for "
	  "example shop, shop/heap{env=prod}, 'shop@2026-11-22' or '*@-1d'.\n"
	  "ls lists services and kinds; --labels, --profiles, --marks and --pins list more.\n"
	  "stat prints sizes.\n"
	  "get writes profiles as they were scraped, export a selection as a folder or as one file "
	  "(.cpx), import adds such files, any profiles, folders of cpa snapshot, and tar files.\n"
	  "pin copies a window that is then kept for ever, as store:SERVICE@pin:NAME.\n"
	  "release keeps the profiles of a version as release:SERVICE@VERSION; ls --releases lists them.\n"
	  "mark SERVICE KIND TEXT names the present, or --time; KIND is deploy, incident or note.\n"
	  "rm removes profiles, gc removes what is older than the retention allows.\n"
	  "verify checks all files, repair rebuilds the index.\n",
	  "cpa store ls\n"
	  "cpa store import --service=shop --label=env=prod 'prof/*.pb.gz'\n"
	  "cpa store get -o noon.pb.gz 'shop/cpu@2026-11-22T12:00+10m+limit=1'\n"
	  "cpa store pin release-2.4 'shop{version=2.4.0}'\n"
	  "cpa store rm --dry-run 'shop{tenant=acme}@all'\n",
	  "0, 1 if verify found damage, 2 for errors.\n", "cpa-store(1)" },
	{ "collect", JOB_COLLECT, true,
	  "Requests profiles from each TARGET at intervals, receives pushed profiles, and writes "
	  "them to a store until Ctrl-C. By default, CPU is profiled for 30 s every 10 minutes. "
	  "TARGET is HOST:PORT, a URL or unix:SOCKET. FILE.cpa describes many targets. Stored "
	  "profiles are sources of all commands: store:SERVICE@WINDOW.",
	  "cpa collect localhost:6060 10.0.0.7:6060\n"
	  "cpa top store:shop\tthe last hour of the service shop\n"
	  "cpa diff 'store:shop@-2h..-1h' 'store:shop@-1h'\n"
	  "cpa collect --check collect.cpa\tprint what would be scraped and when\n",
	  "2 if it cannot start, or if a target failed with --once.\n", "cpa-collect(1)" },
	{ "threads", JOB_COLLECT, true,
	  "Prints the stack of every thread of a process. Threads with the same stack are "
	  "printed together. The process is not stopped and receives no signal. SERVER "
	  "(http://HOST:PORT, HOST:PORT, unix:SOCKET) is queried for its threads or goroutines. "
	  "FILE (- for standard input) is the output of a Go panic, or the answer of a server "
	  "(/debug/pprof/goroutine?debug=2).",
	  "cpa threads $(pidof server)\n"
	  "cpa threads --focus='sync.Mutex' localhost:6060\n"
	  "cpa threads --leaked localhost:6060\tgoroutines that nothing can wake\n"
	  "journalctl -o cat -u app | cpa threads -\n",
	  NULL, "cpa-threads(1)" },

	{ "shell", JOB_REPORT, true,
	  "Without a command, cpa reads the profile and starts the shell: a full screen on a "
	  "terminal, a prompt with --plain, or without a terminal the commands on standard "
	  "input. Other options are the initial settings of the shell. Press ? or type help "
	  "for its keys and commands.",
	  "cpa cpu.pb.gz\texplore a profile\n"
	  "cpa --plain ./server cpu.pb.gz\tat a prompt\n"
	  "echo 'top5 -cum' | cpa cpu.pb.gz\tfrom a script\n",
	  NULL, "cpa-shell(7)" },
	{ "top", JOB_REPORT, true,
	  "Flat is the cost of the function itself; cum is the cost of the function and "
	  "everything it calls. (inline) marks a function that is inlined by all callers shown.",
	  "cpa top -cum -nodecount=20 cpu.pb.gz\t20 functions, by cum\n"
	  "cpa top -lines -focus=handler cpu.pb.gz\tsource lines below a handler\n"
	  "cpa top -seconds=5 localhost:6060\tprofile a server for 5 s\n"
	  "cpa top -seconds=5 pid:4711\tsample a running process for 5 s\n",
	  NULL, NULL },
	{ "tree", JOB_REPORT, true,
	  "Each function is printed between its callers (above) and its callees (below), "
	  "with the cost of each call.",
	  "cpa tree cpu.pb.gz\n"
	  "cpa tree -nodecount=10 -cum cpu.pb.gz\tthe 10 functions with the largest cum\n",
	  NULL, NULL },
	{ "peek", JOB_REPORT, true,
	  PATTERN_ABOUT "All callers and callees are printed, however low their cost.",
	  "cpa peek 'json.Marshal' cpu.pb.gz\n"
	  "cpa peek --json '^main\\.' cpu.pb.gz\n",
	  NULL, NULL },
	{ "list", JOB_REPORT, true,
	  PATTERN_ABOUT
	  "Each line is printed with its flat and cum. Source files are searched at the "
	  "path in the profile, in the current folder and in -source_path.",
	  "cpa list parse cpu.pb.gz\n"
	  "cpa list -source_path=$HOME/src 'Server.*Run' ./server cpu.pb.gz\n",
	  NULL, NULL },
	{ "disasm", JOB_REPORT, true,
	  PATTERN_ABOUT
	  "REGEX can also be an address. Each instruction is printed with its flat and cum. "
	  "Symbols of more than 2,000 instructions are cut to the code around their samples; --all shows them whole. "
	  "Needs the binary, and objdump of binutils or LLVM.",
	  "cpa disasm parse ./server cpu.pb.gz\n"
	  "cpa disasm -intel_syntax 0x4a2f10 ./server cpu.pb.gz\n",
	  NULL, NULL },
	{ "traces", JOB_REPORT, false,
	  "The innermost frame of a stack is printed first.",
	  "cpa traces -focus=malloc heap.pb.gz\n"
	  "cpa traces --json cpu.pb.gz\n",
	  NULL, NULL },
	{ "tags", JOB_REPORT, true,
	  "Prints the values of each label key, sorted by cost. -tagfocus keeps only samples "
	  "with a label; flame --by=label:KEY splits a flame graph by the values of a label.",
	  "cpa tags cpu.pb.gz\n"
	  "cpa tags -focus=handler cpu.pb.gz\n",
	  NULL, NULL },
	{ "labels", JOB_REPORT, false,
	  "Lists the labels of samples and series, and what is wrong with them: unusual names, ids in values with the line of "
	  "collect.cpa that replaces them, too many values, threads that lost their labels. --strict exits with 1 then.",
	  "cpa labels cpu.pb.gz\n"
	  "cpa labels --strict store:shop@-1d\n",
	  NULL, "cpa-labels(1)" },
	{ "binaries", JOB_REPORT, false,
	  "Flat is the cost of the samples taken in a program or library; cum is the cost of "
	  "all samples with a frame in it.",
	  "cpa binaries cpu.pb.gz\n"
	  "cpa binaries --csv cpu.pb.gz\n",
	  NULL, NULL },
	{ "text", JOB_REPORT, false, NULL,
	  "cpa text cpu.pb.gz\n"
	  "cpa -text -cum cpu.pb.gz\tas with go tool pprof\n",
	  NULL, NULL },
	{ "comments", JOB_REPORT, false, NULL,
	  "cpa comments cpu.pb.gz\n"
	  "cpa comments --json cpu.pb.gz\n",
	  NULL, NULL },
	{ "raw", JOB_REPORT, false,
	  "Prints samples, locations and mappings as they are in the file.",
	  "cpa raw cpu.pb.gz\n"
	  "cpa raw -focus=main cpu.pb.gz\n",
	  NULL, NULL },

	{ "flame", JOB_DRAW, true,
	  "The suffix of the -o file sets the format. With -base or -diff_base, colours "
	  "show what grew and what shrank.",
	  "cpa flame -o cpu.svg cpu.pb.gz\n"
	  "cpa flame -o diff.html -base=old.pb.gz new.pb.gz\n"
	  "cpa flame --by=label:route -o routes.pdf cpu.pb.gz\n",
	  NULL, "cpa-flame(1)" },
	{ "svg", JOB_DRAW, true,
	  GRAPHVIZ "In a browser, drag to move and turn the wheel to zoom.",
	  "cpa svg -o calls.svg cpu.pb.gz\n"
	  "cpa svg -focus=parse -nodecount=30 -o parse.svg cpu.pb.gz\n",
	  NULL, NULL },
	{ "web", JOB_DRAW, true, GRAPHVIZ_SHOWN,
	  "cpa web cpu.pb.gz\n"
	  "cpa web -focus=parse cpu.pb.gz\n",
	  NULL, NULL },
	{ "weblist", JOB_DRAW, false,
	  PATTERN_ABOUT
	  "Click a source line to see its instructions. Without the binary the page has "
	  "source lines only. With -o FILE the page is written to FILE, and no browser is started.",
	  "cpa weblist parse ./server cpu.pb.gz\n"
	  "cpa weblist -o parse.html parse ./server cpu.pb.gz\n",
	  NULL, NULL },
	{ "pdf", JOB_DRAW, false, GRAPHVIZ, "cpa pdf -o calls.pdf cpu.pb.gz\ncpa pdf -call_tree -o tree.pdf cpu.pb.gz\n", NULL, NULL },
	{ "png", JOB_DRAW, false, GRAPHVIZ, "cpa png -o calls.png cpu.pb.gz\ncpa png -call_tree -o tree.png cpu.pb.gz\n", NULL, NULL },
	{ "ps", JOB_DRAW, false, GRAPHVIZ, "cpa ps -o calls.ps cpu.pb.gz\ncpa ps -call_tree -o tree.ps cpu.pb.gz\n", NULL, NULL },
	{ "gif", JOB_DRAW, false, GRAPHVIZ, "cpa gif -o calls.gif cpu.pb.gz\ncpa gif -call_tree -o tree.gif cpu.pb.gz\n", NULL, NULL },
	{ "dot", JOB_DRAW, false,
	  "Prints the graph in DOT, the language of Graphviz. Nodes are functions, edges are calls.",
	  "cpa dot cpu.pb.gz | dot -Tsvg >calls.svg\n"
	  "cpa dot -nodecount=20 -o calls.dot cpu.pb.gz\n",
	  NULL, NULL },
	{ "eog", JOB_DRAW, false, GRAPHVIZ_SHOWN, "cpa eog cpu.pb.gz\ncpa eog -focus=parse cpu.pb.gz\n", NULL, NULL },
	{ "evince", JOB_DRAW, false, GRAPHVIZ_SHOWN, "cpa evince cpu.pb.gz\ncpa evince -focus=parse cpu.pb.gz\n", NULL, NULL },
	{ "gv", JOB_DRAW, false, GRAPHVIZ_SHOWN, "cpa gv cpu.pb.gz\ncpa gv -focus=parse cpu.pb.gz\n", NULL, NULL },
	{ "kcachegrind", JOB_DRAW, false,
	  "With -o FILE the profile is written to FILE, and KCachegrind is not started.",
	  "cpa kcachegrind cpu.pb.gz\n"
	  "cpa kcachegrind -focus=parse cpu.pb.gz\n",
	  NULL, NULL },

	{ "diff", JOB_COMPARE, true,
	  "Prints flat and cum before and after, and the change. Functions with the largest "
	  "change come first.",
	  "cpa diff old.pb.gz new.pb.gz\n"
	  "cpa diff --normalize=total old.pb.gz new.pb.gz\n"
	  "cpa diff a1.pb.gz a2.pb.gz -- b1.pb.gz b2.pb.gz\tseveral files on each side\n",
	  NULL, "cpa-diff(1)" },
	{ "trend", JOB_COMPARE, true,
	  "Reads two or more profiles, oldest first, for example heap profiles of one server, "
	  "and prints the functions that grew and never fell. --all prints the other "
	  "functions too.",
	  "cpa trend heap.*.pb.gz\n"
	  "cpa trend -cum --all heap1.pb.gz heap2.pb.gz heap3.pb.gz\n",
	  NULL, "cpa-diff(1)" },
	{ "series", JOB_COMPARE, true,
	  "Prints a row for each step of a window of a store: total, samples, profiles, instances, and "
	  "marks such as deploys. --by=label:KEY adds a column for each value of a label.",
	  "cpa series store:shop@-1d\n"
	  "cpa series --by=label:version store:shop/mutex@-6h\n"
	  "cpa series --function=parse -o parse.svg store:shop@-7d\n",
	  NULL, "cpa-diff(1)" },
	{ "watch", JOB_COMPARE, true,
	  "Runs cpa gate on windows of a store: after each deploy mark, and at intervals against the same hours of earlier "
	  "days. An alarm is printed, posted (--webhook) or passed to a command (--exec) once. A source with a window, "
	  "such as store:shop@-30d, shows the checks of that time.",
	  "cpa watch 'store:*'\n"
	  "cpa watch --once --webhook=https://chat.example/hook store:shop\tfrom cron, once an hour\n"
	  "cpa watch --every=6h store:shop@-30d\n"
	  "cpa watch store:shop/heap -- --threshold=50%\n",
	  "With --once or a window: 0 no FAIL, 1 a FAIL, 2 trouble.\n", "cpa-watch(1)" },
	{ "gate", JOB_COMPARE, true,
	  "Compares the profiles of an old and a new version, and decides whether a function "
	  "became slower. Several runs of each side make the decision more reliable. Output "
	  "options with a FILE may be combined.",
	  "cpa gate -base=old.pb.gz new.pb.gz\n"
	  "cpa gate --threshold=10% --junit=gate.xml old.pb.gz new.pb.gz\n"
	  "cpa gate a1.pb.gz a2.pb.gz -- b1.pb.gz b2.pb.gz\tseveral runs of each side\n"
	  "cpa gate --release=2.4.0 store:shop@-1h\ta release of the store as base\n",
	  "0 PASS, 1 FAIL, 2 ERROR, 3 INCONCLUSIVE (see --inconclusive).\n", "cpa-gate(1)" },

	{ "merge", JOB_CONVERT, true, NULL,
	  "cpa merge -o all.pb.gz a.pb.gz b.pb.gz\n"
	  "cpa merge --label=source -o all.pb.gz 'prof/*.pb.gz'\n",
	  NULL, NULL },
	{ "convert", JOB_CONVERT, true,
	  "The ending of FILE chooses the format, or --to=FORMAT; cpa help formats lists both. "
	  "The format of sources is detected, or --from=FORMAT.",
	  "cpa convert -o cpu.folded cpu.pb.gz\n"
	  "cpa convert -o cpu.pb.gz stacks.txt\n"
	  "cpa convert --from=1s --to=2.5s -o part.pb.gz perf.data\n"
	  "cpa convert --to=speedscope cpu.pb.gz >cpu.json\n",
	  NULL, NULL },
	{ "symbolize", JOB_CONVERT, true,
	  "The binary is then not needed to read the file.",
	  "cpa symbolize -o named.pb.gz ./server cpu.pb.gz\n"
	  "cpa symbolize --symfs=/mnt/target -o named.pb.gz cpu.pb.gz\n"
	  "cpa symbolize --jit=/tmp/perf-4711.map -o named.pb.gz cpu.pb.gz\n",
	  "2 if names are missing and none was found; the file is still written.\n", NULL },
	{ "bundle", JOB_CONVERT, false,
	  "The file can then be read on any machine, list and weblist included. It contains "
	  "source code: consider who receives it.",
	  "cpa bundle -o case.pb.gz cpu.pb.gz\n"
	  "cpa bundle -source_path=$HOME/src -o case.pb.gz ./server cpu.pb.gz\n",
	  "2 if names are missing and none was found; the file is still written.\n", NULL },
	{ "anonymize", JOB_CONVERT, false,
	  "Replaces the names of functions, files, binaries and labels, texts of labels and comments by pseudonyms, and "
	  "prints what remains readable. Stacks and values stay. Profiles with the same salt have the same pseudonyms, and "
	  "can be compared; the salt allows to check guesses of names, so keep it secret.",
	  "cpa anonymize -o shared.pb.gz cpu.pb.gz\n"
	  "cpa anonymize --salt=team.salt --keep='^runtime\\.' -o shared.pb.gz cpu.pb.gz\n",
	  NULL, "cpa-anonymize(1)" },
	{ "folded", JOB_CONVERT, false,
	  "Each line is a stack, root first, followed by its value. In a comparison there are two "
	  "values, before and after.",
	  "cpa folded cpu.pb.gz >cpu.folded\n"
	  "cpa folded -base=old.pb.gz -o diff.folded new.pb.gz\n",
	  NULL, NULL },
	{ "proto", JOB_CONVERT, false, NULL,
	  "cpa proto -o main.pb.gz -focus=main cpu.pb.gz\tthe filtered profile\n"
	  "cpa -proto cpu.prof >cpu.pb.gz\tconvert a legacy format\n",
	  NULL, NULL },
	{ "otlp", JOB_CONVERT, false,
	  "One uncompressed message of release 1.11; readers of 1.9 and before find no values in it.",
	  "cpa otlp -o cpu.otlp.pb cpu.pb.gz\n"
	  "cpa otlp -o main.otlp.pb -focus=main cpu.pb.gz\n",
	  NULL, NULL },
	{ "topproto", JOB_CONVERT, false,
	  "Each row is a sample with one frame.",
	  "cpa topproto -o top.pb.gz cpu.pb.gz\n"
	  "cpa topproto -lines -o lines.pb.gz cpu.pb.gz\n",
	  NULL, NULL },
	{ "speedscope", JOB_CONVERT, false,
	  "Open the file at https://www.speedscope.app. It has one part for each sample type.",
	  "cpa speedscope -o cpu.speedscope.json cpu.pb.gz\n"
	  "cpa speedscope -focus=main -o main.speedscope.json cpu.pb.gz\n",
	  NULL, NULL },
	{ "cpuprofile", JOB_CONVERT, false,
	  "Writes a sample type of time as a profile of V8, for DevTools, VS Code and speedscope. They assume one\n"
	  "thread; -tagfocus selects it.",
	  "cpa cpuprofile -o cpu.cpuprofile cpu.pb.gz\n"
	  "cpa cpuprofile -sample_index=delay -o waits.cpuprofile mutex.pb.gz\n",
	  NULL, NULL },
	{ "firefox", JOB_CONVERT, false,
	  "Open the file at https://profiler.firefox.com. It has one sample type, as weights of samples;\n"
	  "their times have no meaning.",
	  "cpa firefox -o cpu.firefox.json cpu.pb.gz\n"
	  "cpa firefox -sample_index=inuse_space -o heap.firefox.json heap.pb.gz\n",
	  NULL, NULL },
	{ "callgrind", JOB_CONVERT, false,
	  "Profiles do not count calls, so all call counts in the file are 0, as in pprof's.",
	  "cpa callgrind -o cpu.grind cpu.pb.gz\n"
	  "cpa callgrind -focus=main -o main.grind cpu.pb.gz\n",
	  NULL, NULL },

	{ "push", JOB_CONVERT, false,
	  "Sends each profile of the sources once. URL names the system: pyroscope+https://HOST, parca+https://HOST and others, or cpa+https://HOST for "
	  "another cpa collect, whose sink lines send what is stored from then on. SOURCE is a file, a server, or store:WINDOW, "
	  "of which each profile is sent. Counters since the start of a process are sent as the increase since the profile "
	  "before, as systems add profiles up; the first one has 0.",
	  "cpa push --to=pyroscope+https://HOST --service=shop cpu.pb.gz\n"
	  "cpa push --to=cpa+http://10.0.0.7:7070 store:shop@-1d\n"
	  "cpa push --dry-run --to=pyroscope+http://localhost:4040 store:*@-10m\n",
	  "0 if all were sent, 1 if some were refused, 2 for errors.\n", "cpa-push(1)" },
	{ "help", JOB_HELP, true,
	  "cpa COMMAND --help prints the same as cpa help COMMAND. cpa help shell explains\n"
	  "cpa without a command, cpa help formats the formats of profiles; cpa help all\n"
	  "lists every command and option.\n",
	  "cpa help top\n"
	  "cpa help -focus\n"
	  "cpa help formats\n"
	  "cpa help all\n",
	  "2 if there is no such command or option.\n", NULL },
	{ "completion", JOB_HELP, true,
	  "The script completes commands, options and their values; sample types and labels "
	  "are those of the profiles on the command line.",
	  ". <(cpa completion bash)\tin ~/.bashrc\n"
	  "cpa completion zsh >~/.zfunc/_cpa\n"
	  "cpa completion fish >~/.config/fish/completions/cpa.fish\n",
	  NULL, NULL },
	{ "version", JOB_HELP, true, NULL, "cpa version\ncpa version --verbose\n", NULL, NULL },
};
/* clang-format on */
const size_t n_help_texts = sizeof(help_texts) / sizeof(help_texts[0]);

const struct help_text *help_text_find(const char *name)
{
	for (size_t i = 0; i < n_help_texts; i++)
		if (strcmp(help_texts[i].name, name) == 0)
			return &help_texts[i];
	return NULL;
}

/* clang-format off */
/* Options of reports that differ in gate. */
static const struct opt gate_options[] = {
	{ "base", OPT_LIST, 0, 0, "", "SOURCE", GROUP_COMPARE, false, "a profile of the old version; may be repeated" },
	{ "diff_base", OPT_LIST, 0, 0, "", "SOURCE", GROUP_COMPARE, false, "same as -base" },
	{ "normalize", OPT_MODE, 0, 0, "", "bulk|rest|work|none|duration|share", GROUP_COMPARE, false,
	  "reference with which a function is compared (default bulk; without a value: share)\n"
	  "bulk is the unchanged part of the program, rest all of the program outside the function.\n"
	  "work is the units of work given by --work-base and --work-new, none the number of profiles.\n"
	  "duration is the duration of the profiles, and share is the total of all samples of the side.\n"
	  "The default for memory in use and for counts of threads and goroutines is none." },
	{ "all", OPT_BOOL, 0, 0, "false", NULL, GROUP_COMPARE, true, "show all functions" },
	{ "json", OPT_MODE, 0, 0, "", "FILE", GROUP_OUTPUT, true, "write JSON to standard output, or to FILE; gate.schema.json is its schema" },
	{ "markdown", OPT_MODE, 0, 0, "", "FILE", GROUP_OUTPUT, true, "write a Markdown table to standard output, or to FILE" },
};

/* Options that only gate has, besides those of GROUP_GATE. */
static const struct opt gate_own_options[] = {
	{ "text", OPT_MODE, 0, 0, "", "FILE", GROUP_OUTPUT, true, "write text to standard output (default), or to FILE" },
	{ "flame", OPT_TEXT, 0, 0, "", "FILE", GROUP_OUTPUT, true, "draw the difference of both sides into FILE (.svg, .html, .pdf, .png)" },
};
/* clang-format on */

const struct opt *help_text_option(const struct report_type *t, const struct opt *o)
{
	for (size_t i = 0; t->input == INPUT_RUNS && i < sizeof(gate_options) / sizeof(gate_options[0]); i++)
		if (strcmp(gate_options[i].name, o->name) == 0)
			return &gate_options[i];
	return o;
}

const struct opt *help_text_own_option(const struct report_type *t, size_t i)
{
	return t->input == INPUT_RUNS && i < sizeof(gate_own_options) / sizeof(gate_own_options[0])
		       ? &gate_own_options[i]
		       : NULL;
}
