export interface Answer {
  readonly status: number;
  /** Null for a response without a body. */
  readonly type: string | null;
  readonly body: string;
}

export function json(status: number, body: unknown): Answer {
  return { status, type: 'application/json; charset=utf-8', body: JSON.stringify(body, null, 2) };
}

export function text(status: number, body: string): Answer {
  return { status, type: 'text/plain; charset=utf-8', body };
}

export function empty(status: number): Answer {
  return { status, type: null, body: '' };
}
