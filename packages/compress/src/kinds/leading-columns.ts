/** Lines that are looked at, and columns of each. */
const [sampledLines, maxColumns] = [400, 12];
/** So many of the lines have a value of one kind in a column that leads. */
const usualShare = 0.9;
/** Between columns of numbers stand few words, such as a level, of few values. */
const [maxBetween, variedShare] = [2, 0.1];
/** A host without a number is known by its share of the lines. */
const [hostShare, numberedShare] = [0.1, 0.3];

const word = /(?:\[[^\]]{0,160}\]\S*|[^\s|]+)[\s|]*/y;
const monthOrDay =
  /^\W*(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Mon|Tue|Wed|Thu|Fri|Sat|Sun)\W*$/;
/** The number of the process after the name of a program, and perhaps a level. */
const processId = /^((?:[A-Z]+ +)?[^\s[]{1,60})\[\d+\](?=:)/;

interface Column {
  /** Times, hosts or numbers, but for what is usual. */
  isNumbered: boolean;
  usual: ReadonlySet<string>;
  different: number;
}

/**
 * What a line of a log says: without the times, hosts and numbers that lead nearly all lines, and without what these say
 * between them. A line that begins otherwise stays as it is. Undefined where the lines have no such columns.
 */
export function leadingColumns(text: string): ((line: string) => string) | undefined {
  const all = text.split("\n").filter((line) => line.trim() !== "");
  const step = Math.ceil(all.length / sampledLines);
  const lines = all.filter((_, at) => at % step === 0).map((line) => wordsOf(line, maxColumns));
  const columns: Column[] = [];
  let end = 0;
  for (let at = 0; at < maxColumns && at - end <= maxBetween; at += 1) {
    const column = readColumn(
      lines.map((words) => words[at]?.trimEnd() ?? ""),
      at === end,
    );
    const { isNumbered, usual, different } = column;
    // One host or level that all lines name stands after the time; any other word of all of them begins the message.
    const isHost = usual.size > 0 && at > 0 && columns.every((one) => one.isNumbered);
    const isCommon = /\w/.test([...usual].join(""));
    const isWord = isHost || (!isCommon && different <= variedShare * lines.length);
    if (!isNumbered && !isWord) break;
    if (isNumbered || isHost) end = at + 1;
    columns.push(column);
  }
  columns.length = end;
  return end === 0 ? undefined : (line) => withoutColumns(line, columns);
}

/** Behind words a number may belong to the message, so that nearly all lines need one that is little else. */
function readColumn(words: readonly string[], isFirst: boolean): Column {
  const counts = new Map<string, number>();
  for (const one of words) counts.set(one, (counts.get(one) ?? 0) + 1);
  const usualFrom = (share: number): Set<string> =>
    new Set(
      [...counts].flatMap(([one, count]) =>
        one !== "" && count >= share * words.length ? one : [],
      ),
    );
  const hosts = usualFrom(isFirst ? hostShare : 1);
  const numbers = words.filter(isFirst ? holdsNumber : isNumber).length;
  const others = words.filter((one) => hosts.has(one) && !holdsNumber(one)).length;
  const isNumbered =
    numbers >= numberedShare * words.length && numbers + others >= usualShare * words.length;
  return { isNumbered, usual: isNumbered ? hosts : usualFrom(usualShare), different: counts.size };
}

function withoutColumns(line: string, columns: readonly Column[]): string {
  let kept = "";
  let end = 0;
  for (const [at, found] of wordsOf(line, columns.length).entries()) {
    const { isNumbered = false, usual } = columns[at] ?? {};
    const isLeft = usual?.has(found.trimEnd()) === true || (isNumbered && holdsNumber(found));
    if (!isLeft && isNumbered) break;
    if (!isLeft) kept += found;
    end += found.length;
  }
  return kept + line.trimStart().slice(end).replace(processId, "$1");
}

/** The first words of a line, each with the blanks behind it; what stands in brackets is one. */
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

/** True for times, addresses, ids and numbered hosts; the name of a program stands before a colon. */
function holdsNumber(text: string): boolean {
  return (/\d/.test(text) && !/[a-z].*:\s*$/i.test(text)) || monthOrDay.test(text);
}

/** True for numbers, ids of hexadecimal digits, and signs that stand for none. */
function isNumber(text: string): boolean {
  const letters = text.replace(/[\da-f]{8,}|\W+|\d+/gi, "").length;
  return letters * 4 < text.replace(/\W+/g, "").length || /^\W+$/.test(text);
}
