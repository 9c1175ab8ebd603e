import { redactSecrets } from "@ccl/core";
import { isRecord, parseJson, toBase64 } from "@ccl/core/json";

/** Removes secrets from the strings of a JSON value, also by the names of members. Bytes become base64. */
export function redactValue(value: unknown): unknown {
  if (typeof value === "string") return redactSecrets(value).text;
  if (value instanceof Uint8Array) return { base64: toBase64(value) };
  if (Array.isArray(value)) return value.map(redactValue);
  if (!isRecord(value)) return value;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]): [string, unknown] => [
      redactSecrets(name).text,
      typeof member === "string" ? redactMember(name, member) : redactValue(member),
    ]);
  return Object.fromEntries(members);
}

// A value that looks harmless may be a secret because of its name.
function redactMember(name: string, text: string): string {
  const bare = redactSecrets(text).text;
  const pair = JSON.stringify({ [name]: bare });
  const redacted = redactSecrets(pair).text;
  if (redacted === pair) return bare;
  const read = parseJson(redacted);
  const [member] = isRecord(read) ? Object.values(read) : [];
  return typeof member === "string" ? member : "[redacted:secret_value]";
}
