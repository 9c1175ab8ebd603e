/** Lines that differ in their values only. */
export interface LineForm {
  /** Words of the form; what varies is "*". */
  words: string[];
  /** Places of its lines, in order. */
  lines: number[];
}

const maxWords = 40;
const maxChars = 400;
const alikeShare = 0.6;
/** Forms of one length and beginning that a new one is compared with. */
const maxCompared = 24;

/** Groups masked lines that differ in few of their words. */
export function groupByForm(masks: readonly string[]): LineForm[] {
  const forms: LineForm[] = [];
  const known = new Map<string, LineForm>();
  const buckets = new Map<string, LineForm[]>();
  for (const [at, masked] of masks.entries()) {
    let form = known.get(masked);
    if (form === undefined) {
      form = joinForm(masked.split(" ", maxWords), buckets);
      known.set(masked, form);
      if (form.lines.length === 0) forms.push(form);
    }
    form.lines.push(at);
  }
  return forms;
}

/** The form that the words are alike to, or a new one. */
function joinForm(words: string[], buckets: Map<string, LineForm[]>): LineForm {
  const key = `${words.length} ${anchorOf(words)}`;
  const bucket = buckets.get(key) ?? [];
  buckets.set(key, bucket);
  const alike = bucket.find((other) => areAlike(other.words, words));
  if (alike !== undefined) {
    merge(alike.words, words);
    return alike;
  }
  const form = { words, lines: [] };
  if (bucket.length < maxCompared) bucket.push(form);
  return form;
}

/** The first 400 characters of each line, one blank between words, with digits, hexadecimal ids, quoted texts and long paths masked. */
export function maskLines(lines: readonly string[]): string[] {
  const masked = lines
    .map((line) => (line.length > maxChars ? line.slice(0, maxChars) : line))
    .join("\n")
    .replace(values, "#")
    .replace(quoted, "'*'")
    .replace(paths, "/*")
    .replace(/[^\S\n]{2,}|[^\S\n ]/g, " ")
    .split("\n");
  for (let at = 0; at < masked.length; at += 1) masked[at] = (masked[at] ?? "").trim();
  return masked;
}

// What it may begin with first: nearly all characters are passed over by that.
const values =
  /(?=[-\da-fA-F])(?:0[xX][\da-fA-F]+|\b[\da-fA-F]{8,}\b|[\da-fA-F]{8}-[\da-fA-F-]{20,}|-?\d+(?:[.:,/-]\d+)*)/g;
const quoted = /"[^"\n]*"|'[^'\n]*'/g;
const paths = /(?<![\w.@#$*-])(?:[\w.@#$*-]*\/){2,}[\w.@#$*-]*/g;

/** The first word that says something, with the level: forms that differ in it are never alike. */
function anchorOf(words: readonly string[]): string {
  const level = words.find((word) =>
    /^\W*(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|ERR|FATAL|CRIT(?:ICAL)?|PASS(?:ED)?|FAIL(?:ED)?|SKIP(?:PED)?|not|ok)\W*$|^[✓✔√×✕✖✗✘]$/i.test(
      word,
    ),
  );
  const spoken = words.find(
    (word) => word !== level && /[a-z]{2}/i.test(word) && !/^\W*#|#\W*$/.test(word),
  );
  return `${level ?? ""} ${spoken ?? ""}`;
}

function areAlike(form: readonly string[], words: readonly string[]): boolean {
  let same = 0;
  for (const [at, word] of words.entries()) if (form[at] === word || form[at] === "*") same += 1;
  return same >= alikeShare * words.length && words.length > 3;
}

function merge(form: string[], words: readonly string[]): void {
  for (const [at, word] of words.entries()) if (form[at] !== word) form[at] = "*";
}

/** Places of the words of a form that differ from line to line. */
export function varyingWords({ words }: LineForm): number[] {
  return words.flatMap((word, at) => (/[#*]/.test(word) ? [at] : []));
}
