// Recording.java - adds up the events of a recording with the reader of the JDK
//
// SPDX-License-Identifier: Apache-2.0
//
// usage: java Recording.java FILE     prints lines: sample type of cpa, contextId, sum
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

public class Recording {
	private static final Map<String, Long> sums = new TreeMap<>();

	private static void add(RecordedEvent e, String type, long value) {
		long context = e.hasField("contextId") ? e.getLong("contextId") : 0;

		sums.merge(type + "\t" + context, value, Long::sum);
	}

	private static long weighted(RecordedEvent e) {
		return (long) ((double) e.getLong("size") * e.getFloat("weight") + 0.5);
	}

	private static void read(RecordedEvent e) {
		switch (e.getEventType().getName()) {
		case "jdk.ExecutionSample", "jdk.NativeMethodSample":
			add(e, "cpu", 1);
			break;
		case "datadog.ExecutionSample":
			add(e, "cpu", e.getLong("weight"));
			break;
		case "datadog.MethodSample":
			add(e, "wall", e.getLong("weight"));
			break;
		case "datadog.ObjectSample":
			add(e, "alloc_samples", 1);
			add(e, "alloc", weighted(e));
			break;
		case "datadog.HeapLiveObject":
			add(e, "live_objects", (long) ((double) e.getFloat("weight") + 0.5));
			add(e, "live", weighted(e));
			break;
		case "jdk.ObjectAllocationInNewTLAB":
			add(e, "alloc_in_new_tlab_objects", 1);
			add(e, "alloc_in_new_tlab_bytes", e.getLong("tlabSize"));
			break;
		case "jdk.ObjectAllocationOutsideTLAB":
			add(e, "alloc_outside_tlab_objects", 1);
			add(e, "alloc_outside_tlab_bytes", e.getLong("allocationSize"));
			break;
		case "jdk.ObjectAllocationSample":
			add(e, "alloc_samples", 1);
			add(e, "alloc", e.getLong("weight"));
			break;
		case "jdk.JavaMonitorEnter", "jdk.JavaMonitorWait", "jdk.ThreadPark":
			add(e, "contentions", 1);
			add(e, "delay", e.getDuration().toNanos());
			break;
		default:
			break;
		}
	}

	public static void main(String[] args) throws Exception {
		try (RecordingFile file = new RecordingFile(Path.of(args[0]))) {
			while (file.hasMoreEvents())
				read(file.readEvent());
		}
		sums.forEach((key, sum) -> System.out.println(key + "\t" + sum));
	}
}
