/**
 * How surely a name announces a secret. `certain`: a password; `likely`: a secret, an API key, credentials;
 * `possible`: a token or `auth`, which may as well be a lexer's or a setting.
 */
export type SecretNameLevel = "certain" | "likely" | "possible";

const keyOwners =
  "api|access|secret|private|account|encryption|signing|master|auth|shared|ssh|deploy|service|client|subscription|storage|app|license|admin|write|read|project|function|host|session|jwt|hmac|webhook";
const stems = new RegExp(
  `(passw(?:or)?d|passphrase|passcode|passwd|pwd|pass)|((?:${keyOwners})key|secret|authorization)|(token|credentials?|auth)`,
  "g",
);
/** What may stand after the word and leave the name a secret's. */
const tails =
  /^(?:\d{1,3}|base|base64|value|val|str|string|text|raw|plain|plaintext|data|hash|prod|production|dev|development|test|staging|stage|live|sandbox|local|ci|new|old|current|confirm|confirmation|again|repeat|default|root|admin|user|db|v\d|primary|secondary|for[a-z]+)$/;
/** Names that hold such a word for another reason. */
const harmless =
  /(?:next|page|pagination|continuation|cancel|cancellation|sync|cursor|csrf|xsrf|stop|eos|bos|pad|unk|special|max|min|no|has|is|needs?|reset|forgot|change|show|hide|toggle|use|require|validate|verify|check|enter|with|without|public)$/;

/** The level of a name in any spelling (`apiKey`, `API_KEY`, `x-api-key`); undefined when it announces no secret. */
export function secretNameLevel(name: string): SecretNameLevel | undefined {
  const compact = name.toLowerCase().replace(/[^a-z0-9]/g, "");
  const last = [...compact.matchAll(stems)].at(-1);
  if (last === undefined) return undefined;
  const [stem, password, secret] = last;
  const tail = compact.slice(last.index + stem.length);
  if ((tail !== "" && !tails.test(tail)) || harmless.test(compact.slice(0, last.index))) return undefined;
  if (stem === "pass") return /^(?:.*[_.-])?pass$/i.test(name) ? (name.length > 4 ? "certain" : "possible") : undefined;
  if (/^(?:old)?pwd$/i.test(name)) return name === name.toUpperCase() ? undefined : "certain";
  if (stem === "auth") return compact === "auth" ? "possible" : undefined;
  if (password !== undefined) return "certain";
  return secret === undefined ? "possible" : "likely";
}
