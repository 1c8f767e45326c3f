import { Html, html } from '@app/platform/http/html';

import { contentSecurityPolicy, ISSUER_ICON, SCRIPT, STYLE } from './assets';
import { returnSource } from './return-url';
import type { Texts } from './texts/texts';

/** A page response, ready to be sent. */
export interface PageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Content {
  readonly status: number;
  readonly title: string;
  readonly main: Html;
  readonly script?: boolean;
  readonly returnUrl?: string | null;
}

/** A complete page in the language of `texts`. */
export function pageAnswer(texts: Texts, content: Content): PageAnswer {
  const { status, title, main, script = false, returnUrl = null } = content;
  const { language, direction, issuer, sandboxNote } = texts;
  const document = html`<!doctype html>
    <html lang="${language}" dir="${direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${Html.trusted(`<style>${STYLE}</style>`)}
      </head>
      <body>
        <div class="sheet">
          <header>${ISSUER_ICON} ${issuer}</header>
          <main>${main}</main>
          <footer>${sandboxNote}</footer>
        </div>
        ${script ? Html.trusted(`<script>${SCRIPT}</script>`) : ''}
      </body>
    </html> `;
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-language': language,
      vary: 'accept-language',
      'cache-control': 'no-store',
      'content-security-policy': contentSecurityPolicy({ script, returnSource: returnSource(returnUrl) }),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    },
    body: document.text,
  };
}
