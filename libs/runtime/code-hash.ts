import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const CODE = /(?<!\.spec|\.contract|\.d)\.(js|ts)$/;

/**
 * SHA-256 over the code in some folders, names and bytes: two builds with the same hash compute the same. It changes
 * with any change there, also with one that makes no difference: the worst that comes of it is a needless rebuild.
 *
 * @throws when a folder can't be read or holds no code.
 */
export function codeHashOf(folders: readonly string[]): string {
  const hash = createHash('sha256');
  for (const [index, folder] of folders.entries()) {
    const files = codeIn(folder);
    if (files.length === 0) throw new Error(`There is no code in ${folder}`);
    for (const file of files) {
      const code = readFileSync(file);
      hash.update(`${index}:${relative(folder, file)}:${code.length},`).update(code);
    }
  }
  return hash.digest('hex');
}

function codeIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && CODE.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.split(sep).includes('testing'))
    .sort();
}
