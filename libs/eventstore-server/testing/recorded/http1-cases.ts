import type { Play } from './cases';

/** `http1 / method path`: the status, the kind of body, and the names in JSON. */
export const http1: Play = async (recorder, parts) => {
  const [method = '', path = ''] = parts.slice(1).join('/').split(/ (.*)/);
  const { stream } = recorder;
  if (path === 'stream as json') await recorder.append(recorder.events(1), 'any');
  const paths: Readonly<Record<string, string>> = {
    'missing stream as json': `/streams/${stream}`,
    'stream as json': `/streams/${stream}`,
    stream: `/streams/${stream}`,
    'admin scavenge': '/admin/scavenge',
  };
  const address = recorder.client.getChannel().getTarget().replace(/^dns:/, '');
  const response = await fetch(`http://${address}${paths[path] ?? path}`, {
    method,
    headers: { accept: 'application/json' },
  });
  const type = response.headers.get('content-type') ?? 'no type';
  const body = await response.text();
  recorder.note('r', [`${response.status} ${type} ${bodyText(type, body)}`]);
};

function bodyText(type: string, body: string): string {
  if (body === '') return 'empty';
  if (!type.startsWith('application/json')) return 'text';
  const parsed = JSON.parse(body) as object;
  return `keys=${Array.isArray(parsed) ? 'array' : Object.keys(parsed).sort().join(',')}`;
}
