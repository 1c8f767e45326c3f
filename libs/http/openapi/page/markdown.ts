import { Html, html } from '@app/runtime/html';

/**
 * The part of Markdown that our descriptions are written in: paragraphs, lists with and without numbers, tables, fenced code, `code` and *emphasis*.
 * Everything else is shown as it is written, and all of it is escaped.
 */
export function markdown(text: string): Html {
  return Html.join(blocksOf(text).map(block));
}

/** `code` and *emphasis* within a line. */
export function inline(text: string): Html {
  const parts = text.split(/(`[^`]+`|\*[^*`]+\*)/).map((part) => {
    if (part.length > 2 && part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`;
    if (part.length > 2 && part.startsWith('*')) return html`<em>${part.slice(1, -1)}</em>`;
    return html`${part}`;
  });
  return Html.join(parts);
}

/** A code block, which can be scrolled with the keyboard. */
export function codeBlock(label: string, text: string): Html {
  return html`<pre tabindex="0" aria-label="${label}"><code>${text}</code></pre>`;
}

const LABELS: Readonly<Record<string, string>> = { sh: 'Shell', js: 'JavaScript', python: 'Python', json: 'JSON' };

/** Blank lines part blocks, but not within a fence. */
function blocksOf(text: string): readonly string[] {
  return text.split(/(```[\s\S]*?\n```)/).flatMap((part) =>
    part.startsWith('```')
      ? [part]
      : part
          .split(/\n{2,}/)
          .map((paragraph) => paragraph.trim())
          .filter((paragraph) => paragraph !== ''),
  );
}

function block(text: string): Html {
  const fence = /^```(\w*)\n([\s\S]*?)\n```$/.exec(text);
  if (fence !== null) return codeBlock(LABELS[fence[1] ?? ''] ?? 'Text', fence[2] ?? '');
  const lines = text.split('\n');
  if (lines.every((line) => line.startsWith('- '))) {
    return html`<ul>
      ${Html.join(lines.map((line) => html`<li>${inline(line.slice(2))}</li>`))}
    </ul>`;
  }
  if (lines.every((line) => /^\d+\. /.test(line))) {
    return html`<ol>
      ${Html.join(lines.map((line) => html`<li>${inline(line.replace(/^\d+\. /, ''))}</li>`))}
    </ol>`;
  }
  if (lines.length > 2 && lines.every((line) => line.startsWith('|'))) return table(lines);
  return html`<p>${inline(text)}</p>`;
}

function table([head = '', , ...rows]: readonly string[]): Html {
  const cells = (line: string): readonly string[] =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim());
  const row = (line: string) =>
    html`<tr>
      ${Html.join(cells(line).map((cell) => html`<td>${inline(cell)}</td>`))}
    </tr>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table">
    <table>
      <thead>
        <tr>
          ${Html.join(cells(head).map((cell) => html`<th scope="col">${inline(cell)}</th>`))}
        </tr>
      </thead>
      <tbody>
        ${Html.join(rows.map(row))}
      </tbody>
    </table>
  </div>`;
}
