/**
 * A connection that was kept may be closed by the server just when it is used again, as HTTP allows: then what changes nothing is
 * asked once more, over another one.
 */
export async function steadyFetch(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { readonly code?: string };
    if (init.method !== 'GET' || code !== 'UND_ERR_SOCKET') throw error;
    return fetch(url, init);
  }
}
