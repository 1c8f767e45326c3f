import { Html, html } from '@app/runtime/html';
import { ERROR_CATALOGUE } from '../../errors/catalogue';
import { guide } from '../guide';
import type { JsonObject } from '../schema';
import { fieldTable, text } from './fields';
import { inline, markdown } from './markdown';
import { type Endpoint, operationSection, webhookSection } from './operation';
import { STYLE } from './style';

interface Group {
  readonly name: string;
  readonly description: string;
  readonly entries: readonly Endpoint[];
}

/** The document as one page for people: guide, reference, webhooks and errors, without script. Examples go to `baseUrl`. */
export function referencePage(document: JsonObject, baseUrl: string): string {
  const chapters = guide(baseUrl);
  const info = document['info'] as JsonObject;
  const groups = groupsOf(document);
  const hooks = Object.entries(document['webhooks'] as Readonly<Record<string, JsonObject>>);
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${text(info['title'])} API</title>
        ${Html.trusted(`<style>${STYLE}</style>`)}
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        ${navigation(
          text(info['title']),
          chapters.map(({ title }) => title),
          groups,
          hooks.map(([name]) => name),
        )}
        <main id="content">
          <h1>${text(info['title'])} API</h1>
          <p>
            ${text(info['summary'])} Version ${text(info['version'])}; for programs:
            <a href="/openapi.json">/openapi.json</a>.
          </p>
          ${Html.join(
            chapters.map(
              ({ title, markdown: body }) =>
                html`<h2 id="${anchor(title)}">${title}</h2>
                  ${markdown(body)}`,
            ),
          )}
          ${Html.join(groups.map((group) => groupSection(document, baseUrl, group)))}
          <h2 id="webhooks">Webhooks</h2>
          <p>
            What the service sends to a <code>notifyUrl</code>. See
            <a href="#receiving-webhooks">Receiving webhooks</a>.
          </p>
          ${Html.join(hooks.map(([name, item]) => webhookSection(document, name, item['post'] as JsonObject)))}
          ${errorSection(document)}
        </main>
        <a class="back" href="#contents">Contents</a>
      </body>
    </html> `;
  return page.text;
}

function groupsOf(document: JsonObject): readonly Group[] {
  const paths = Object.entries(document['paths'] as Readonly<Record<string, Readonly<Record<string, JsonObject>>>>);
  const entries = paths.flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  return (document['tags'] as readonly JsonObject[]).flatMap(({ name, description }) => {
    const own = entries.filter(({ operation }) => (operation['tags'] as readonly string[])[0] === name);
    return own.length === 0 ? [] : [{ name: text(name), description: text(description), entries: own }];
  });
}

/** A name as the part of an address. */
export function anchor(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}

function navigation(
  title: string,
  chapters: readonly string[],
  groups: readonly Group[],
  hooks: readonly string[],
): Html {
  const link = (target: string, words: string) => html`<li><a href="#${target}">${words}</a></li>`;
  const list = (heading: string, links: readonly Html[]) =>
    html`<h2>${heading}</h2>
      <ul>
        ${Html.join(links)}
      </ul>`;
  const lists = Html.join([
    list(
      'Guide',
      chapters.map((chapter) => link(anchor(chapter), chapter)),
    ),
    ...groups.map(({ name, entries }) =>
      list(
        name,
        entries.map(({ operation }) => link(text(operation['operationId']), text(operation['summary']))),
      ),
    ),
    list(
      'Webhooks',
      hooks.map((name) => link(anchor(name), name)),
    ),
    list('Errors', [link('errors', 'All error codes')]),
  ]);
  // One for wide windows, one to be opened in narrow ones: without a script neither can be the other everywhere.
  return html`<nav id="contents" aria-label="Contents">
    <strong>${title}</strong>
    <div class="wide">${lists}</div>
    <details>
      <summary>Contents</summary>
      ${lists}
    </details>
  </nav>`;
}

function groupSection(document: JsonObject, baseUrl: string, { name, description, entries }: Group): Html {
  return html`<h2 id="${anchor(`group ${name}`)}">${name}</h2>
    <p>${inline(description)}</p>
    ${Html.join(entries.map((endpoint) => operationSection(document, baseUrl, endpoint)))}`;
}

function errorSection(document: JsonObject): Html {
  const rows = Object.entries(ERROR_CATALOGUE).map(
    ([code, { status, when, message }]) =>
      html`<tr id="${code}">
        <td>${String(status)}</td>
        <td><code>${code}</code></td>
        <td>
          ${inline(when)}
          <div class="kind">${inline(message)}</div>
        </td>
      </tr>`,
  );
  const { schemas } = document['components'] as { readonly schemas: Readonly<Record<string, JsonObject>> };
  return html`<h2 id="errors">Errors</h2>
    <p>Every answer that is not a success has this body, and a <code>code</code> of the list below it.</p>
    ${fieldTable(document, schemas['Error'] as JsonObject)}
    <div class="scroll" tabindex="0" role="region" aria-label="Error codes">
      <table>
        <thead>
          <tr>
            <th scope="col">Status</th>
            <th scope="col">Code</th>
            <th scope="col">When, and what to do</th>
          </tr>
        </thead>
        <tbody>
          ${Html.join(rows)}
        </tbody>
      </table>
    </div>`;
}
