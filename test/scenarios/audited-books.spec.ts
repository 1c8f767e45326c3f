import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { hledgerBalances } from '@app/audit/testing/accounting-tools';
import { counterfoil } from '../support/cli';
import { MerchantClient } from '../support/merchant-client';
import { OperatorClient } from '../support/operator-client';
import { bodyOf, createCompleted, refund, untilRefundStatus } from '../support/payments';
import { NODE } from '../support/programs';
import { eventually, Service } from '../support/service';

let service: Service;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'books-'));
  service = await Service.start();
  const client = new MerchantClient(service.url, service.credentials);
  const { paymentId } = await createCompleted(client, { value: '100.00' });
  await createCompleted(client, { value: '7', currency: 'JPY' });
  const { refundId } = await refund(client, paymentId, '30.00');
  await untilRefundStatus(client, refundId, 'COMPLETED');
});

afterAll(async () => {
  await service.stop();
  await service.removeData();
  rmSync(folder, { recursive: true });
});

const audit = (...args: string[]) => counterfoil(['audit', ...args], { DATA_DIR: service.dataDir });

it('the books of a service at work balance in hledger', async () => {
  const file = join(folder, 'books.journal');
  expect(await audit('export', '--format', 'hledger', '--out', file)).toEqual({ code: 0, stdout: '', stderr: '' });
  const { merchantId } = service.credentials;
  expect(hledgerBalances(file)).toEqual(
    new Map([
      [`assets:processor receivable:${merchantId}:EUR`, '70.00 EUR'],
      [`assets:processor receivable:${merchantId}:JPY`, '7 JPY'],
      [`liabilities:merchant payable:${merchantId}:EUR`, '-70.00 EUR'],
      [`liabilities:merchant payable:${merchantId}:JPY`, '-7 JPY'],
    ]),
  );
});

it('the trial balance of the log is that of the read models', async () => {
  const { code, stdout } = await audit('trial-balance', '--json');
  expect(code).toBe(0);
  const fromLog = JSON.parse(stdout) as { currency: string; accounts: Record<string, string> }[];
  expect(fromLog.map(({ currency }) => currency)).toEqual(['EUR', 'JPY']);
  expect(fromLog[0]?.accounts).toMatchObject({ 'processor receivable': '70.00', 'merchant payable': '-70.00' });
  const operator = new OperatorClient(service);
  const asked = await eventually('the read model to follow', async () => {
    const body = bodyOf<TrialBalance>(await operator.send('GET', '/trial-balance'), 200);
    return body.currencies[0]?.totalDebit === '70.00' ? body : null;
  });
  const [eur] = asked.currencies;
  expect(eur).toMatchObject({ currency: 'EUR', totalCredit: '70.00' });
  const then = await operator.send('GET', '/trial-balance?asOf=2020-01-01T00:00:00Z');
  expect(bodyOf<TrialBalance>(then, 200).currencies[0]).toMatchObject({ currency: 'EUR', totalDebit: '0.00' });
  expect((await audit('trial-balance', '--as-of', '2020-01-01')).stdout).toBe('No money has been moved.\n');
});

interface TrialBalance {
  readonly currencies: readonly { readonly totalDebit: string }[];
}

it('the sandbox reports what the log says; what was changed in a report is found', async () => {
  const report = join(folder, 'report.csv');
  expect((await audit('sandbox-report', '--out', report)).code).toBe(0);
  const agreed = await audit('reconcile', report);
  expect(agreed).toMatchObject({ code: 0, stderr: '' });
  const lines = readFileSync(report, 'utf8').split('\r\n');
  expect(lines.filter((line) => line.includes(',REFUND,'))).toEqual([expect.stringContaining('-30.00')]);
  const changed = lines.map((line) => line.replace(',100.00,', ',100.01,')).filter((line) => !line.includes(',JPY,'));
  writeFileSync(report, `${changed.join('\n')}txn_unknown,CAPTURE,EUR,1.00,2026-01-01T00:00:00.000Z\n`);
  const { code, stdout, stderr } = await audit('reconcile', report);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^amount-differs txn_\w+ EUR here 100\.00 there 100\.01$/m);
  expect(stdout).toMatch(/^missing-there txn_\w+ JPY here 7 there -$/m);
  expect(stdout).toMatch(/^missing-here txn_unknown EUR here - there 1\.00$/m);
  expect(stderr).toContain('3 transactions differ');
});

it('wrong options and files are refused in words', async () => {
  for (const [args, words] of [
    [['export'], '--format must be one of'],
    [['export', '--format', 'csv', '--from', 'yesterday'], '--from is no time'],
    [['export', '--format', 'csv', '--log', folder], 'There is no event log in'],
    [['export', '--format', 'csv', '--out', join(folder, 'none', 'x.csv')], 'could not be written'],
    [['reconcile', join(folder, 'none.csv')], 'could not be read'],
  ] as const) {
    const { code, stderr } = await audit(...args);
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining(words)]);
    expect(stderr).not.toContain('    at ');
  }
});

const MAIN = resolve(__dirname, '../../dist/apps/cli/main.js');

it('an export whose reader goes away, or which is interrupted, ends in order and leaves nothing behind', async () => {
  const env = { PATH: process.env['PATH'], DATA_DIR: service.dataDir };
  const gone = spawn('sh', ['-c', `'${NODE}' '${MAIN}' audit export --format jsonl | true`], { env });
  let stderr = '';
  gone.stderr.on('data', (text) => (stderr += String(text)));
  await once(gone, 'close');
  expect(stderr).toBe('');
  const out = join(folder, 'interrupted.csv');
  const child = spawn(NODE, [MAIN, 'audit', 'export', '--format', 'csv', '--out', out], { env });
  child.kill('SIGINT');
  await once(child, 'close');
  expect(existsSync(out)).toBe(false);
  expect(readdirSync(folder).filter((name) => name.includes('interrupted'))).toEqual([]);
});
