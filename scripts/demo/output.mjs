// The demo's output: plain lines of at most 100 columns, coloured only on a terminal.
const WIDTH = 100;
const coloured = process.stdout.isTTY === true && process.env.NO_COLOR === undefined;
const paint = (code) => (text) => (coloured ? `\x1b[${code}m${text}\x1b[0m` : text);

export const bold = paint(1);
export const dim = paint(2);
export const green = paint(32);
export const red = paint(31);
const cyan = paint(36);

/** Prints one line, cut to the width; `style` is applied after cutting, because its codes take no columns. */
export function line(text = '', style = (plain) => plain) {
  console.log(style(text.length > WIDTH ? `${text.slice(0, WIDTH - 1)}…` : text));
}

let steps = 0;

export function step(title) {
  steps += 1;
  line();
  line(`${steps}. ${title}`, bold);
}

/** A successful check. */
export const good = (text) => line(`   ✓ ${text}`, green);

/** Something received: a webhook, or a change of a payment. */
export const news = (text) => line(`   • ${text}`, cyan);

export function content(json) {
  for (const text of jsonLines(json, WIDTH - 5)) line(`     ${text}`);
}

/** A request or response: its first line, its headers, and its JSON if there is any. */
export function message(first, headers, json) {
  line(`   ${first}`, bold);
  for (const [name, value] of Object.entries(headers)) line(`     ${name}: ${value}`, dim);
  if (json !== undefined) content(json);
}

/** JSON with each value on one line if it fits. `taken` columns of the first line are used by the value's name. */
function jsonLines(value, width, taken = 0) {
  const whole = spaced(value);
  if (whole.length + taken <= width || typeof value !== 'object' || value === null) return [whole];
  const isList = Array.isArray(value);
  const members = Object.entries(value).map(([key, member], index, { length }) => {
    const label = isList ? '' : `${JSON.stringify(key)}: `;
    // Two columns for the indent, one for the comma.
    const [first, ...more] = jsonLines(member, width - 3, label.length);
    const lines = [`  ${label}${first}`, ...more.map((text) => `  ${text}`)];
    if (index < length - 1) lines[lines.length - 1] += ',';
    return lines;
  });
  return [isList ? '[' : '{', ...members.flat(), isList ? ']' : '}'];
}

function spaced(value) {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${spaced(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
