// Waits for what there is no event for.
/** A code-server that starts beside everything else takes a minute now and then. */
export const BOOT_MS = 120_000;
export const LOOK_MS = 50;

/** Looks again until it is so; the last failure says why it never was. */
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
