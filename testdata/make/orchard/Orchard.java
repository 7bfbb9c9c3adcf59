// SPDX-License-Identifier: Apache-2.0
// Orchard.java - counts apples on several threads, watches itself, and writes the three legacy
// Java profile formats.
// usage: java Orchard.java cpu|heap|contention FILE

import com.sun.management.ThreadMXBean;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

public class Orchard {
    static volatile long sink;
    static volatile boolean stop;

    /** What grows: generic, recursive, with an inner class and lambdas. */
    static class Tree<T extends Comparable<T>> {
        class Branch {
            T apple;
            Branch left, right;
        }

        Branch root;

        void hang(T apple) {
            root = hang(root, apple);
        }

        Branch hang(Branch at, T apple) {
            if (at == null) {
                Branch b = new Branch();
                b.apple = apple;
                return b;
            }
            if (apple.compareTo(at.apple) < 0) {
                at.left = hang(at.left, apple);
            } else {
                at.right = hang(at.right, apple);
            }
            return at;
        }

        int depth(Branch at) {
            return at == null ? 0 : 1 + Math.max(depth(at.left), depth(at.right));
        }
    }

    static int spin(int seed, int rounds, IntUnaryOperator step) {
        for (int i = 0; i < rounds; i++) {
            seed = step.applyAsInt(seed);
        }
        return seed;
    }

    static void grow() {
        while (!stop) {
            Tree<Integer> t = new Tree<>();
            int seed = 2463534;
            for (int i = 0; i < 150; i++) {
                seed = spin(seed, 5, s -> s ^ s << 13 ^ s >>> 17);
                t.hang(seed);
            }
            sink = t.depth(t.root);
        }
    }

    static void label() {
        while (!stop) {
            StringBuilder b = new StringBuilder();
            IntStream.range(0, 2000).mapToObj(i -> String.format("apple-%04d", i)).forEach(b::append);
            sink = b.toString().hashCode();
        }
    }

    static final Object ladder = new Object();
    static final Object basket = new Object();

    static void pick(int n) {
        synchronized (ladder) {
            sink = spin(n, 300_000, s -> s * 31 + 7);
            drop(n);
        }
    }

    static void drop(int n) {
        synchronized (basket) {
            sink = spin(n, 200_000, s -> s * 17 + 3);
        }
    }

    static void harvest() {
        for (int n = 0; !stop; n++) {
            if (n % 3 == 0) {
                drop(n);
            } else {
                pick(n);
            }
        }
    }

    /** Stacks with a count and an amount; the location table is made from the frames seen. */
    static class Samples {
        static final int MAX_DEPTH = 20; // leaf side kept
        final Map<List<StackTraceElement>, long[]> rows = new LinkedHashMap<>();
        final Map<StackTraceElement, Long> id = new LinkedHashMap<>();

        void add(StackTraceElement[] stack, long count, long amount) {
            if (stack.length == 0) {
                return;
            }
            stack = Arrays.copyOf(stack, Math.min(stack.length, MAX_DEPTH));
            long[] v = rows.computeIfAbsent(Arrays.asList(stack), k -> new long[2]);
            v[0] += count;
            v[1] += amount;
            for (StackTraceElement e : stack) {
                id.computeIfAbsent(e, k -> 0x1000L + 16 * id.size());
            }
        }

        String table() {
            StringBuilder b = new StringBuilder("\n");
            id.forEach((e, n) -> b.append(String.format("   0x%08x %s.%s (%s)%n", n, e.getClassName(), e.getMethodName(),
                e.isNativeMethod() || e.getFileName() == null ? "Native Method" : e.getFileName() + ":" + e.getLineNumber())));
            return b.toString();
        }

        String text(String head) {
            StringBuilder b = new StringBuilder(head);
            rows.forEach((stack, v) -> {
                b.append(String.format("%12d %7d @", v[1], v[0]));
                stack.forEach(e -> b.append(String.format(" 0x%08x", id.get(e))));
                b.append('\n');
            });
            return b + table();
        }

