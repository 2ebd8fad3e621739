package trial;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.concurrent.Callable;

/** Lines for the harness, and its answer to a request for a restart. */
final class Report {
  private static final BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
  private static int failed = 0;

  private Report() {}

  /** Passes if the step returns true. */
  static void check(String name, Callable<Boolean> step) {
    String problem = "the outcome is not the expected one";
    try {
      if (step.call()) {
        print("ok " + name);
        return;
      }
    } catch (Exception | Error error) {
      problem = String.valueOf(error);
      error.printStackTrace();
    }
    failed++;
    print("not ok " + name + ": " + problem.replace('\n', ' '));
  }

  /** Polls until the condition holds without an exception, for 40 seconds at most. */
  static boolean eventually(Callable<Boolean> condition) throws InterruptedException {
    for (int attempt = 0; attempt < 400; attempt++) {
      try {
        if (condition.call()) return true;
      } catch (Exception error) {
        // The server may be down.
      }
      Thread.sleep(100);
    }
    return false;
  }

  static void restartServer() throws IOException {
    print("@restart");
    input.readLine();
  }

  static void finish() {
    System.exit(failed == 0 ? 0 : 1);
  }

  private static synchronized void print(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
