/** Number of lines sampled, and of columns read from each. */
const [sampledLines, maxColumns] = [400, 12];
/** Share of the lines that must have the same kind of value in a leading column. */
const usualShare = 0.9;
/**
 * Columns of numbers have up to this many columns of words between them, such as a level, with few
 * distinct values.
 */
const [maxBetween, variedShare] = [2, 0.1];
/**
 * A word in this share of the lines counts as a host, even without a number. The second share of
 * the lines must have a number.
 */
const [hostShare, numberedShare] = [0.1, 0.3];

const word = /(?:\[[^\]]{0,160}\]\S*|[^\s|]+)[\s|]*/y;
const monthOrDay =
  /^\W*(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Mon|Tue|Wed|Thu|Fri|Sat|Sun)\W*$/;
/** The process id after a program's name, possibly with a level before it. */
const processId = /^((?:[A-Z]+ +)?[^\s[]{1,60})\[\d+\](?=:)/;

interface Column {
  /** True if the column contains times, hosts or numbers, apart from the usual words. */
  isNumbered: boolean;
  usual: ReadonlySet<string>;
  different: number;
}

/**
 * Returns a function that reduces a log line to its message. It removes the times, hosts and
 * numbers at the start of nearly all lines, but keeps the words between them. A line that begins
 * differently stays whole. Undefined if the lines have no such columns.
 */
export function leadingColumns(sample: readonly string[]): ((line: string) => string) | undefined {
  const lines = sample.map((line) => wordsOf(line, maxColumns));
  const columns: Column[] = [];
  let end = 0;
  for (let at = 0; at < maxColumns && at - end <= maxBetween; at += 1) {
    const column = readColumn(
      lines.map((words) => words[at]?.trimEnd() ?? ""),
      at === end,
    );
    const { isNumbered, usual, different } = column;
    // A host or level that all lines share follows the time. Any other word that all lines share
    // belongs to the message.
    const isHost = usual.size > 0 && at > 0 && columns.every((earlier) => earlier.isNumbered);
    const isCommon = /\w/.test([...usual].join(""));
    const isWord = isHost || (!isCommon && different <= variedShare * lines.length);
    if (!isNumbered && !isWord) break;
    if (isNumbered || isHost) end = at + 1;
    columns.push(column);
  }
  columns.length = end;
  return end === 0 ? undefined : (line) => withoutColumns(line, columns);
}

/**
 * Classifies a column. A number after a word may belong to the message, so in later columns nearly
 * all lines must have a word that is little more than a number.
 */
function readColumn(words: readonly string[], isFirst: boolean): Column {
  const counts = new Map<string, number>();
  for (const text of words) counts.set(text, (counts.get(text) ?? 0) + 1);
  const usualFrom = (share: number): Set<string> =>
    new Set(
      [...counts].flatMap(([one, count]) =>
        one !== "" && count >= share * words.length ? one : [],
      ),
    );
  const hosts = usualFrom(isFirst ? hostShare : 1);
  const numbers = words.filter(isFirst ? holdsNumber : isNumber).length;
  const digits = words.filter((one) => /\d/.test(one)).length;
  const others = words.filter((one) => hosts.has(one) && !holdsNumber(one)).length;
  const isNumbered =
    (isFirst ? numbers >= numberedShare * words.length : digits >= 0.5 * words.length) &&
    numbers + others >= usualShare * words.length;
  return { isNumbered, usual: isNumbered ? hosts : usualFrom(usualShare), different: counts.size };
}

function withoutColumns(line: string, columns: readonly Column[]): string {
  let message = "";
  let end = 0;
  for (const [at, found] of wordsOf(line, columns.length).entries()) {
    const { isNumbered = false, usual } = columns[at] ?? {};
    const isLeft = usual?.has(found.trimEnd()) === true || (isNumbered && holdsNumber(found));
    if (!isLeft && isNumbered) break;
    if (!isLeft) message += found;
    end += found.length;
  }
  return message + line.trimStart().slice(end).replace(processId, "$1");
}

/** Returns the first words of a line, each with the blanks after it. Bracketed text is one word. */
function wordsOf(line: string, max: number): string[] {
  const words: string[] = [];
  word.lastIndex = line.length - line.trimStart().length;
  while (words.length < max) {
    const [found] = word.exec(line) ?? [];
    if (found === undefined) break;
    words.push(found);
  }
  return words;
}

/**
 * True for times, addresses, ids and numbered hosts. Text before a colon is the name of a program
 * instead.
 */
function holdsNumber(text: string): boolean {
  return (/\d/.test(text) && !/[a-z].*:\s*$/i.test(text)) || monthOrDay.test(text);
}

/** True for numbers, hexadecimal ids, and symbols used in place of a missing number. */
function isNumber(text: string): boolean {
  const letters = text.replace(/[\da-f]{8,}|\W+|\d+/gi, "").length;
  return letters * 4 < text.replace(/\W+/g, "").length || /^\W+$/.test(text);
}

/**
 * Number of words at the start that may contain a level, and of the next words that may contain a
 * name.
 */
const [levelWords, nameWords] = [5, 3];
const level = /^\W*(?:trace|debug|info|notice|warn(?:ing)?|error|severe|fatal)\W*$/i;

/**
 * Returns a function that finds the text before the message in a line without its columns: a level,
 * names in brackets, and the program that wrote the line. Each counts only if nearly all lines have
 * it.
 */
export function sourceFinder(bodies: readonly string[]): (body: string) => string {
  const lines = bodies.map((line) => wordsOf(line, levelWords + nameWords));
  const usual = usualShare * lines.length;
  const haveLevels = lines.filter((words) => levelEnd(words) > 0).length >= usual;
  const startOf = (words: readonly string[]): number => (haveLevels ? levelEnd(words) : 0);
  const haveNames = lines.filter((words) => nameEnd(words, startOf(words)) > 0).length >= usual;
  return (body) => {
    const words = wordsOf(body, levelWords + nameWords);
    const start = startOf(words);
    const end = haveNames ? nameEnd(words, start) : 0;
    return words.slice(0, Math.max(start, end)).join("");
  };
}

/** Counts the words up to the end of the level and the brackets after it. 0 without a level. */
function levelEnd(words: readonly string[]): number {
  let end = words.slice(0, levelWords).findIndex((word) => level.test(word)) + 1;
  while (end > 0 && /^\[.*\]\s*$/.test(words[end] ?? "")) end += 1;
  return end;
}

/** Counts the words up to the end of the name before a colon or a dash. 0 without one. */
function nameEnd(words: readonly string[], start: number): number {
  const name = words.slice(start, start + nameWords).findIndex((word) => /:\s*$|^-\s*$/.test(word));
  return name < 0 ? 0 : start + name + 1;
}

/** Samples lines evenly from the whole log. */
export function sampleLines(text: string): string[] {
  const all = text.split("\n").filter((line) => line.trim() !== "");
  const step = Math.ceil(all.length / sampledLines);
  return all.filter((_, at) => at % step === 0);
}
