import { hash } from 'node:crypto';

/** Text on its background has a contrast of 7 : 1 or more in both colour schemes. */
export const STYLE = `
:root { color-scheme: light dark; --page: #fff; --side: #f4f6f9; --text: #17202b; --soft: #414d5c; --line: #d5dce4;
  --code: #f1f4f8; --link: #0842a0; --get: #0a5533; --post: #0b3f8f; --other: #6b2c00; --focus: #0b57d0; }
@media (prefers-color-scheme: dark) {
  :root { --page: #10151c; --side: #171e28; --text: #eef2f7; --soft: #c2ccd8; --line: #36414e;
    --code: #1b232e; --link: #a8c7fa; --get: #8fe3b4; --post: #a8c7fa; --other: #ffc9a3; --focus: #9ec5ff; }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.55 system-ui, sans-serif; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
.skip { position: absolute; left: -999rem; }
.skip:focus { position: static; display: block; padding: .5rem 1rem; }
nav { background: var(--side); border-bottom: 1px solid var(--line); padding: 1rem; }
nav strong { display: block; font-size: 1.125rem; }
nav h2 { margin: 1.25rem 0 .25rem; font-size: .8125rem; color: var(--soft); text-transform: uppercase; letter-spacing: .04em; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav a { display: block; padding: .3rem 0; text-decoration: none; font-size: .9375rem; }
nav a:hover { text-decoration: underline; }
nav > .wide { display: none; }
nav summary { cursor: pointer; padding: .5rem 0; font-weight: 600; }
main { padding: 1.5rem 1rem 6rem; max-width: 58rem; min-width: 0; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .5rem; }
main h2 { font-size: 1.375rem; margin: 3rem 0 .75rem; padding-top: 1rem; border-top: 1px solid var(--line); }
main h3 { font-size: 1.125rem; margin: 2.5rem 0 .5rem; }
h3 code { font-weight: 700; }
h4 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
p, ul, ol { margin: 0 0 1rem; }
p, li { max-width: 44rem; }
code { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
p code, li code, td > code { background: var(--code); padding: .1em .3em; border-radius: .25rem; }
pre { margin: 0 0 1rem; padding: .875rem 1rem; overflow-x: auto; background: var(--code); border: 1px solid var(--line);
  border-radius: .5rem; }
pre code { overflow-wrap: normal; }
.path { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem .75rem; margin: 0 0 1rem; padding: .5rem .875rem;
  border: 1px solid var(--line); border-radius: .5rem; background: var(--code); }
.method { font: 700 .8125rem/1.5 ui-monospace, Menlo, Consolas, monospace; color: var(--other); }
.GET { color: var(--get); } .POST { color: var(--post); }
.kind, .soft { color: var(--soft); font-size: .875rem; }
.kind { margin-top: .125rem; }
.parent { color: var(--soft); }
.optional { font-style: italic; }
.scroll { overflow-x: auto; margin: 0 0 1rem; }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
th { text-align: left; font-size: .8125rem; color: var(--soft); }
th, td { padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.fields td:first-child { width: 34%; min-width: 9rem; }
main details { margin: 0 0 .5rem; border: 1px solid var(--line); border-radius: .5rem; }
main details > summary { cursor: pointer; padding: .5rem .875rem; }
main details > div { padding: .25rem .875rem .5rem; }
summary .status { font: 700 .9375rem ui-monospace, Menlo, Consolas, monospace; margin-right: .5rem; }
/* Where the contents can't stay in sight: the way back to them, within reach of a thumb. */
.back { position: fixed; right: 1rem; bottom: 1rem; padding: .75rem 1rem; background: var(--side); border: 1px solid var(--line);
  border-radius: .5rem; font-size: .9375rem; font-weight: 600; text-decoration: none; }
@media print { .back { display: none; } }
@media (min-width: 60rem) {
  .back { display: none; }
  body { display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
  .skip { grid-column: 1 / -1; }
  nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; border: 0; border-right: 1px solid var(--line); }
  nav > details { display: none; }
  nav > .wide { display: block; }
  main { padding: 2rem 2.5rem 6rem; }
}
`;

const STYLE_SOURCE = `'sha256-${hash('sha256', STYLE, 'base64')}'`;

/** Nothing is loaded, run, framed or sent but the style that stands in the page. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src ${STYLE_SOURCE}`,
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');
