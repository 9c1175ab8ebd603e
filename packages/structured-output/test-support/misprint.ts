/** How a value is printed: JSON, but for what the kinds of misprint change. */
interface Style {
  open: string;
  close: string;
  keyQuotes: boolean;
  /** Only words without spaces, as YAML and people write them. */
  bareStrings: boolean;
  colon: string;
  comma: string;
  brackets: string;
  trailing: string;
  gap: (random: () => number) => string;
  comment: (random: () => number) => string;
  literals: Record<"true" | "false" | "null", string>;
  number: (value: number) => string;
  content: (value: string, random: () => number) => string;
  string: ((value: string, quoted: string, random: () => number) => string) | undefined;
  item: (printed: string, index: number, random: () => number) => string;
  wrap: (text: string) => string;
}

const JSON_STYLE: Style = {
  open: '"',
  close: '"',
  keyQuotes: true,
  bareStrings: false,
  colon: ": ",
  comma: ", ",
  brackets: "{}[]",
  trailing: "",
  gap: () => "",
  comment: () => "",
  literals: { true: "true", false: "false", null: "null" },
  number: (value) => JSON.stringify(value),
  content: (value) => JSON.stringify(value).slice(1, -1),
  string: undefined,
  item: (printed) => printed,
  wrap: (text) => text,
};

const quotes = (open: string, close: string): Partial<Style> => ({
  open,
  close,
  content: (value) =>
    JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll(close, `\\${close}`),
});
const some = (random: () => number, text: string): string => (random() < 0.4 ? text : "");

/** The kinds of misprint, each as what it changes. */
export const MISPRINTS: Readonly<Record<string, Partial<Style>>> = {
  "single quotes": quotes("'", "'"),
  backticks: quotes("`", "`"),
  "English quotes": quotes("“", "”"),
  "German quotes": quotes("„", "“"),
  "French quotes": quotes("«", "»"),
  "single English quotes": quotes("‘", "’"),
  "corner brackets": quotes("「", "」"),
  "full-width quotes": quotes("＂", "＂"),
  "full-width colons and commas": { colon: "：", comma: "，" },
  "full-width brackets": { brackets: "｛｝［］" },
  "bare keys": { keyQuotes: false },
  "bare strings": { bareStrings: true },
  "trailing commas": { trailing: "," },
  "missing commas": { comma: "\n " },
  "missing colons": { colon: " " },
  "equals signs": { colon: " = " },
  "line comments": { comment: (random) => some(random, ' // it\'s "so", {and} on\n') },
  "block comments": { comment: (random) => some(random, " /* see [1], it's */ ") },
  "hash comments": { comment: (random) => some(random, " # that's: all\n") },
  "Python literals": { literals: { true: "True", false: "False", null: "None" } },
  "JavaScript literals": { literals: { true: "true", false: "false", null: "undefined" } },
  "underscores in numbers": {
    number: (value) => JSON.stringify(value).replace(/\d(?=(\d{3})+(?!\d))/g, "$&_"),
  },
  "plus signs and dots": {
    number: (value) =>
      Number.isInteger(value) && value >= 0 ? `+${value}.` : JSON.stringify(value),
  },
  "zero-width characters": { gap: (random) => some(random, "\u200b") },
  "no-break spaces": { gap: (random) => some(random, "\u00a0") },
  "raw line breaks": {
    content: (value) =>
      JSON.stringify(value).slice(1, -1).replaceAll("\\n", "\n").replaceAll("\\t", "\t"),
  },
  "quotes not escaped": {
    content: (value) => JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"'),
  },
  "escapes of other languages": {
    content: (value) => JSON.stringify(value).slice(1, -1).replaceAll("'", "\\'"),
  },
  concatenation: {
    string: (value, quoted) =>
      value.length > 8 && /^\w{4}/.test(value)
        ? `${quoted.slice(0, 4)}" + "${quoted.slice(4)}`
        : quoted,
  },
  "prose before and after": { wrap: (text) => `Sure, here it is:\n\n${text}\n\nLet me know!` },
  "a fence": { wrap: (text) => `Here:\n\`\`\`json\n${text}\n\`\`\`\nDone.` },
  "encoded twice": { wrap: (text) => JSON.stringify(text) },
  "a call": { wrap: (text) => `callback(${text});` },
  ellipsis: { trailing: ", ..." },
  "glued values in lists": { item: (printed, index) => (index > 0 ? `\0${printed}` : printed) },
};

