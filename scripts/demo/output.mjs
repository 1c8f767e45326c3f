// What the demo prints: plain lines of at most 100 columns, coloured on a terminal only.
const WIDTH = 100;
const coloured = process.stdout.isTTY === true && process.env.NO_COLOR === undefined;
const paint = (code) => (text) => (coloured ? `\x1b[${code}m${text}\x1b[0m` : text);

export const bold = paint(1);
export const dim = paint(2);
export const green = paint(32);
export const red = paint(31);
const cyan = paint(36);

/** Prints one line, cut to the width; `style` is applied after the cut, since its codes take no columns. */
export function line(text = '', style = (plain) => plain) {
  console.log(style(text.length > WIDTH ? `${text.slice(0, WIDTH - 1)}…` : text));
}

let steps = 0;

export function step(title) {
  steps += 1;
  line();
  line(`${steps}. ${title}`, bold);
}

/** Something that was checked and found right. */
export const good = (text) => line(`   ✓ ${text}`, green);

/** Something that came in: a webhook, or a step of a payment that went on. */
export const news = (text) => line(`   • ${text}`, cyan);

export function content(json) {
  for (const text of jsonLines(json, WIDTH - 5)) line(`     ${text}`);
}

/** A request or an answer: its first line, its headers, and its JSON if there is any. */
export function message(first, headers, json) {
  line(`   ${first}`, bold);
  for (const [name, value] of Object.entries(headers)) line(`     ${name}: ${value}`, dim);
  if (json !== undefined) content(json);
}

/** JSON with every value on one line that has room there. `taken` columns of the first line hold the value's name. */
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
