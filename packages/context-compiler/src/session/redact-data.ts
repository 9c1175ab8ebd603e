import { isRecord } from "@ccl/core/json";

/** Masks secrets in text. */
export type Redact = (text: string) => string;

/**
 * Masks secrets, including those hidden by JSON escapes. PHP escapes slashes, Go ampersands, and .NET quotes. Escapes
 * are only undone where that reveals a secret.
 */
export function redactEscaped(text: string, redact: Redact): string {
  const redacted = redact(text);
  const open = unescapePlain(redacted);
  if (open === redacted) return redacted;
  const opened = redact(open);
  return opened === open ? redacted : opened;
}

/** Undoes escapes of printable ASCII that JSON does not require. Quotes and backslashes keep their short escapes. */
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

/** Fields that hold ids and encoded bytes, which masking would break. */
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
  "role",
  "signature",
  "toEventId",
  "type",
]);
/** Fields with the application's own JSON, where a name may mark its value as a secret. */
const freeJson = new Set(["details", "output"]);

/** Fields with a provider's JSON, which must be returned to it unchanged. */
const opaque = new Set(["providerMetadata", "raw"]);
/** Names in provider JSON that are not masked: ids, kinds, encoded bytes, encrypted data and signatures. */
const sealed =
  /^(?:type|name|role|format|order|seal)$|(?:^|[._-])id$|[a-z]Id$|data$|encrypted|signature/i;

/** Copies an event's data and masks secrets in all its texts. Leaves ids and encoded bytes unchanged. */
export function redactData(data: unknown, redact: Redact): unknown {
  if (typeof data === "string") return redactEscaped(data, redact);
  if (Array.isArray(data)) return data.map((item) => redactData(item, redact));
  if (typeof data !== "object" || data === null) return data;
  const entries = Object.entries(data).map(([key, value]): [string, unknown] => {
    if (verbatim.has(key)) return [key, value];
    if (key === "url" && typeof value === "string" && value.startsWith("data:"))
      return [key, value];
    if (opaque.has(key)) return [key, redactOpaque(value, redact)];
    return [key, freeJson.has(key) ? redactJson(value, redact) : redactData(value, redact)];
  });
  const redacted: Record<string, unknown> = Object.fromEntries(entries);
  // A signature covers the text of its reasoning, so a provider would reject changed text.
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

/** Masks texts in provider JSON. Keeps signed values whole, since the provider would reject any change. */
function redactOpaque(value: unknown, redact: Redact, name = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => redactOpaque(item, redact, name));
  if (isRecord(value)) {
    if (Object.hasOwn(value, "signature")) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [
        key,
        sealed.test(key) ? member : redactOpaque(member, redact, key),
      ]),
    );
  }
  // Pass the name as well, since it may mark the value as a secret.
  const read = typeof value === "string" ? redactJson({ [name]: value }, redact) : undefined;
  return isRecord(read) ? read[name] : value;
}