/** Prints a value with all the misprints at once; `random` decides where those stand that are not everywhere. */
export function misprint(value: unknown, kinds: readonly string[], random: () => number): string {
  const style = kinds.reduce((all, kind) => ({ ...all, ...MISPRINTS[kind] }), JSON_STYLE);
  const text = print(value, style, random).replaceAll(GLUE, "");
  return style.wrap(text);
}

function print(value: unknown, style: Style, random: () => number): string {
  const { brackets, colon, trailing } = style;
  if (typeof value === "string") return printString(value, style, random);
  if (typeof value === "number") return style.number(value);
  if (value === null) return style.literals.null;
  if (typeof value === "boolean") return style.literals[`${value}`];
  const pad = (): string => style.gap(random) + style.comment(random);
  const entries = Array.isArray(value)
    ? value.map((item: unknown, index) =>
        style.item(print(item, style, random), isContainer(item) ? index : 0, random),
      )
    : Object.entries(value as object).map(([key, item]) => {
        const name =
          style.keyQuotes || !/^[\w$-]+$/.test(key)
            ? style.open + style.content(key, random) + style.close
            : key;
        return name + style.gap(random) + colon + print(item, style, random);
      });
  const isList = Array.isArray(value);
  const [open, close] = isList ? [brackets[2], brackets[3]] : [brackets[0], brackets[1]];
  const body = entries.map((entry) => pad() + entry + style.gap(random)).join(style.comma);
  return `${open}${body}${entries.length > 0 ? trailing : ""}${pad()}${close}`;
}

function printString(value: string, style: Style, random: () => number): string {
  if (style.bareStrings && /^[a-zA-Z]+(?: [a-zA-Z]+)*$/.test(value) && !isLiteral(value))
    return value;
  const quoted = style.open + style.content(value, random) + style.close;
  return style.string === undefined || style.open !== '"'
    ? quoted
    : style.string(value, quoted, random);
}

function isLiteral(value: string): boolean {
  return /^(?:true|false|null|none|undefined|nan|infinity)$/i.test(value);
}

function isContainer(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

// Where two values stand without anything between them.
const GLUE = /(?:[,，]\s*|\n )?\0/g;

const WORDS = [
  "Ulm", "New York", "it's cold", 'say "hi" now', "a, b and c", "x: y", "https://x.org/a?b=1#c",
  "line one\nline two", "naïve café", "日本語", "[draft]", "f({a: 1})", "50 % off", "", "C++",
  "tab\there", "2024-05-01", "the end.", "don't, won't", 'the "big" one', "a/b/c.ts", "1,5",
]; // prettier-ignore
const KEYS = [
  "name",
  "age",
  "id",
  "is_open",
  "first-name",
  "2",
  "17",
  "note",
  "tags",
  "größe",
  "two words",
];

/** A value as answers have them: objects and lists of a few levels, with what is hard to print in its strings. */
export function answerValue(random: () => number, depth = 3): unknown {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const scalar = (): unknown => {
    const kind = Math.floor(random() * 8);
    if (kind < 4) return pick(WORDS);
    if (kind === 4) return Math.floor(random() * 10_000_000);
    if (kind === 5) return pick([0, -7, 3.25, 1500, 250000, -1e-7, 12.5]);
    return pick([true, false, null]);
  };
  const child = (): unknown =>
    depth > 1 && random() < 0.35 ? answerValue(random, depth - 1) : scalar();
  const count = 1 + Math.floor(random() * 4);
  if (random() < 0.35) return Array.from({ length: count }, child);
  return Object.fromEntries(Array.from({ length: count }, () => [pick(KEYS), child()]));
}
