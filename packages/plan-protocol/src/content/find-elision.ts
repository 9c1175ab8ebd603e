/** A comment that stands in for code that the model did not write. */
export interface Elision {
  /** From 1. */
  line: number;
  text: string;
}

/** Longer comments say something of their own. */
const MAX_LINE_CHARACTERS = 160;

/** How comments of common languages begin and end; a line in square or angle brackets is what chat answers use. */
const COMMENT =
  /^\s*(?:\/\/+!?|\/\*+|#+|<!--|\{\/\*+|--|;+|%+|\(\*|"""|'''|'|rem\b|\{\{!--|\{#|@\*)\s*(.*)$/i;
const COMMENT_END = /\s*(?:\*+\/\}?|-->|\*\)|"""|'''|--\}\}|#\}|\*@)\s*$/;
/** Lines of chat answers that are code in no language. */
const BRACKETED =
  /^\s*(?:\[([^[\]]*)\]|<([^<>]*)>|\(([^()]*)\)|((?:\.{3}|\u2026).*(?:\.{3}|\u2026)))\s*$/;

const THING =
  "(?:(?:source |existing |original |previous |current |remaining |other |your |file )*(?:code|file|files|content|contents|implementation|implementations|function|functions|class|classes|method|methods|module|component|components|imports?|logic|script|test|tests|test cases|styles?|rules?|routes?|handlers?|markup|template|config|configuration|definitions?|body|lines?|section|document|page|fields|properties|cases?|items?|entries|stuff|parts?|queries|schema|tables?|settings|variables|helpers|exports?|types?))";
const CODE =
  "(?:(?:the |this )?(?:code|file|implementation|function|class|method|component|module))";
const STATE =
  "(?:unchanged|the same|same|as is|as-is|as before|as above|as it was|as they were|untouched|intact|not changed|unmodified|omitted(?: for brevity)?|identical|goes here|here|not shown|continues(?: here)?|elided|truncated)";
const RUSSIAN_THING =
  "(?:код(?:а)?|файл(?:а)?|содержимо(?:е|го)|реализаци(?:я|и)|функци(?:и|й|я)|метод(?:ы|ов)|класс(?:а|ы|ов)?|импорт(?:ы|ов)|логик(?:а|и)|стил(?:и|ей)|тест(?:ы|ов)|част(?:ь|и)|строк(?:и)?)";
const RUSSIAN_STATE =
  "(?:без изменени[йя]|не изменил(?:ся|ась|ись|ось)|не меня(?:ется|ем|ть)|не измен[её]н[аоы]?|как (?:было|раньше|прежде|есть)|прежн(?:ий|яя|ее|ие)|оста[её]тся|опущен[аоы]?|пропущен[аоы]?|такой же|тот же|та же)";

/** Whole comments, dots at the ends taken off, lower case. */
const STANDS_FOR_CODE = new RegExp(
  [
    `(?:the )?(?:rest|remainder) of (?:the |this |your |my )?(?:${THING}|[\\w$.]+\\(?\\)?)(?: (?:is|are|remains?|stays?|goes|continues))? ${STATE}`,
    `(?:the )?(?:existing|previous|original|remaining|other|all other|same)(?: \\w+)? ${THING}(?: \\w+)?(?: (?:is|are|remains?|stays?|goes|continues))? ${STATE}`,
    `(?:keep|leave) (?:the |all |all the |your )?(?:(?:rest|remainder) of (?:the |this |your )?${THING}(?: ${STATE})?|(?:existing|previous|original|remaining|other) ${CODE}(?: ${STATE})?)`,
    `(?:${CODE}|everything else|all else|the rest) (?:is |are |remains? |stays? )(?:unchanged|the same|as is|as before|untouched|omitted(?: for brevity)?)`,
    `(?:unchanged |existing |rest of )?(?:code|content|lines|implementation|rest) (?:unchanged|omitted|elided|truncated|snipped)(?: for brevity)?`,
    `(?:omitted|truncated|shortened|snipped) for brevity`,
    `(?:оставш(?:ийся|аяся|иеся|ееся)|остальн(?:ой|ая|ое|ые|ых|ого)|прежн(?:ий|яя|ее|ие)|существующ(?:ий|ая|ее|ие)) ${RUSSIAN_THING}(?: (?:файла|кода|класса|модуля|функции))?(?: ${RUSSIAN_STATE})?(?: (?:без изменений|прежней|прежним))?`,
    `(?:остальное|вс[её] остальное|дальше|далее) ${RUSSIAN_STATE}(?: без изменений)?`,
    `${RUSSIAN_THING}(?: (?:файла|кода|класса))? (?:${RUSSIAN_STATE})`,
    `(?:其余|剩余|现有|原有|其他)(?:的)?(?:代码|内容|部分|实现|方法|函数)(?:保持)?(?:不变|省略|相同)?`,
  ]
    .map((pattern) => `(?:${pattern})`)
    .join("|")
    .replace(/^/, "^(?:")
    .replace(/$/, ")$"),
  "u",
);

/** What stands between or behind dots: shorter hints are enough. */
const DOTTED = new RegExp(
  `^(?:(?:the |your |all |all the )?(?:existing|previous|original|remaining|unchanged|other|rest of(?: the| your)?)(?: of the| of your)?(?: [\\w$.()]+)? ?${THING}(?: (?:is|are|remains?|stays?))? ?${STATE}?|unchanged|omitted|existing|(?:the |your )?existing code|the rest|rest|(?:the )?rest of(?: the| your| this)? [\\w$.]+(?: ${STATE})?|(?:code|lines|content) ${STATE}|snip(?:ped)?|same as (?:before|above)|no changes?(?: here)?|без изменений|остальн\\p{L}+|(?:остальн|существующ|прежн|оставш)\\p{L}+ ${RUSSIAN_THING}.{0,30}|(?:прочий|другой) код|(?:其余|剩余|现有|原有)(?:的)?(?:代码|内容|部分|实现)?.{0,6})$`,
  "u",
);

/** Every comment that stands for code has one of these; other comments usually have none. */
const HINT =
  /xisting|nchanged|rest|mainder|maining|mitted|runcated|lided|nipped|same|as is|as-is|ntouched|revious|riginal|other|snip|lse|change|нени|стальн|уществующ|режн|ставш|проч|друг|其余|剩余|现有|原有|其他|измен|меня|как было/i;

/**
 * The first comment in a content that stands for code left out, like `// ... existing code ...` or `# rest of the file
 * unchanged`, in comments of many languages, in English, Russian and Chinese; undefined if there is none. Looks at whole
 * lines, so that prose and code that mention such words pass, and past those that `isKnown` knows to be the file's own.
 */
export function findElision(
  content: string,
  isKnown?: (text: string) => boolean,
): Elision | undefined {
  let line = 1;
  for (let start = 0; start < content.length; line += 1) {
    const newline = content.indexOf("\n", start);
    const end = newline < 0 ? content.length : newline;
    if (mayBegin(content, start) && end - start <= MAX_LINE_CHARACTERS) {
      const text = content.slice(start, end);
      if (HINT.test(text) && isElision(text) && isKnown?.(text) !== true)
        return { line, text: text.trim() };
    }
    start = end + 1;
  }
  return undefined;
}

/** Code units that comments and bracketed remarks begin with. */
const FIRST = tableOf(
  128,
  [..."/#<{-;%(\"'rR@[."].map((character) => character.charCodeAt(0)),
);

/** How the first word of such a comment begins, in English; by the index that `pairOf` gives. */
const BEGINNINGS = tableOf(
  1 << 16,
  "al cl co ev ex fi fu im ke le li me mo no om or ot pr re sa sh sn te th tr un yo"
    .split(" ")
    .map((pair) => pairOf(pair.charCodeAt(0), pair.charCodeAt(1))),
);

// Tables and not sets: this runs for every line of megabytes.
function tableOf(size: number, indexes: readonly number[]): Uint8Array {
  const table = new Uint8Array(size);
  for (const index of indexes) table[index] = 1;
  return table;
}

function pairOf(first: number, second: number): number {
  return ((first | 0x20) << 8) | (second | 0x20);
}

/** Cheap and often wrong: whether the line that starts here could be such a comment at all. */
function mayBegin(content: string, start: number): boolean {
  let at = start;
  let code = content.charCodeAt(at);
  while (code === 0x20 || code === 0x09) code = content.charCodeAt((at += 1));
  if (FIRST[code] !== 1 && code !== 0x2026) return false;
  const isRemark = code === 0x72 || code === 0x52;
  if (isRemark) return true;
  for (let before = 0; !isLetter(code); before = code, code = content.charCodeAt((at += 1))) {
    const isDots = code === 0x2026 || (code === 0x2e && before === 0x2e);
    if (isDots) return true;
    if (code === 0x0a || Number.isNaN(code)) return false;
  }
  return code > 0x7f || BEGINNINGS[pairOf(code, content.charCodeAt(at + 1))] === 1;
}

function isLetter(code: number): boolean {
  const folded = code | 0x20;
  return (folded >= 0x61 && folded <= 0x7a) || (code > 0x7f && code !== 0x2026);
}

function isElision(line: string): boolean {
  const comment = COMMENT.exec(line)?.[1] ?? bracketed(line);
  // Without a comment's mark, "... other code here ..." is as likely an example in documentation.
  if (comment === undefined || (/^\s*\./.test(line) && /^\W*other/i.test(comment))) return false;
  const text = withoutFrame(comment.replace(COMMENT_END, "")).toLowerCase();
  const isDotted = DOTS_AROUND.test(text);
  const body = withoutFrame(text.replace(/^(?:\.{2,}|\u2026)|(?:\.{2,}|\u2026)$/g, "")).replace(
    /[.:!]$/,
    "",
  );
  return STANDS_FOR_CODE.test(body) || (isDotted && DOTTED.test(body));
}

const DOTS_AROUND = /^(?:\.{3}|\u2026)|(?:\.{3}|\u2026)$/;

/** Without brackets, rules and spaces round it. */
function withoutFrame(text: string): string {
  return text.replace(/^[\s([<=*-]+|[\s)\]>=*-]+$/g, "");
}

function bracketed(line: string): string | undefined {
  const match = BRACKETED.exec(line);
  return match === null ? undefined : match.slice(1).find((part) => part !== undefined);
}
