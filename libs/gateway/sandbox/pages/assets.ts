import { createHash } from 'node:crypto';

import { Html } from '@app/platform/http/html';

/** Text has a contrast of at least 7 : 1 in both colour schemes. */
export const STYLE = `
:root { color-scheme: light dark; --page: #eef1f5; --sheet: #fff; --text: #17202b; --soft: #414d5c; --line: #c3ccd6;
  --done: #0a5533; --on-done: #fff; --stopped: #8a1620; --waiting: #0b4596; --focus: #0b57d0;
  --note: #fff3cd; --on-note: #4d3800; }
@media (prefers-color-scheme: dark) {
  :root { --page: #10151c; --sheet: #1b232e; --text: #f1f4f8; --soft: #c2ccd8; --line: #46525f;
    --done: #8fe3b4; --on-done: #06281a; --stopped: #ffb3b8; --waiting: #a9cbff; --focus: #9ec5ff;
    --note: #3b3000; --on-note: #ffe69a; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; padding: 1rem; display: grid; align-items: center; justify-items: center;
  background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
.sheet { width: 100%; max-width: 27rem; background: var(--sheet); border: 1px solid var(--line); border-radius: .75rem;
  overflow: hidden; overflow-wrap: anywhere; }
header, footer { padding: .75rem 1.5rem; }
header { display: flex; align-items: center; gap: .5rem; border-block-end: 1px solid var(--line); font-weight: 600; }
header svg { flex: none; width: 1.5rem; height: 1.5rem; }
footer { background: var(--note); color: var(--on-note); font-size: .875rem; text-align: center; }
main { padding: 1.5rem; }
main > svg { display: block; width: 3rem; height: 3rem; margin: 0 auto .75rem; }
main > svg, main > svg ~ h1, main > svg ~ p { text-align: center; }
.done { color: var(--done); } .stopped { color: var(--stopped); } .waiting { color: var(--waiting); }
h1 { margin: 0 0 .5rem; font-size: 1.375rem; line-height: 1.25; }
p { margin: 0 0 1rem; }
[role=alert] { color: var(--stopped); font-weight: 600; }
p a { color: var(--waiting); white-space: nowrap; }
dl { margin: 1rem 0 1.5rem; border-block-start: 1px solid var(--line); }
dl div { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; gap: 0 1rem;
  padding-block: .625rem; border-block-end: 1px solid var(--line); }
dt { color: var(--soft); }
dd { margin: 0; font-weight: 600; white-space: pre-line; }
.amount { font-size: 1.375rem; white-space: nowrap; }
form { display: grid; gap: .75rem; }
button, .button { display: block; width: 100%; min-height: 3rem; padding: .625rem 1rem; border: 2px solid var(--done);
  border-radius: .5rem; background: var(--done); color: var(--on-done); font: inherit; font-weight: 600;
  text-align: center; text-decoration: none; cursor: pointer; }
button[value=decline] { border-color: var(--stopped); background: transparent; color: var(--stopped); }
main > :last-child { margin-block-end: 0; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 3px; }
form[aria-busy=true] button { opacity: .6; cursor: progress; }
`;

const icon = (name: string, path: string): Html =>
  Html.trusted(
    `<svg class="${name}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75" ` +
      `stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${path}"/></svg>`,
  );

const CIRCLE = 'M12 3a9 9 0 1 1 0 18a9 9 0 0 1 0-18z';

export const ISSUER_ICON = icon('issuer', 'M4 10h16L12 4zM6 10v7m4-7v7m4-7v7m4-7v7M4 20h16M5 17h14');

export const OUTCOME_ICONS = {
  done: icon('done', `${CIRCLE}M8 12.5l2.75 2.75L16 9.5`),
  stopped: icon('stopped', `${CIRCLE}M9 9l6 6m0-6l-6 6`),
  waiting: icon('waiting', `${CIRCLE}M12 7.5V12l3 2`),
} as const;

/**
 * Suppresses the second of two quick clicks. Only a convenience: the issuer accepts the first answer anyway. Buttons
 * are not disabled, because a disabled button sends no value.
 */
export const SCRIPT = `
const form = document.querySelector('form');
form.addEventListener('submit', (event) => {
  if (form.ariaBusy === 'true') event.preventDefault();
  form.ariaBusy = 'true';
});
addEventListener('pageshow', () => { form.ariaBusy = 'false'; });
`;

const hashSource = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const STYLE_SOURCE = hashSource(STYLE);
const SCRIPT_SOURCE = hashSource(SCRIPT);

/**
 * Allows nothing to be loaded, run, framed or sent except what is listed here; `returnSource` is where the form's
 * answer redirects to.
 */
export function contentSecurityPolicy(options: { script: boolean; returnSource: string | null }): string {
  return [
    "default-src 'none'",
    `style-src ${STYLE_SOURCE}`,
    ...(options.script ? [`script-src ${SCRIPT_SOURCE}`] : []),
    `form-action 'self'${options.returnSource === null ? '' : ` ${options.returnSource}`}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}
