import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from '../support/service';

const checkout = resolve(__dirname, '../..');

/** Runs the demo where no service is, and gives what it says of that. */
function complaint(env: Readonly<Record<string, string>>): Promise<string> {
  const {
    COUNTERFOIL_URL: _url,
    HOST: _host,
    PORT: _port,
    DATA_DIR: _dir,
    NODE_OPTIONS: _options,
    ...inherited
  } = process.env;
  return new Promise((done, refuse) => {
    const options = { env: { ...inherited, ...env }, cwd: checkout };
    execFile(resolve(checkout, 'node_modules/.bin/node'), ['scripts/demo.mjs'], options, (error, _stdout, stderr) => {
      if (error?.code === 1) done(stderr);
      else refuse(new Error(`The demo ended with ${String(error?.code)}: ${stderr}`));
    });
  });
}

describe('the demo looks for the service', () => {
  it.each([
    ['at PORT', (port: number) => ({ PORT: String(port) }), (port: number) => `http://127.0.0.1:${port}/`],
    [
      'at HOST and PORT',
      (port: number) => ({ HOST: '127.0.0.2', PORT: String(port) }),
      (port: number) => `http://127.0.0.2:${port}/`,
    ],
    [
      'over the loopback address where it listens on all',
      (port: number) => ({ HOST: '::', PORT: String(port) }),
      (port: number) => `http://[::1]:${port}/`,
    ],
    [
      'at COUNTERFOIL_URL before all else',
      (port: number) => ({ COUNTERFOIL_URL: `http://127.0.0.3:${port}/`, PORT: '1' }),
      (port: number) => `http://127.0.0.3:${port}/`,
    ],
  ])('%s, and says how to look elsewhere', async (_name, env, url) => {
    const port = await freePort();
    const text = await complaint(env(port));
    expect(text).toContain(`GET ${url(port)}health/ready was not answered`);
    expect(text).toContain('COUNTERFOIL_URL');
    expect(text).toContain('HOST and PORT');
  });

  it('in the folder that it runs on, and says so where none does, or one was killed', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'demo-'));
    try {
      const none = await complaint({ DATA_DIR: dataDir });
      expect(none).toContain(`No service runs on ${dataDir}`);
      expect(none).toContain('npm start');
      const url = `http://127.0.0.1:${await freePort()}`;
      const file = join(dataDir, 'service.json');
      writeFileSync(file, JSON.stringify({ url, pid: 1 }));
      const killed = await complaint({ DATA_DIR: dataDir });
      expect(killed).toContain(`GET ${url}/health/ready was not answered`);
      expect(killed).toContain(`${file} says that one listens there: it was killed`);
      const { pid } = spawnSync('true');
      for (const left of [JSON.stringify({ url, pid }), 'no JSON', '{}']) {
        writeFileSync(file, left);
        const found = await complaint({ DATA_DIR: dataDir });
        expect(found).toContain(`No service runs on ${dataDir}: service.json names none that runs.`);
      }
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  });
});
