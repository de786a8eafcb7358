import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Keeps the file `ready` true: it exists only when the probe, a real request through the service's own port, succeeded
 * after the file was last removed. `services` removes it to ask again.
 */
final class Readiness {
  interface Probe {
    void run() throws Exception;
  }

  private static final long POLL_MS = 100;

  private Readiness() {}

  /** Never returns. A failing probe is logged and tried again: `services` decides how long to wait. */
  static void keep(Path ready, Probe probe) throws Exception {
    while (true) {
      if (!Files.exists(ready)) {
        try {
          probe.run();
          Files.createFile(ready);
        } catch (Exception e) {
          System.err.println("not ready yet: " + e);
        }
      }
      Thread.sleep(POLL_MS);
    }
  }

  /** Runs a server that blocks; the process ends with it, so that a dead server is never taken for a slow one. */
  static void serve(String name, Probe server) {
    Thread thread =
        new Thread(
            () -> {
              try {
                server.run();
                System.err.println(name + " ended");
              } catch (Throwable e) {
                e.printStackTrace();
              }
              Runtime.getRuntime().halt(1);
            },
            name);
    thread.start();
  }
}
