const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text for HTML and for quoted attributes. Control characters become their pictures, so that nothing is hidden. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll(/[&<>"']/g, (character) => entities[character] ?? "")
    .replaceAll(/[\p{Cc}\p{Bidi_C}]/gu, pictureOf);
}

function pictureOf(character: string): string {
  if (character === "\n" || character === "\t") return character;
  const code = character.codePointAt(0) ?? 0;
  return String.fromCodePoint(code < 0x20 ? 0x2400 + code : 0x2421);
}

/** A template whose values are escaped, unless they are HTML of this kind themselves. */
export function markup(
  parts: TemplateStringsArray,
  ...values: readonly (Html | string | number | readonly Html[])[]
): Html {
  const text = parts
    .map((part, index) => part + (index < values.length ? rendered(values[index] ?? "") : ""))
    .join("");
  return { html: text };
}

/** HTML that was made here. */
export interface Html {
  readonly html: string;
}

function rendered(value: Html | string | number | readonly Html[]): string {
  if (typeof value === "string" || typeof value === "number") return escapeHtml(String(value));
  return "html" in value ? value.html : value.map((item) => item.html).join("");
}
