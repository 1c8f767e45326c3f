const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Markup that may stand in a page as it is. Only `html` makes it out of foreign text, and `trusted` out of our own. */
export class Html {
  private constructor(readonly text: string) {}

  static trusted(text: string): Html {
    return new Html(text);
  }

  static join(parts: readonly Html[]): Html {
    return new Html(parts.map(({ text }) => text).join(''));
  }
}

/** A template whose every value is escaped, in text and in quoted attributes, unless it is markup made the same way. */
export function html(parts: TemplateStringsArray, ...values: readonly (string | Html)[]): Html {
  const escaped = values.map((value) => (value instanceof Html ? value.text : escape(value)));
  return Html.trusted(String.raw({ raw: parts }, ...escaped));
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
