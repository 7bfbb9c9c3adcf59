/* Brook.java - computes, allocates, waits, sleeps and writes files in threads with odd names, for recordings of JFR */
import java.io.FileOutputStream;
import java.util.concurrent.locks.LockSupport;

public class Brook {
	static final Object bank = new Object();
	static volatile long sink;

	static long flow(long n) {
		long x = n;
		for (int i = 0; i < 200000; i++)
			x = x * 6364136223846793005L + 1442695040888963407L;
		return x;
	}

	static long fällt(long n) {
		return flow(n) + flow(n + 1);
	}

	static long deep(int n) {
		return n == 0 ? fällt(n) : deep(n - 1) + 1;
	}

	static void allocate(int n) {
		byte[][] rows = new byte[n][];
		for (int i = 0; i < n; i++)
			rows[i] = new byte[1000 + i % 100];
		String s = "";
		for (int i = 0; i < 20; i++)
			s += i;
		sink += rows.length + s.length();
	}

	static void contend(int ms) throws Exception {
		synchronized (bank) {
			Thread.sleep(ms);
		}
	}

	static void write(String path) throws Exception {
		try (FileOutputStream out = new FileOutputStream(path)) {
			out.write(new byte[100000]);
		}
	}

	public static void main(String[] args) throws Exception {
		double seconds = args.length > 0 ? Double.parseDouble(args[0]) : 1;
		long end = System.nanoTime() + (long) (seconds * 1e9);
		Thread weir = new Thread(() -> {
			try {
				while (System.nanoTime() < end) {
					sink += fällt(sink);
					allocate(300);
					contend(3);
				}
			} catch (Exception e) {
				throw new RuntimeException(e);
			}
		}, "über the wéir");
		Thread otter = new Thread(() -> {
			Thread.currentThread().setName("水獺 \uD83E\uDDA6");
			while (System.nanoTime() < end) {
				sink += deep(150);
				LockSupport.parkNanos(2000000);
			}
		}, "first name");
		weir.start();
		otter.start();
		while (System.nanoTime() < end) {
			sink += deep(3);
			contend(2);
			write(args.length > 1 ? args[1] : "/dev/null");
		}
		weir.join();
		otter.join();
	}
}
