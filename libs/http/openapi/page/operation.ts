import { Html, html } from '@app/runtime/html';
import type { Json, JsonObject } from '../schema';
import { fieldTable, limitsOf, plain, resolved, text, typeOf } from './fields';
import { codeBlock, inline, markdown } from './markdown';

interface Media {
  readonly schema: JsonObject;
  readonly example?: Json;
  readonly examples?: JsonObject;
}

export interface Endpoint {
  /** In upper case. */
  readonly method: string;
  readonly path: string;
  readonly operation: JsonObject;
}

/** One endpoint of the service at `baseUrl`: what it takes, what it answers, and an example of both. */
export function operationSection(document: JsonObject, baseUrl: string, endpoint: Endpoint): Html {
  const { method, path, operation } = endpoint;
  const parameters = operation['parameters'] as readonly JsonObject[];
  const body = mediaOf(operation['requestBody'] as JsonObject | undefined);
  return html`<section aria-labelledby="${text(operation['operationId'])}">
    <h3 id="${text(operation['operationId'])}">${text(operation['summary'])}</h3>
    <p class="path"><span class="method ${method}">${method}</span> <code>${path}</code></p>
    ${markdown(text(operation['description']))}
    <p class="soft">${securityLine(operation)}</p>
    ${
      body === null
        ? ''
        : html`<h4>Body</h4>
            ${fieldTable(document, body.schema)}`
    }
    <h4>Headers and parameters</h4>
    ${parameterTable(parameters)}
    <h4>Example</h4>
    ${codeBlock('Example request', exampleRequest(baseUrl, endpoint, body))}
    <h4>Answers</h4>
    ${Html.join(
      Object.entries(operation['responses'] as Readonly<Record<string, JsonObject>>).map(([status, answer]) =>
        answerDetails(document, status, answer),
      ),
    )}
  </section>`;
}

/** One type of webhook: when it is sent, and its body. */
export function webhookSection(document: JsonObject, name: string, operation: JsonObject): Html {
  const body = mediaOf(operation['requestBody'] as JsonObject);
  const id = name.replaceAll(/[^a-z0-9]+/g, '-');
  return html`<section aria-labelledby="${id}">
    <h3 id="${id}"><code>${name}</code></h3>
    ${markdown(text(operation['description']))}
    ${body === null ? '' : codeBlock('Example body', JSON.stringify(body.example, null, 2))}
    <details>
      <summary>Headers and fields</summary>
      <div>
        ${parameterTable(operation['parameters'] as readonly JsonObject[])}
        ${body === null ? '' : fieldTable(document, body.schema)}
      </div>
    </details>
  </section>`;
}

function mediaOf(content: JsonObject | undefined): Media | null {
  const medias = Object.values((content?.['content'] ?? {}) as JsonObject);
  return (medias[0] as unknown as Media | undefined) ?? null;
}

function securityLine(operation: JsonObject): Html {
  const [needed] = operation['security'] as readonly Readonly<Record<string, readonly string[]>>[];
  if (needed === undefined) return html`Open to anybody.`;
  if ('operatorToken' in needed)
    return html`For the operator: <code>Authorization: Bearer &lt;operator token&gt;</code>. See
      <a href="#authentication">where it is found</a>.`;
  const scope = needed['accessToken']?.[0] ?? '';
  const signed = 'requestSignature' in needed ? html` Has to be <a href="#signing-requests">signed</a>.` : '';
  return html`Scope <code>${scope}</code>: <code>Authorization: Bearer &lt;access token&gt;</code>.${signed}`;
}

function parameterTable(parameters: readonly JsonObject[]): Html {
  const rows = parameters.map((parameter) => {
    const schema = (parameter['schema'] ?? {}) as JsonObject;
    const example = parameter['example'] ?? (schema['examples'] as readonly Json[] | undefined)?.[0];
    return html`<tr>
      <td>
        <code>${text(parameter['name'])}</code>
        <div class="kind">
          ${text(parameter['in'])},
          ${typeOf(schema)}${parameter['required'] === true ? '' : html` · <span class="optional">optional</span>`}
        </div>
      </td>
      <td>
        ${inline(text(parameter['description']))} ${limitsOf(schema)}
        ${example === undefined ? '' : html`<div class="kind">Example: <code>${plain(example)}</code></div>`}
      </td>
    </tr>`;
  });
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Headers and parameters">
    <table class="fields">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">What it is</th>
        </tr>
      </thead>
      <tbody>
        ${Html.join(rows)}
      </tbody>
    </table>
  </div>`;
}

function exampleRequest(baseUrl: string, { method, path, operation }: Endpoint, body: Media | null): string {
  const parameters = operation['parameters'] as readonly JsonObject[];
  const inPath = parameters.filter((parameter) => parameter['in'] === 'path');
  const target = inPath.reduce((url, { name, example }) => url.replace(`{${text(name)}}`, text(example)), path);
  const needed = parameters.filter((parameter) => parameter['in'] === 'header' && parameter['required'] === true);
  const [security] = operation['security'] as readonly JsonObject[];
  const token = security === undefined ? null : 'operatorToken' in security ? '$OPERATOR_TOKEN' : '$ACCESS_TOKEN';
  const headers = [
    ...(token === null ? [] : [`Authorization: Bearer ${token}`]),
    ...(body === null ? [] : ['Content-Type: application/json']),
    ...needed.map(({ name, example }) => `${text(name)}: ${text(name) === 'X-Signature' ? 'sha256=…' : text(example)}`),
  ].map((header) => `  -H "${header}"`);
  // curl takes POST by itself where it has something to send, and only there.
  const methodOfItself = body === null ? 'GET' : 'POST';
  const lines = [
    `curl ${method === methodOfItself ? '' : `-X ${method} `}${baseUrl}${target}`,
    ...headers,
    ...(body === null ? [] : [`  -d '${JSON.stringify(body.example, null, 2)}'`]),
  ];
  return lines.join(' \\\n');
}

function answerDetails(document: JsonObject, status: string, answer: JsonObject): Html {
  const media = mediaOf(answer);
  const headers = Object.entries((answer['headers'] ?? {}) as Readonly<Record<string, JsonObject>>);
  const isError = media?.examples !== undefined;
  const shown =
    media?.example === undefined ? '' : codeBlock(`Example of ${status}`, JSON.stringify(media.example, null, 2));
  const headerList = headers.map(([name, header]) => {
    const { description } = resolved(document, header);
    return html`<li><code>${name}</code>: ${inline(text(description))}</li>`;
  });
  return html`<details${status.startsWith('2') ? Html.trusted(' open') : ''}>
    <summary><span class="status">${status}</span>${inline(text(answer['description']))}</summary>
    <div>
      ${shown}
      ${media === null ? '' : isError ? errorList(document, media.examples ?? {}) : fieldTable(document, media.schema)}
      ${
        headerList.length === 0
          ? ''
          : html`<h4>Headers</h4>
              <ul>
                ${Html.join(headerList)}
              </ul>`
      }
    </div>
  </details>`;
}

function errorList(document: JsonObject, examples: JsonObject): Html {
  const items = Object.entries(examples).map(([code, example]) => {
    const { summary } = resolved(document, example as JsonObject);
    return html`<li>
      <a href="#${code}"><code>${code}</code></a
      >: ${inline(text(summary))}
    </li>`;
  });
  return html`<ul>
    ${Html.join(items)}
  </ul>`;
}
