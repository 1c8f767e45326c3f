/**
 * A server may close a kept connection just when it is reused, as HTTP allows: then a request that changes nothing is
 * repeated over another one.
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
