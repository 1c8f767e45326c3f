import type { ErrorDescription } from './error-description';

/**
 * A JSON log line as one human-readable line (an error's call sites and the configuration's settings follow on their
 * own lines): `12:30:01.250 INFO POST /api/v2/payments 201 8.2 ms requestId=…`
 */
export function readableLine(json: string): string {
  const { time, level, msg, error, ...rest } = JSON.parse(json) as {
    readonly time: string;
    readonly level: string;
    readonly msg: string;
    readonly error?: ErrorDescription;
    readonly [field: string]: unknown;
  };
  const { settings, ...withoutSettings } = rest;
  const listed = msg === 'configuration' && Array.isArray(settings) ? settings.map(String) : null;
  const { text, fields } =
    msg === 'request' ? requestText(rest) : { text: msg, fields: listed === null ? rest : withoutSettings };
  const words = [time.slice(11, 23), level.toUpperCase().padEnd(5), text, ...Object.entries(fields).map(fieldText)];
  const causes: string[] = [];
  for (let cause = error; cause !== undefined; cause = cause.cause) causes.push(`${cause.name}: ${cause.message}`);
  if (causes.length > 0) words.push(`(${causes.join('; caused by ')})`);
  const stack = error?.stack === undefined ? '' : `\n${error.stack}`;
  const list = (listed ?? []).map((setting) => `\n    ${withoutControls(setting)}`).join('');
  return `${withoutControls(words.join(' '))}${list}${stack}\n`;
}

function requestText(request: Readonly<Record<string, unknown>>): { text: string; fields: Record<string, unknown> } {
  const { method, path, status, durationMs, ...fields } = request;
  return { text: `${String(method)} ${String(path)} ${String(status)} ${Number(durationMs).toFixed(1)} ms`, fields };
}

function fieldText([name, value]: readonly [string, unknown]): string {
  return `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
}

/** A line may contain client data; on a terminal it must neither move the cursor nor start a new line. */
function withoutControls(text: string): string {
  return text.replace(/\p{Cc}/gu, (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
