import {
  alphanumeric,
  authorityEnd,
  base64,
  digit,
  dotted,
  encoded,
  hexadecimal,
  isTokenStart,
  matchEnd,
  word,
  type CharacterClass,
} from "./secret-characters.ts";
import { isPlaceholder } from "./secret-placeholder.ts";
import type { SecretReader } from "./secret-source.ts";
import type { TokenRule } from "./secret-tokens.ts";

/** Reads a token that is known by its prefix, to its very end however long it is. */
export function tokenReader(prefix: string, rule: TokenRule): SecretReader {
  return ({ text }, at) => {
    const body = at + prefix.length;
    const least = body + rule.minLength;
    if (rule.charset.end(text, body, least) < least || !isTokenStart(text, at)) return undefined;
    const end = tokenEnd(rule.charset === dotted || rule.charset === encoded ? rule.charset : word, text, least);
    return { kind: rule.kind, start: rule.isLabel ? body : at, end };
  };
}

/** Reads `sk-...` of a provider that is not known by name: hyphenated words alone are no key. */
export const readGenericKey: SecretReader = ({ text }, at) => {
  if (text[at - 1] === "-") return undefined;
  const end = word.end(text, at, at + 64);
  if (end - at < 24 || !/\d.*\d.*\d/.test(text.slice(at, end)) || !isTokenStart(text, at)) return undefined;
  return { kind: "secret_key", start: at, end: tokenEnd(word, text, end) };
};

/** Reads a JWS or JWE in its compact form, signed or not, whole or cut off. */
export const readJwt: SecretReader = (source, at) => {
  const { text } = source;
  if (at < source.jwtsFrom || !isTokenStart(text, at)) return undefined;
  const headerEnd = word.end(text, at);
  source.jwtsFrom = headerEnd;
  if (headerEnd - at < 16 || text[headerEnd] !== ".") return undefined;
  const payloadEnd = word.end(text, headerEnd + 1);
  // The second part of a JWE that is encrypted directly is empty.
  if (payloadEnd - headerEnd < 8 && text[payloadEnd] !== ".") return undefined;
  return { kind: "jwt", start: at, end: withoutTrailingDots(text, dotted.end(text, payloadEnd)) };
};

/** Reads the credentials after the word `Bearer`. */
export const readBearer: SecretReader = ({ text }, at) => {
  const start = credentialStart(text, at + "bearer".length);
  const end = encoded.end(text, start);
  const isKey = end - start >= 16 && /[\d_.~+/=]|[a-z][A-Z]/.test(text.slice(start, start + 200));
  return isKey && start > at + 6 ? { kind: "bearer_token", start, end: withoutTrailingDots(text, end) } : undefined;
};

/** Reads the credentials after the word `Basic`: base64 of `user:password`. */
export const readBasic: SecretReader = ({ text }, at) => {
  const start = credentialStart(text, at + "basic".length);
  const end = encoded.end(text, start);
  if (end - start < 6 || start === at + 5 || !/[A-Z0-9=]/.test(text.slice(start, start + 200))) return undefined;
  const head = text.slice(start, start + Math.min(end - start, 400)).replace(/[^A-Za-z0-9+/].*$/, "");
  const decoded = atob(head.slice(0, head.length - (head.length % 4 === 1 ? 1 : 0)));
  return /^[\x20-\x7e\x80-\xff]*:/.test(decoded)
    ? { kind: "basic_credentials", start, end: withoutTrailingDots(text, end) }
    : undefined;
};