        byte[] binary(long periodMicros) throws IOException {
            List<Long> words = new ArrayList<>(List.of(0L, 3L, 1L, periodMicros, 0L));
            rows.forEach((stack, v) -> {
                words.add(v[0]);
                words.add((long) stack.size());
                stack.forEach(e -> words.add(id.get(e)));
            });
            words.addAll(List.of(0L, 1L, 0L));
            ByteBuffer out = ByteBuffer.allocate(8 * words.size()).order(ByteOrder.LITTLE_ENDIAN);
            words.forEach(out::putLong);
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            all.write(out.array());
            all.write(table().getBytes(StandardCharsets.UTF_8));
            return all.toByteArray();
        }
    }

    static Thread[] start(Runnable... work) {
        Thread[] t = new Thread[work.length];
        for (int i = 0; i < t.length; i++) {
            t[i] = new Thread(work[i], "worker-" + i);
            t[i].start();
        }
        return t;
    }

    /** A thread counts when its CPU clock moved since the last look; one tick a look. */
    static byte[] cpu(ThreadMXBean bean) throws Exception {
        Samples s = new Samples();
        Map<Long, Long> clock = new HashMap<>();
        Thread[] pool = start(Orchard::grow, Orchard::label, Orchard::harvest);
        for (int tick = 0; tick < 250; tick++) {
            Thread.sleep(10);
            Thread.getAllStackTraces().forEach((t, stack) -> {
                long now = bean.getThreadCpuTime(t.getId());
                Long before = clock.put(t.getId(), now);
                if (before != null && now - before > 2_000_000 && Arrays.asList(pool).contains(t)) {
                    s.add(stack, 1, 0);
                }
            });
        }
        return s.binary(10_000);
    }

    /** Bytes a thread allocated since the last look go to the stack it has now, one object per 64 KiB begun. */
    static byte[] heap(ThreadMXBean bean) throws Exception {
        Samples s = new Samples();
        Map<Thread, Long> last = new HashMap<>();
        Thread[] pool = start(Orchard::grow, Orchard::label);
        for (int tick = 0; tick < 120; tick++) {
            Thread.sleep(7);
            for (Thread t : pool) {
                long now = bean.getThreadAllocatedBytes(t.getId());
                long grown = now - last.getOrDefault(t, now);
                last.put(t, now);
                if (grown > 0) {
                    s.add(t.getStackTrace(), 1 + grown / 65536, grown);
                }
            }
        }
        return s.text("--- heapz 1 ---\nformat = java\nresolution = bytes\n").getBytes(StandardCharsets.UTF_8);
    }

    /** Milliseconds a thread was blocked since the last look go to the stack it has now. */
    static byte[] contention(ThreadMXBean bean) throws Exception {
        Samples s = new Samples();
        Map<Long, long[]> last = new HashMap<>();
        bean.setThreadContentionMonitoringEnabled(true);
        Thread[] pool = start(Orchard::harvest, Orchard::harvest, Orchard::harvest, Orchard::harvest);
        long begin = System.nanoTime();
        for (int tick = 0; tick < 300; tick++) {
            Thread.sleep(5);
            for (Thread t : pool) {
                ThreadInfo i = bean.getThreadInfo(new long[] {t.getId()}, true, false)[0];
                long[] was = last.put(t.getId(), new long[] {i.getBlockedCount(), i.getBlockedTime()});
                if (was != null && i.getBlockedTime() > was[1] && i.getThreadState() == Thread.State.BLOCKED) {
                    s.add(i.getStackTrace(), Math.max(1, i.getBlockedCount() - was[0]), i.getBlockedTime() - was[1]);
                }
            }
        }
        long ms = (System.nanoTime() - begin) / 1_000_000;
        return s.text("--- contentionz 1 ---\nformat = java\nresolution = milliseconds\nsampling period = 1\nms since reset = " + ms + "\n")
            .getBytes(StandardCharsets.UTF_8);
    }

    public static void main(String[] args) throws Exception {
        ThreadMXBean bean = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        byte[] out = args[0].equals("cpu") ? cpu(bean) : args[0].equals("heap") ? heap(bean) : contention(bean);
        Files.write(Path.of(args[1]), out);
        stop = true;
    }
}
