import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AuditedLog } from '@app/audit/testing/audited-log';
import { SystemClock, SystemRandom } from '@app/platform/lifecycle/system-environment';
import { ManualClock } from '@app/platform/testing/manual-clock';
import { EmbeddedEventStore } from '@app/stores/sqlite';
import { Output } from '../output';
import { auditCommand } from './index';

/** Presses Ctrl-C as soon as the first page was read. */
class InterruptingClock extends SystemClock {
  override monotonicMs(): number {
    process.emit('SIGINT');
    return super.monotonicMs();
  }
}

describe('a verification that is interrupted', () => {
  let directory: string;
  let written: string;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'verify-'));
    const store = EmbeddedEventStore.open({ directory, clock: new SystemClock() });
    const log = new AuditedLog(store, undefined, new ManualClock());
    const sealer = log.newSealer();
    for (let payment = 0; payment < 25; payment += 1) {
      await log.write(payment, ...Array<string>(200).fill('1'));
      await sealer.seal();
    }
    await store.close();
  }, 60_000);
  afterAll(() => {
    rmSync(directory, { recursive: true, force: true });
    process.exitCode = undefined;
  });

  async function run(clock: SystemClock, ...args: readonly string[]): Promise<string | number | undefined> {
    written = '';
    const write = (text: string | Uint8Array) => {
      written += String(text);
      return true;
    };
    const output = new Output({ write, isTTY: false, columns: 80 });
    const environment = { INIT_CWD: directory };
    await auditCommand(['verify', '--log', '.', ...args], { output, clock, random: new SystemRandom(), environment });
    const { exitCode } = process;
    process.exitCode = undefined;
    return exitCode ?? 0;
  }

  it('goes on from its file, page by page, to the same end', async () => {
    const whole = await run(new SystemClock(), '--json');
    const report = written;
    expect([whole, JSON.parse(report)]).toMatchObject([
      0,
      { verdict: 'INTACT', events: 5_026, seals: 25, unsealed: 0 },
    ]);
    const file = join(directory, 'state');
    for (let page = 0; page < 2; page += 1) {
      expect(await run(new InterruptingClock(), '--resume', 'state')).toBe(130);
      expect([existsSync(file), written]).toEqual([true, expect.stringContaining(`--resume ${file}`)]);
    }
    expect(await run(new SystemClock(), '--json', '--resume', 'state')).toBe(0);
    expect([written, existsSync(file)]).toEqual([report, false]);
  });

  it('is not gone on with under other options', async () => {
    await run(new InterruptingClock(), '--resume', 'other');
    const other = run(new SystemClock(), '--resume', 'other', '--log', directory);
    await expect(other).rejects.toThrow('is not an interrupted verification of this log with these options');
  });
});
