import { createHash } from 'node:crypto';

/** Text on its background has a contrast of 7 : 1 or more in both colour schemes. */
export const STYLE = `
:root { color-scheme: light dark; --page: #eef1f5; --card: #fff; --text: #17202b; --soft: #414d5c; --line: #c3ccd6;
  --go: #0a5533; --on-go: #fff; --stop: #8a1620; --focus: #0b57d0; --note: #fff3cd; --on-note: #4d3800; }
@media (prefers-color-scheme: dark) {
  :root { --page: #10151c; --card: #1b232e; --text: #f1f4f8; --soft: #c2ccd8; --line: #46525f;
    --go: #8fe3b4; --on-go: #06281a; --stop: #ffb3b8; --focus: #9ec5ff; --note: #3b3000; --on-note: #ffe69a; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; padding: 1rem; display: grid; align-items: center; justify-items: center;
  background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
main { width: 100%; max-width: 27rem; padding: 1.5rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .75rem; overflow-wrap: anywhere; }
h1 { margin: 0 0 .5rem; font-size: 1.375rem; line-height: 1.25; }
p { margin: 0 0 1rem; }
.note { padding: .5rem .75rem; border-radius: .5rem; background: var(--note); color: var(--on-note); font-size: .875rem; }
dl { margin: 0 0 1.5rem; border-top: 1px solid var(--line); }
dl div { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; padding: .625rem 0;
  border-bottom: 1px solid var(--line); }
dt { color: var(--soft); }
dd { margin: 0; font-weight: 600; }
form { display: grid; gap: .75rem; }
button, .button { display: block; width: 100%; min-height: 3rem; padding: .625rem 1rem; border: 2px solid var(--go);
  border-radius: .5rem; background: var(--go); color: var(--on-go); font: inherit; font-weight: 600; text-align: center;
  text-decoration: none; cursor: pointer; }
button[value=decline] { border-color: var(--stop); background: transparent; color: var(--stop); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 3px; }
form[aria-busy=true] button { opacity: .6; cursor: progress; }
`;

/**
 * Holds back the second of two quick clicks. A convenience: the issuer takes the first answer anyway. The buttons aren't
 * disabled, since a disabled button sends no value.
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

/** Nothing may be loaded, run, framed or sent but what stands here; `returnSource` is where the form's answer leads. */
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
