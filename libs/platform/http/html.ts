const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Markup that needs no escaping. Only `html` creates it from untrusted text, and `trusted` from our own. */
export class Html {
  private constructor(readonly text: string) {}

  static trusted(text: string): Html {
    return new Html(text);
  }

  static join(parts: readonly Html[]): Html {
    return new Html(parts.map(({ text }) => text).join(''));
  }
}

/** A template that escapes every value, for text and quoted attributes, unless the value is `Html`. */
export function html(parts: TemplateStringsArray, ...values: readonly (string | Html)[]): Html {
  const escaped = values.map((value) => (value instanceof Html ? value.text : escape(value)));
  return Html.trusted(String.raw({ raw: parts }, ...escaped));
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
