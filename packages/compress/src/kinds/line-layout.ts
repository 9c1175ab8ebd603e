import { type Layout, noClaim, type Unit } from "../unit.ts";
import type { ContentKind } from "./identify.ts";
import { leadingColumns, sampleLines, sourceFinder } from "./leading-columns.ts";
import { stripTerminalCodes } from "./strip-terminal-codes.ts";

/** Rules for how lines of a kind are weighed, and which are heads. */
interface LineRules {
  style: Layout["style"];
  context: number;
  hasForms: boolean;
  /** The depth of a head line, without which the lines below cannot be understood. Undefined for other lines. */
  headDepth?: (line: string) => number | undefined;
  /** True if the head of a line is the nearest line above with less indentation. */
  isIndented?: boolean;
  weigh?: (line: string, previous: string) => number;
  hasValues?: boolean;
  maskOf?: Layout["maskOf"];
  claimOf?: Layout["claimOf"];
}

const heading = /^(#{1,6}) /;
const declaration =
  /^(?:\s{0,4}(?:export |public |private |protected |static |async |pub |def |class |interface |type |enum |struct |impl |trait |fn |func |function |module |namespace )|[\w$]+ ?[=(:])/;

/**
 * Returns the part of prose that may report an error. Sentences may mention errors that did not
 * happen, so only a line that begins with the name of an error counts.
 */
function claimOfProse(line: string): string {
  if (line.length < 40) return line;
  const words = line.split(/\s+/, 30);
  const plain = words.filter((word) => /^[a-z]{1,20}[.,;]?$/.test(word)).length;
  const isReport = /^\W*(?:\w+[ .])?\w*(?:error|exception|fatal|panic|fail(?:ed|ure)?|warning)\b/i;
  return words.length >= 8 && plain > 0.7 * words.length && !isReport.test(line) ? "" : line;
}

const numbered: LineRules = { style: "numbered", context: 0, hasForms: false };
const prose: LineRules = {
  style: "gaps",
  context: 2,
  hasForms: false,
  headDepth: (line) => heading.exec(line)?.[1]?.length,
  weigh: (line, previous) => (heading.test(line) ? 0.9 : previous.trim() === "" ? 0.3 : 0.1),
  claimOf: claimOfProse,
};

const rulesOf: Partial<Record<ContentKind, LineRules>> = {
  log: { ...numbered, context: 3, hasForms: true, hasValues: true },
  tests: {
    ...numbered,
    context: 4,
    hasForms: true,
    // Section titles of pytest and cargo. Only they name the failing test.
    headDepth: (line) =>
      /^={3,} .* ={3,}$/.test(line)
        ? 1
        : /^(?:_{3,} .* _{3,}|-{4} .* -{4})$/.test(line)
          ? 2
          : undefined,
    weigh: (line) => (failure.test(line) ? 1.5 : compared.test(line) ? 0.8 : 0.1),
  },
  build: {
    ...numbered,
    context: 2,
    hasForms: true,
    headDepth: (line) => (line.length < 400 && /^(?:\/|\w:\\)[^\s:]+$/.test(line) ? 1 : undefined),
  },
  listing: {
    ...numbered,
    hasForms: true,
    hasValues: true,
    headDepth: (line) => (/^\S.*:$/.test(line) ? 1 : undefined),
    maskOf: maskOfEntry,
    claimOf: noClaim,
  },
  matches: {
    ...numbered,
    hasForms: true,
    // Groups hits by file. The context lines of `grep -C` belong to no group.
    maskOf: (line) => hitFile.exec(line)?.[1] ?? (/^\d+:/.test(line) ? line : ""),
    weigh: (line) => (line === "--" || line.endsWith("-") ? 0 : 0.1),
    claimOf: (line) => line.slice(place.exec(line)?.[0].length ?? 0),
    headDepth: (line) =>
      line.length < 400 && /^(?!\d+[:-])[^\s:]*[./][^\s:]*$/.test(line) ? 1 : undefined,
  },
  history: {
    ...numbered,
    headDepth: (line) => (line.startsWith("commit ") ? 1 : undefined),
    weigh: (line, previous) => (/^ {4}\S/.test(line) && previous === "" ? 0.6 : 0.1),
    claimOf: noClaim,
  },
  diff: {
    style: "gaps",
    context: 2,
    hasForms: false,
    headDepth: (line) =>
      /^(?:diff --git |Index: )/.test(line) ? 1 : line.startsWith("@@ ") ? 2 : undefined,
    // Prefers the first line of each change, so that all hunks are shown before any is shown whole.
    weigh: (line, previous) =>
      /^(?:index |--- |\+\+\+ |similarity |new file|deleted file)/.test(line)
        ? 0.05
        : /^[+-]/.test(line)
          ? previous.startsWith(line.charAt(0))
            ? 0.9
            : 1.2
          : 0.1,
    claimOf: noClaim,
  },
  yaml: {
    style: "gaps",
    context: 1,
    hasForms: false,
    isIndented: true,
    weigh: (line) => (/^\S/.test(line) ? 0.5 : 0.1),
    claimOf: (line) => line.slice(/: |$/.exec(line)?.index),
  },
  code: {
    style: "numbered",
    context: 3,
    hasForms: false,
    isIndented: true,
    weigh: (line) => (declaration.test(line) ? 0.7 : line.trim() === "" ? 0 : 0.1),
    claimOf: noClaim,
  },
};

/** Matches a line that names a failed test or states its result. */
const failure = /^E {3,}\S|^\s*(?:[×✕✖✗✘→●] |FAIL\b|FAILED\b|not ok |--- FAIL: |> )/;
/** Matches one side of a comparison. */
const compared =
  /^\s*(?:[-+] |(?:expected|received|actual|left|right|got|want|error)["']?\s*[:=])/i;

/** Matches the part of a line before the text of a hit or its context. */
const place = /^(?:(?:[A-Za-z]:)?[^\s:]*?[:-])?\d+[:-]/;
const hitFile = /^((?:[A-Za-z]:)?[^\s:]+):\d+:/;

/** Returns the same mask for files of the same folder and type, and another one for all commits. */
function maskOfEntry(line: string): string | undefined {
  if (/^[0-9a-f]{7,40} /.test(line)) return "commit";
  return /\s/.test(line) ? undefined : line.replace(/[^/]*?(\.\w{1,8})?(?::\d+)?$/, "*$1");
}

/** Matches the package names before a class name. */
const packages = /\b(?:[a-z][\w$]*\.){2,}(?=[A-Z])/g;

function withoutPackages(line: string): string {
  const message = line.indexOf(": ") + 1;
  return line.slice(0, message).replace(packages, "") + line.slice(message);
}

/**
 * Splits content into lines as units. Repeated blank lines, and lines equal to the one above, are
 * merged into one unit.
 */
export function lineLayout(text: string, kind: ContentKind, firstLine = 1): Layout {
  const rules = rulesOf[kind] ?? prose;
  const plain = asShown(stripTerminalCodes(text));
  const units: (Unit & { text: string })[] = [];
  const heads: number[] = [];
  const depths: number[] = [];
  let previous = "";
  let number = firstLine - 1;
  let repeats = 1;
  for (const rawLine of plain.trimEnd().split("\n")) {
    const line = rawLine.trimEnd();
    number += 1;
    const isBlank = line === "" && (previous === "" || rules.style === "numbered");
    const isRepeat = line === previous && line.length > 3;
    const last = units.at(-1);
    if (last !== undefined && (isBlank || isRepeat)) {
      repeats = isRepeat ? repeats + 1 : 1;
      last.to = number;
      if (repeats > 1) last.text = `${line} [x${repeats}]`;
      previous = line;
      continue;
    }
    repeats = 1;
    const depth =
      rules.headDepth?.(line) ??
      (rules.isIndented === true && line !== ""
        ? line.length - line.trimStart().length
        : undefined);
    if (depth !== undefined)
      while ((depths.at(-1) ?? -1) >= depth) {
        depths.pop();
        heads.pop();
      }
    const weight = rules.weigh?.(line, previous) ?? 0.1;
    units.push({ text: line, from: number, to: number, head: heads.at(-1), weight });
    if (depth !== undefined) {
      depths.push(depth);
      heads.push(units.length - 1);
    }
    previous = line;
  }
  const sample = kind === "log" ? sampleLines(plain) : [];
  const bodyOf = kind === "log" ? leadingColumns(sample) : undefined;
  const briefOf =
    bodyOf === undefined ? undefined : (line: string) => withoutPackages(bodyOf(line));
  return {
    units,
    style: rules.style,
    noun: "lines",
    context: rules.context,
    hasForms: rules.hasForms,
    hasValues: rules.hasValues,
    maskOf: rules.maskOf,
    claimOf: rules.claimOf,
    bodyOf,
    briefOf: kind === "history" ? withShortHash : briefOf,
    sourceOf: briefOf === undefined ? undefined : sourceFinder(sample.map(briefOf)),
  };
}

function withShortHash(line: string): string {
  return line.replace(/^(commit [0-9a-f]{12})[0-9a-f]+/, "$1");
}

/**
 * Returns the lines as a terminal shows them, after carriage returns have overwritten their
 * beginnings.
 */
function asShown(text: string): string {
  if (!/\r(?!\n|$)/.test(text)) return text;
  const lines = text.split("\n").map((line) => line.trimEnd());
  return lines.map((line) => line.slice(line.lastIndexOf("\r") + 1)).join("\n");
}
