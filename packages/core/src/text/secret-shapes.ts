import { isPlaceholder } from "./secret-names.ts";
import { matchEnd, shapeReader, type SecretReader } from "./secret-source.ts";
import { tokenStart } from "./secret-tokens.ts";

/** Reads a match of `body`, together with the match of `head` before it. */
function headedReader(kind: string, head: RegExp, body: RegExp): SecretReader {
  return ({ text, floor }, at) => {
    const before = head.exec(text.slice(Math.max(floor, at - 64), at))?.[0];
    const end = before === undefined ? undefined : matchEnd(body, text, at);
    return before === undefined || end === undefined
      ? undefined
      : { kind, start: at - before.length, end };
  };
}

const basicStart = /basic[ \t]{1,8}/iy;
const basicBody = /[\w+/-]{6,}={0,2}/y;

/** Reads the credentials after the word `Basic`: base64 of `user:password`. */
const readBasic: SecretReader = ({ text }, at) => {
  const start = matchEnd(basicStart, text, at);
  const end = start === undefined ? undefined : matchEnd(basicBody, text, start);
  if (start === undefined || end === undefined) return undefined;
  const head = text.slice(start, Math.min(end, start + 400)).replace(/[^A-Za-z0-9+/].*$/, "");
  const decoded = head.length % 4 === 1 || !/[A-Z0-9]/.test(head) ? "" : atob(head);
  return /^[\x20-\x7e\x80-\xff]*:/.test(decoded)
    ? { kind: "basic_credentials", start, end }
    : undefined;
};

