import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Output } from './output';
import { prepareSecrets } from './secret-output';

const ANSWER = { tokenId: 'tok_1', accessToken: 'cft_secret', scopes: ['a', 'b'], note: null };
let folder: string;
let written: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cli-'));
  written = '';
});
afterEach(() => rmSync(folder, { recursive: true }));

const output = (isTTY: boolean) =>
  new Output({ write: (text: string) => ((written += text), true), isTTY, columns: 80 });

it('goes to a terminal, line by line or as JSON', () => {
  prepareSecrets({}, output(true), 'Usage').show(ANSWER, 'Issued.', false);
  expect(written).toBe(
    [
      'Issued. What follows is shown only once:',
      '',
      'tokenId      tok_1',
      'accessToken  cft_secret',
      'scopes       a, b',
      '',
    ].join('\n'),
  );
  written = '';
  prepareSecrets({}, output(true), 'Usage').show(ANSWER, 'Issued.', true);
  expect(JSON.parse(written)).toEqual(ANSWER);
});

it('goes elsewhere only where that was said, which is told before anything is asked for', () => {
  expect(() => prepareSecrets({}, output(false), 'Usage')).toThrow(/--show-secrets to print them\.\n\nUsage/);
  prepareSecrets({ 'show-secrets': true }, output(false), 'Usage').show(ANSWER, 'Issued.', true);
  expect(JSON.parse(written)).toEqual(ANSWER);
});

it('goes to a new file that others cannot read, and leaves none where it was refused', async () => {
  const secrets = prepareSecrets({ out: 'token.json' }, output(false), 'Usage', folder);
  const file = join(folder, 'token.json');
  secrets.show(await secrets.of(async () => ANSWER), 'Issued.', false);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(ANSWER);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(written).toBe(`Issued. ${file} holds them; they are shown only once.\n`);
  expect(() => prepareSecrets({ out: file }, output(true), 'Usage')).toThrow(`${file} is there already.`);
  const refused = prepareSecrets({ out: 'other.json' }, output(false), 'Usage', folder);
  await expect(refused.of(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  expect(existsSync(join(folder, 'other.json'))).toBe(false);
  writeFileSync(join(folder, 'file'), '');
  expect(() => prepareSecrets({ out: 'file/x' }, output(false), 'Usage', folder)).toThrow("can't be written (ENOTDIR)");
});
