// Waits for conditions without an event.
/** Under load, starting a code-server sometimes takes a minute. */
export const BOOT_MS = 120_000;
export const LOOK_MS = 50;

/** Polls until true; the last error explains a timeout. */
export async function waitFor(look: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + BOOT_MS;
  for (;;) {
    try {
      if (await look()) return;
      if (Date.now() > deadline) throw new Error('it did not happen in time');
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
