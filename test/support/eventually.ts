/** Polls until `probe` returns something; on a time-out, the error says what it was waiting for. */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | null | undefined | false>,
  ms = 45_000,
): Promise<T> {
  const deadline = Date.now() + ms;
  for (;;) {
    const found = await probe();
    if (found !== null && found !== undefined && found !== false) return found;
    if (Date.now() >= deadline) throw new Error(`Waited ${ms} ms in vain for ${what}`);
    await new Promise((wake) => setTimeout(wake, 50));
  }
}
