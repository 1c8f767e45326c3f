import js from '@eslint/js';
import tseslint from 'typescript-eslint';

const tests = ['**/*.spec.ts', '**/*.contract.ts', 'test/**', 'libs/**/testing/**'];
const portsOnly =
  'Time, timers and randomness come in through the ports of libs/event-sourcing, so that the service runs under a simulated clock.';

const forbiddenProperties = [
  { object: 'Date', property: 'now', message: portsOnly },
  { object: 'Math', property: 'random', message: portsOnly },
  ...['crypto', 'globalThis'].flatMap((object) =>
    ['randomUUID', 'randomBytes', 'setTimeout', 'setInterval'].map((property) => ({
      object,
      property,
      message: portsOnly,
    })),
  ),
];

const forbiddenImports = [
  { name: 'node:crypto', importNames: ['randomUUID', 'randomBytes'], message: portsOnly },
  { name: 'node:timers', message: portsOnly },
  { name: 'node:timers/promises', message: portsOnly },
];

export default tseslint.config(
  { ignores: ['dist', '.build/', 'node_modules/', 'coverage/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  {
    files: ['**/*.{js,cjs,mjs}'],
    languageOptions: {
      globals: Object.fromEntries(
        ['console', 'performance', 'process', 'fetch', 'Buffer', 'URL', 'AbortSignal', 'AbortController', 'TextDecoder']
          .concat(['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'structuredClone'])
          .concat(['require', 'module', '__dirname'])
          .map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strict, tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/prefer-readonly': 'error',
      // A port's method is asynchronous for every adapter, also for one that has nothing to wait for.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      eqeqeq: 'error',
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ['**/*.ts'],
    ignores: [
      ...tests,
      'libs/platform/lifecycle/**',
      'libs/platform/telemetry/**',
      'libs/platform/testing/**',
      'libs/stores/**',
      'scripts/**',
      'bench/**',
    ],
    rules: {
      'no-restricted-globals': [
        'error',
        ...['setTimeout', 'setInterval'].map((name) => ({ name, message: portsOnly })),
      ],
      'no-restricted-properties': ['error', ...forbiddenProperties],
      'no-restricted-imports': ['error', { paths: forbiddenImports }],
      'no-restricted-syntax': [
        'error',
        { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: portsOnly },
        { selector: "CallExpression[callee.name='Date']", message: portsOnly },
      ],
    },
  },
  {
    files: ['libs/event-sourcing/**/*.ts', 'libs/{money,cards}/**/*.ts', 'libs/*/domain/**/*.ts'],
    ignores: tests,
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { regex: '^node:', message: 'Event sourcing, values and domains are pure: what Node offers is handed in.' },
          ],
        },
      ],
    },
  },
  {
    files: tests,
    rules: {
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Specs look into JSON bodies, whose shape is what they assert.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
);
