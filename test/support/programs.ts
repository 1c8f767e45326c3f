import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');

/** The Node that the product runs on. */
export const NODE = join(ROOT, 'node_modules/.bin/node');

/** The file of a built program, such as `ledger`. */
export function mainOf(program: string): string {
  return join(ROOT, 'dist/apps', program, 'main.js');
}
