import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBuildInfo } from './build-info';

it('is what the build wrote, and unknown as far as it wrote nothing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'build-info-'));
  const file = join(folder, 'build.json');
  try {
    expect(readBuildInfo(file)).toEqual({ version: 'unknown', commit: 'unknown' });
    for (const [text, expected] of [
      ['{"version":"1.2.3","commit":"0123456789ab"}', { version: '1.2.3', commit: '0123456789ab' }],
      ['{"version":"1.2.3"}', { version: '1.2.3', commit: 'unknown' }],
      ['{"vers', { version: 'unknown', commit: 'unknown' }],
    ] as const) {
      writeFileSync(file, text);
      expect(readBuildInfo(file)).toEqual(expected);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
