import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeHashOf } from './code-hash';

describe('codeHashOf', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'code-hash-'));
    mkdirSync(join(folder, 'inner', 'testing'), { recursive: true });
    writeFileSync(join(folder, 'a.js'), 'one');
    writeFileSync(join(folder, 'inner', 'b.js'), 'two');
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it('is the same for the same code', () => {
    expect(codeHashOf([folder])).toMatch(/^[0-9a-f]{64}$/);
    expect(codeHashOf([folder])).toBe(codeHashOf([folder]));
  });

  it.each([
    ['a changed file', () => writeFileSync(join(folder, 'inner', 'b.js'), 'tw0')],
    ['a new file', () => writeFileSync(join(folder, 'c.js'), '')],
    ['a removed file', () => rmSync(join(folder, 'a.js'))],
  ])('changes with %s', (_what, change) => {
    const before = codeHashOf([folder]);
    change();
    expect(codeHashOf([folder])).not.toBe(before);
  });

  it('does not look at specs, maps and test helpers', () => {
    const before = codeHashOf([folder]);
    writeFileSync(join(folder, 'a.spec.ts'), 'x');
    writeFileSync(join(folder, 'a.js.map'), 'x');
    writeFileSync(join(folder, 'inner', 'testing', 'helper.ts'), 'x');
    expect(codeHashOf([folder])).toBe(before);
  });

  it('refuses a folder without code', () => {
    expect(() => codeHashOf([join(folder, 'inner', 'testing')])).toThrow('There is no code');
  });
});
