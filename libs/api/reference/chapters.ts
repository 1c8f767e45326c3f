import { ERROR_CATALOGUE, type ErrorCode } from '@app/platform/http/errors/catalogue';
import { FIELD_CODES } from './field-codes';

/** One chapter of the text before the reference: `markdown` has paragraphs, lists, tables, code blocks and pictures. */
export interface Chapter {
  readonly title: string;
  readonly markdown: string;
}

export const code = (language: string, text: string): string => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;

export const rows = (heads: readonly string[], lines: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** A table of codes, or similar names, and their meanings. */
export const table = (heads: readonly [string, string], meanings: Readonly<Record<string, string>>): string =>
  rows(
    heads,
    Object.entries(meanings).map(([name, text]) => [`\`${name}\``, text]),
  );

/** The chapters on errors for either audience; `codes` are those that its operations return. */
export function errorChapters(codes: readonly ErrorCode[]): readonly Chapter[] {
  const meanings = codes.map((name) => {
    const { status, when } = ERROR_CATALOGUE[name];
    return [name, `${status}: ${when}`] as const;
  });
  return [
    {
      title: 'Errors',
      markdown: [
        'An answer that is not a success has an `error` with one of these codes, a message for people, and the `requestId`. Name the ' +
          '`requestId` when you ask us about it. Write programs against the code: messages can be reworded. Each operation lists the codes that ' +
          'it can answer with.',
        'The message says what is possible: what is left to refund or to capture, the currency of the payment, its status and what that ' +
          'allows, where the JSON breaks, or what is wrong with a signature. It describes that moment. A refused request leaves nothing ' +
          'behind, so the same request can get another answer later.',
        table(['Code', 'When'], Object.fromEntries(meanings)),
      ].join('\n\n'),
    },
    {
      title: 'What is wrong with a field',
      markdown: [
        'With `VALIDATION_FAILED`, `details` names each field that is wrong, with one of these codes.',
        table(['Code', 'When'], FIELD_CODES),
      ].join('\n\n'),
    },
  ];
}
