/** Failed-test lines of test runners. Only formats in which the name is unambiguous. */
const TESTS: readonly RegExp[] = [
  // TAP. A TODO or skipped test counts as passed.
  /^[ \t]{0,64}not ok \d{1,9} (?:- )?(?![^\n]{0,500}# (?:TODO|SKIP))([^\n]{1,500})$/gm,
  // pytest's summary
  /^(?:FAILED|ERROR) (\S[^\n]{0,500}?)(?: - [^\n]*)?$/gm,
  // go test
  /^[ \t]{0,64}--- FAIL: (\S{1,500})/gm,
  // cargo test
  /^test (\S[^\n]{0,500}) \.\.\. FAILED$/gm,
  // node:test, including the test's duration
  /^ *✖ (\S[^\n]{0,500}ms\))$/gm,
  // vitest and jest failure reports
  /^[ \t]{0,8}(?:FAIL {1,4}|● )(\S[^\n]{0,500})$/gm,
];

const PATH = String.raw`(?:[A-Za-z]:[\\/])?[\w@~+.\\/()[\]-]{1,300}`;
/** A location as compilers print it: `path:line:column`, `path:line` or `path(line,column)`. */
const PLACE = String.raw`(${PATH}?)(?::\d{1,7}(?::\d{1,7})?|\(\d{1,7}(?:,\d{1,7})?\))`;

/** A finding on one line: location, then text. */
const ON_ONE_LINE = new RegExp(`^[ \\t]{0,8}${PLACE}(?::| -)? +(\\S.{0,1000})$`);
/** A location on its own line, below its finding (rustc, ruff, oxlint) or above it (biome). */
const PLACE_ALONE = new RegExp(
  String.raw`^[ \t]{0,8}(?:-->|╭─\[|,-\[) ?${PLACE}\]?|^${PLACE} (lint|assist|parse|format|suppressions|syntax)\S{0,200} `,
);
/** A finding listed under its file name, in eslint's default format. */
const BELOW_FILE = /^ {1,4}\d{1,7}:\d{1,7} {1,4}error {1,9}(\S.{0,1000})$/;
const FILE_ALONE = new RegExp(`^(${PATH})$`);
/** Findings that do not fail a check. */
const HARMLESS =
  /^(?:note|info|hint|help|warning|warn|remark)\b|^W\d|^In (?:file|function)|^from /i;
/** The start of a finding, followed by its location. */
const HEAD = /^(?:(?:error|×|✖|x|!|⚠)\S* ?(?=\S)|[A-Z]{1,5}\d{2,5} )\s*(.{1,1000})$/;

// eslint-disable-next-line no-control-regex -- terminal colour codes begin with this character
const COLOURS = /\u001B\[[\d;]{0,20}m/g;

/**
 * Counts findings in output: failed tests by name, compiler and linter findings by file and text. Ignores line numbers,
 * other numbers and times, since they differ between runs.
 */
export function findingsOf(output: string): Map<string, number> {
  const text = output.replace(COLOURS, "").replaceAll("\r\n", "\n");
  const found = new Map<string, number>();
  const add = (key: string): void => void found.set(key, (found.get(key) ?? 0) + 1);
  // Runners may list a failed test several times.
  const tests = TESTS.flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => withoutTime(match[1] ?? "")),
  );
  for (const name of new Set(tests)) if (name !== "") found.set(name, 1);
  for (const finding of placedFindings(text.split("\n"))) add(finding);
  return found;
}

/** Returns findings that occur more often than before. If several are new, each entry shows how many. */
export function newFindings(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): string[] {
  return [...after].flatMap(([key, count]) => {
    const added = count - (before.get(key) ?? 0);
    return added > 0 ? [added > 1 ? `${key} (${added} times)` : key] : [];
  });
}

function* placedFindings(lines: readonly string[]): Generator<string> {
  let file: string | undefined;
  let head: string | undefined;
  for (const [index, line] of lines.entries()) {
    const [, placeBelow, placeAbove, category] = PLACE_ALONE.exec(line) ?? [];
    const below = BELOW_FILE.exec(line)?.[1];
    if (placeAbove !== undefined) {
      const text = lines.slice(index + 1, index + 4).find((next) => /^\s*[×✖] /.test(next));
      if (text !== undefined) yield keyOf(placeAbove, `${category} ${text.replace(/^\s*\S /, "")}`);
    } else if (placeBelow !== undefined) {
      if (head !== undefined) yield keyOf(placeBelow, head);
      head = undefined;
    } else if (below !== undefined) {
      if (file !== undefined) yield keyOf(file, below);
    } else {
      const [, path, said] = ON_ONE_LINE.exec(line) ?? [];
      if (path !== undefined && said !== undefined && isFinding(path, said))
        yield keyOf(path, said);
      head = headOf(line) ?? (line.trim() === "" ? undefined : head);
      file = FILE_ALONE.exec(line)?.[1] ?? (line.trim() === "" ? undefined : file);
    }
  }
}

function isFinding(path: string, said: string): boolean {
  return /[./\\]/.test(path) && !/^\d|^(?:at|node:)/.test(path) && !HARMLESS.test(said);
}

function headOf(line: string): string | undefined {
  const bare = line.trim();
  return HARMLESS.test(bare) || bare.startsWith("⚠") ? undefined : HEAD.exec(bare)?.[0];
}

function keyOf(path: string, said: string): string {
  return `${path}: ${said.replace(/\d+/g, "#").replace(/\s+/g, " ").trim()}`;
}

function withoutTime(name: string): string {
  return name.replace(/[ \t]*\(?\d+(?:\.\d+)? ?m?s\)?[ \t\r]*$/, "").trim();
}
