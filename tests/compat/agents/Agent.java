// Agent.java - a program with CPU time, allocations and locks, for agents of Java
//
// SPDX-License-Identifier: Apache-2.0
//
// usage: java -javaagent:... Agent.java SECONDS     sets a label with the API of Pyroscope's agent, if that is there
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

public class Agent {
	private static final Object lock = new Object();
	private static final List<byte[]> kept = new ArrayList<>();
	private static volatile long result;

	private static void step() {
		long sum = 0;

		for (int i = 0; i < 3000000; i++)
			sum += i % 7 * (sum | 1);
		result = sum;
		synchronized (lock) {
			try {
				Thread.sleep(2);
			} catch (InterruptedException e) {
				return;
			}
			kept.add(new byte[100000]);
			if (kept.size() > 100)
				kept.subList(0, 50).clear();
		}
	}

	private static Runnable labelled(String name, Runnable work) throws Exception {
		try {
			Class<?> set = Class.forName("io.pyroscope.labels.v2.LabelsSet");
			Object labels = set.getConstructor(Map.class).newInstance(Map.of("controller", name));
			Method run = Class.forName("io.pyroscope.labels.v2.Pyroscope$LabelsWrapper").getMethod("run", set, Runnable.class);

			return () -> {
				try {
					run.invoke(null, labels, work);
				} catch (ReflectiveOperationException e) {
					throw new IllegalStateException(e);
				}
			};
		} catch (ClassNotFoundException e) {
			return work;
		}
	}

	public static void main(String[] args) throws Exception {
		long until = System.nanoTime() + Long.parseLong(args[0]) * 1000000000L;
		List<Thread> threads = new ArrayList<>();

		for (int i = 0; i < 2; i++) {
			Runnable work = labelled("c" + i, Agent::step);
			Thread thread = new Thread(() -> {
				while (System.nanoTime() < until)
					work.run();
			}, "worker-" + i);
			threads.add(thread);
			thread.start();
		}
		for (Thread thread : threads)
			thread.join();
		Thread.sleep(7000); // the last upload
		System.exit(result == 1 ? 1 : 0);
	}
}
