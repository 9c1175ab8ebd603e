/** Masks the secrets of a text. */
export type Redact = (text: string) => string;

/**
 * Masks secrets also where JSON escapes what they are recognised by: PHP does so with slashes, Go with ampersands, .NET with
 * quotes. Without need no escape is undone.
 */
export function redactEscaped(text: string, redact: Redact): string {
  const given = redact(text);
  const open = unescapePlain(given);
  if (open === given) return given;
  const opened = redact(open);
  return opened === open ? given : opened;
}

/** Undoes the escapes of printable ASCII that JSON does not need; of a quote and a backslash it leaves the short one. */
function unescapePlain(text: string): string {
  if (!/\\(?:\/|u00[2-7])/i.test(text)) return text;
  return text.replace(/\\(?:u00([2-7][0-9a-f])|[^])/gi, (escape: string, hex?: string) => {
    if (hex === undefined) return escape === "\\/" ? "/" : escape;
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return character === '"' || character === "\\"
      ? `\\${character}`
      : character === "\x7f"
        ? escape
        : character;
  });
}

/** Ids and encoded bytes: a mask inside would break what they name or hold. */
const verbatim = new Set([
  "artifactId",
  "callId",
  "dataBase64",
  "fromEventId",
  "handleId",
  "id",
  "memoryId",
  "mimeType",
  "name",
  "pairId",
  "provider",
  "providerMetadata",
  "raw",
  "role",
  "signature",
  "toEventId",
  "type",
]);
/** JSON of the application, where a name in the object marks a value as a secret. */
const freeJson = new Set(["details", "output"]);

/** A copy of an event's data with the secrets of all its texts masked; ids, encoded bytes and metadata stay. */
export function redactData(data: unknown, redact: Redact): unknown {
  if (typeof data === "string") return redactEscaped(data, redact);
  if (Array.isArray(data)) return data.map((item) => redactData(item, redact));
  if (typeof data !== "object" || data === null) return data;
  const entries = Object.entries(data).map(([key, value]): [string, unknown] => {
    if (verbatim.has(key)) return [key, value];
    if (key === "url" && typeof value === "string" && value.startsWith("data:"))
      return [key, value];
    return [key, freeJson.has(key) ? redactJson(value, redact) : redactData(value, redact)];
  });
  const redacted: Record<string, unknown> = Object.fromEntries(entries);
  // The signature of a thought proves its text; with another text a provider would refuse it.
  if ("signature" in data && "text" in data && redacted["text"] !== data.text)
    delete redacted["signature"];
  return redacted;
}

function redactJson(value: unknown, redact: Redact): unknown {
  const text = JSON.stringify(value);
  const redacted = redactEscaped(text, redact);
  if (redacted === text) return value;
  try {
    const parsed: unknown = JSON.parse(redacted);
    return parsed;
  } catch {
    return redactData(value, redact);
  }
}