const pemBegin = /BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
const pemEnd = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
const pemHeader = /(?:[\s>#"',+]|\\[nrt"]){0,40}[A-Z][A-Za-z0-9-]{2,20}: [^\n\\]{0,200}/y;
const pemGap = /(?:\s|\\{1,4}[nrt"]|["',+>#*|]){0,200}/y;

/** Reads a private key in PEM, with its markers; a key without its end is masked as far as its lines go. */
export const readPrivateKey: SecretReader = (source, at) => {
  const { text } = source;
  const body = matchEnd(pemBegin, text, at);
  if (body === undefined || !text.startsWith("-----", at - 5)) return undefined;
  const endMarker = source.find("-----END ", body);
  const end = source.find("-----BEGIN ", body) < endMarker ? undefined : matchEnd(pemEnd, text, endMarker);
  const isWhole = end !== undefined && /[\w+/=]{16}/.test(text.slice(body, endMarker));
  const stop = isWhole ? end : keyLinesEnd(text, body);
  return stop > body ? { kind: "private_key", start: at - 5, end: stop } : undefined;
};

/** Walks over lines that hold nothing but base64, as they are or as escapes in a string. */
function keyLinesEnd(text: string, body: number): number {
  let end = body;
  for (;;) {
    const headerEnd = matchEnd(pemHeader, text, end);
    const start = matchEnd(pemGap, text, end) ?? end;
    const lineEnd = base64.end(text, start);
    const length = lineEnd - start;
    const next = text.charAt(lineEnd);
    const isKeyLine =
      length >= 40 || (length >= 8 && /[^\s\w]/.test(next)) || (length > 0 && /^[\r\n\\"']?$/.test(next));
    if (headerEnd === undefined && !isKeyLine) return end;
    end = headerEnd ?? lineEnd;
  }
}

/** Reads the password of `scheme://user:password@host`. */
export const readUrlPassword: SecretReader = (source, at) => {
  const { text } = source;
  const start = at + 3;
  if (source.find("@", start) === text.length) return undefined;
  let stop = start;
  let colon = -1;
  let ampersat = -1;
  for (; stop < text.length && !authorityEnd.has(text, stop); stop += 1) {
    const code = text.charCodeAt(stop);
    if (code === 0x40) ampersat = stop;
    else if (code === 0x3a && colon < 0) colon = stop;
  }
  if (colon < 0) return undefined;
  // A password that was not percent-encoded may hold a slash; a port may not.
  if (ampersat < 0 && !/^\d*$/.test(text.slice(colon + 1, stop))) {
    ampersat = /^[^\s"'`<>@]{0,100}@/.exec(text.slice(stop, stop + 101)) ? text.indexOf("@", stop) : -1;
  }
  if (ampersat <= colon + 1 || isPlaceholder(text.slice(colon + 1, ampersat))) return undefined;
  return { kind: "url_password", start: colon + 1, end: ampersat };
};

/** Reads a Telegram bot token from its colon: an id before it, 35 characters after. */
export const readTelegramToken: SecretReader = ({ text, floor }, at) => {
  const start = digit.start(text, at, Math.max(floor, at - 14));
  const end = word.end(text, at + 1);
  return at - start >= 6 && end - at > 30 && end - at < 60 ? { kind: "telegram_token", start, end } : undefined;
};

/** Reads a client secret of Microsoft Entra, three characters and a digit before `Q~`. */
export const readEntraSecret: SecretReader = ({ text, floor }, at) => {
  if (at - 4 < floor || !/^[\w.~-]{3}\d$/.test(text.slice(at - 4, at))) return undefined;
  const end = encoded.end(text, at, at + 30);
  return end - at < 30 ? undefined : { kind: "entra_client_secret", start: at - 4, end: encoded.end(text, end) };
};

/** Reads a Mailchimp key, 32 hexadecimal digits before `-us` and a number. */
export const readMailchimpKey: SecretReader = ({ text, floor }, at) => {
  const start = hexadecimal.start(text, at, Math.max(floor, at - 64));
  if (at - start < 32 || !/\d/.test(text.charAt(at + 3))) return undefined;
  return { kind: "mailchimp_key", start, end: alphanumeric.end(text, at + 3) };
};

/** Reads a Terraform Cloud token round `.atlasv1.`. */
export const readTerraformToken: SecretReader = ({ text, floor }, at) => {
  const start = alphanumeric.start(text, at, Math.max(floor, at - 40));
  const end = dotted.end(text, at, at + 40);
  if (end - at < 40 || at - start < 10) return undefined;
  return { kind: "hashicorp_token", start, end: withoutTrailingDots(text, dotted.end(text, end)) };
};

const discordShape = /[\w-]{22,28}\.[\w-]{6}\.[\w-]{27,}/y;

/** Reads a Discord bot token: a base64 id, 6 characters and 27 or more, between dots. */
export const readDiscordToken: SecretReader = ({ text }, at) => {
  const end = isTokenStart(text, at) ? matchEnd(discordShape, text, at) : undefined;
  return end === undefined ? undefined : { kind: "discord_token", start: at, end };
};

function credentialStart(text: string, at: number): number {
  let start = at;
  while (start < at + 8 && (text[start] === " " || text[start] === "\t")) start += 1;
  return start;
}

/** Goes on over a further part such as `.01.1abcdef`, but leaves the dots that end a sentence. */
function tokenEnd(charset: CharacterClass, text: string, from: number): number {
  let end = charset.end(text, from);
  while (text[end] === "." && word.end(text, end + 1, end + 17) === end + 17) {
    end = charset.end(text, end + 1);
  }
  return withoutTrailingDots(text, end);
}

function withoutTrailingDots(text: string, end: number): number {
  let last = end;
  while (text[last - 1] === ".") last -= 1;
  return last;
}
