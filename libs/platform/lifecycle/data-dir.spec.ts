import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError, Secret } from '@app/platform/configuration';
import { judgeDataDir } from './data-dir';

describe('judgeDataDir', () => {
  let dataDir: string;

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'data-dir-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  type Judged = Parameters<typeof judgeDataDir>[0];
  const judge = (changes: Partial<Judged> = {}) =>
    judgeDataDir({ dataDir, mode: 'development', eventStoreUrl: null, ...changes }).map(({ problem }) => problem);
  const production = { mode: 'production' } as const;
  const elsewhere = new Secret('esdb://store');
  const put = (file: string, mode: number) => {
    writeFileSync(join(dataDir, file), '');
    chmodSync(join(dataDir, file), mode);
  };

  it('has nothing to say of a folder that is its owner’s alone, nor of one that is not there yet', () => {
    put('operator.token', 0o600);
    expect(judge()).toEqual([]);
    expect(judge({ ...production, dataDir: join(dataDir, 'missing') })).toEqual([]);
  });

  it.each([0o777, 0o770, 0o702])('warns of a folder of mode %o', (mode) => {
    chmodSync(dataDir, mode);
    const warning = [expect.stringContaining('chmod 700')];
    expect(judge()).toEqual(warning);
    expect(judge({ ...production, eventStoreUrl: elsewhere })).toEqual(warning);
  });

  it('refuses in production a log where anybody may write', () => {
    chmodSync(dataDir, 0o702);
    expect(() => judge(production)).toThrow(ConfigurationError);
    chmodSync(dataDir, 0o770);
    expect(judge(production)).toHaveLength(1);
  });

  it.each(['operator.token', 'master.key', 'sandbox.json'])('warns of a %s that others can read', (file) => {
    put(file, 0o644);
    expect(judge()).toEqual([expect.stringContaining(`${file}, which other users can read`)]);
  });

  it('warns in production of what development left, the merchant that can still sign in above all', () => {
    put('operator.token', 0o600);
    put('sandbox.json', 0o600);
    expect(judge(production)).toEqual([
      expect.stringContaining('operator.token of development mode'),
      expect.stringContaining('Revoke its tokens'),
    ]);
  });
});