const pemBegin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
const pemEnd = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
// A line of base64 or a header, with the quotes, escapes and symbols that separate lines in code.
const pemLine =
  /(?:\s|\\{1,4}[nrt"]|["',>#*|]|\+(?=[\s"'])){0,200}(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID): [^\n\\]{0,200}|[A-Za-z0-9+/=]{40,}|[A-Za-z0-9+/=]{8,}(?=[^\s\w])|[A-Za-z0-9+/=]+(?=[\r\n\\"']|$))/y;

/** Maximum length of a key. Longer than any key in use. */
const longestKey = 32_768;
/** Matches a line of base64 at the end of the text. */
const lastPemLine = /(?:[\r\n"']|\\[nr])[ \t]{0,16}([A-Za-z0-9+/=]{1,120})$/;
const shortestPemLine = 16;

/**
 * Reads a private key in PEM, including its markers. A key without an end marker is masked to the
 * end of its lines, up to 32,768 characters.
 */
const readPrivateKey: SecretReader = (source, at) => {
  const { text } = source;
  const body = matchEnd(pemBegin, text, at);
  if (body === undefined) return undefined;
  const marker = source.find("-----END ", body);
  const hasOwnEnd =
    marker - body <= longestKey &&
    source.find("-----BEGIN ", body) > marker &&
    /[\w+/=]{16}/.test(text.slice(body, marker));
  const end = (hasOwnEnd ? matchEnd(pemEnd, text, marker) : undefined) ?? endOfLines(text, body);
  return end > body ? { kind: "private_key", start: at, end } : undefined;
};

/**
 * Finds where the lines of an unterminated key end. In PEM only the last line is shorter, so the
 * key ends with it.
 */
function endOfLines(text: string, body: number): number {
  let end = body;
  let width = shortestPemLine;
  for (;;) {
    const line = matchEnd(pemLine, text, end);
    if (line === undefined || line - body > longestKey) return end;
    end = line;
    const length = lastPemLine.exec(text.slice(Math.max(body, end - 160), end))?.[1]?.length;
    if (length !== undefined && length < width) return end;
    width = Math.max(width, length ?? 0);
  }
}

// Reads up to the last @ of the authority. If what looks like the end of a host cannot be a port,
// it reads past it.
const readAnyUrlPassword = shapeReader(
  "url_password",
  /:\/\/[^\s"'#/<>?\\`:@]*:/y,
  /[^\s"'#/<>?\\`]+(?=@)|(?!\d*[/?#])[^\s"'<>`@]{1,200}(?=@)/y,
);

/** Reads the password of `scheme://user:password@host`. */
const readUrlPassword: SecretReader = (source, at) => {
  if (source.find("@", at) > at + 4_096) return undefined;
  const found = readAnyUrlPassword(source, at);
  return found === undefined || isPlaceholder(source.text.slice(found.start, found.end))
    ? undefined
    : found;
};

const header = String.raw`authorization\\{0,7}["'\x60]?[ \t]{0,4}[:=][ \t]{0,4}\\{0,7}["'\x60]?`;
const headerLead = (scheme: string): RegExp =>
  new RegExp(`${header}(?:${scheme})[ \\t]{1,8}`, "iy");
const headerBody = /(?!(?:token|null|undefined)\b)[\w.~%+/=-]{4,}/y;

/** Readers of secrets that need more than a prefix to be recognised, each with its triggers. */
export const shapeReaders: [SecretReader, ...string[]][] = [
  [readPrivateKey, "-----BEGIN "],
  [readUrlPassword, "://"],
  // A JWS or JWE, signed or not, whole or truncated. It must not begin within a longer word, so
  // that no run of characters is tried twice.
  [
    shapeReader(
      "jwt",
      /(?<![\w-])|(?<=\\[nrt]|%[0-9a-f]{2}|\[[0-9;]{0,12}m)/iy,
      /eyJ[\w-]{13,}\.(?:[\w-]{7,}|(?=\.))(?:\.[\w-]*)*/y,
    ),
    "eyJ",
  ],
  [
    shapeReader("azure_key", /(?:AccountKey|SharedAccessKey)=/y, /[\w%+/=-]{20,}/y),
    "AccountKey=",
    "SharedAccessKey=",
  ],
  [
    shapeReader(
      "webhook_url",
      /hooks\.slack\.com\/[a-z]{7,9}\/|hooks\.zapier\.com\/hooks\/catch\//y,
      /[\w/-]{16,}/y,
    ),
    "hooks.",
  ],
  [shapeReader("webhook_url", /discord(?:app)?\.com\/api\/webhooks\//y, /[\w/-]{16,}/y), "discord"],
  [
    shapeReader("discord_token", tokenStart, /[\w-]{22,28}\.[\w-]{6}\.[\w-]{27,}/y),
    ..."MD MT Mj Mz NA ND NT Nj Nz OA OD OT".split(" "),
  ],
  [shapeReader("telegram_token", /(?<=\d{6}):(?=A)/y, /[\w-]{30,60}(?![\w-])/y), ":A"],
  [shapeReader("provider_token", /(?<=[A-Za-z0-9]{10})\.atlasv1\./y, /[\w-]{30,}/y), ".atlasv1."],
  [headedReader("entra_secret", /[\w.~-]{3}\d$/, /Q~[\w.~-]{28,}/y), "Q~"],
  [headedReader("provider_token", /[0-9a-f]{32}$/, /-us\d+/y), "-us"],
];

/** Readers whose triggers match in any case. */
export const caselessShapeReaders: [SecretReader, ...string[]][] = [
  [shapeReader("bearer_token", headerLead("bearer"), headerBody), "authorization"],
  [shapeReader("basic_credentials", headerLead("basic"), headerBody), "authorization"],
  [
    shapeReader(
      "secret_value",
      headerLead("token|api-?key|key|digest|negotiate|dpop|bot"),
      headerBody,
    ),
    "authorization",
  ],
  [
    shapeReader(
      "bearer_token",
      /bearer[ \t]{1,8}/iy,
      /(?=[A-Za-z]{0,200}[\d_.~+/=-])[\w.~%+/=-]{16,}/y,
    ),
    "bearer",
  ],
  [readBasic, "basic"],
];
