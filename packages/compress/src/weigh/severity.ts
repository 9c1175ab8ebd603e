const grave =
  /\b(?:fatal|panic(?:ked)?|traceback|segfault|segmentation fault|core dumped|assert(?:ion)?(?:error| failed)|critical|emerg(?:ency)?|corrupt\w*|mismatch|unreachable|vulnerab\w*|CVE-\d+|urgent|undefined reference|break-in)\b|\bFAIL(?:ED|URE)?\b|[✗✘×✕✖] |Exception(?:s\.\w+)?\b/i;
const plain =
  /\b(?:errors?|err|errno|fail(?:s|ed|ing|ures?)?|invalid|denied|refused|forbidden|unauthori[sz]ed|illegal|abort(?:ed|ing)?|timed? ?out|timeout|cannot|can't|couldn't|could not|unable|not found|no such|lost|unexpected|killed|rejected|missing|unknown|bad|wrong|suspended|blocked|broken|damaged?|conflict)\b|Error\b|" 5\d\d /i;
const warning = /\b(?:warn(?:ing)?s?|deprecated|retry\w*|retrie[ds]|slow|degraded)\b/i;
/** Matches a level below a warning. A retried failure at this level is harmless. */
const routine = /\b(?:INFO|DEBUG|TRACE|info|debug|trace)\b/;
/**
 * Matches statements that there are no errors. In `task 1.0 ERROR in stage` the number does not
 * count the error.
 */
const none =
  /\b(?:no|without) (?:errors?|failures?|failed|warnings?|problems)\b|(?<![\d.])\b0 (?:(?:errors|failures|failed|warnings|problems)\b|(?:error|warning)\(s\))|\b(?:errors|failures|failed|warnings)["']?\s*[:=]\s*["']?(?:0|none|null|false)\b|\b(?:error|failure|warning)["']?\s*[:=]\s*["']?(?:0|none|null|false)(?=["']?\s*(?:[,;)}\]|]|$))/gi;

/**
 * Returns how severe a failure the text reports: 3 grave, 2 an error, 1 a warning, 0 none. Reads
 * the first 600 characters.
 */
export function severityOf(text: string): 0 | 1 | 2 | 3 {
  const read = text.length > 600 ? text.slice(0, 600) : text;
  if (!any.test(read)) return 0;
  const claims = none.test(read) ? read.replace(none, "") : read;
  none.lastIndex = 0;
  if (grave.test(claims)) return 3;
  if (plain.test(claims)) return 2;
  return warning.test(claims) && !routine.test(claims) ? 1 : 0;
}

/** Matches any of the words. Text without them is scanned only once. */
const any = new RegExp([grave, plain, warning].map(({ source }) => source).join("|"), "i");

/**
 * Returns the offset at or after `from` where the text may report a failure. -1 if there is none.
 */
export function reportAt(text: string, from: number): number {
  anyFrom.lastIndex = from;
  return anyFrom.exec(text)?.index ?? -1;
}

const anyFrom = new RegExp(any, "gi");

/** Returns the offset where the words of an error begin. -1 if there are none. */
export function errorAt(text: string): number {
  const found = [grave, plain].map((words) => text.search(words)).find((at) => at >= 0);
  return found ?? -1;
}
