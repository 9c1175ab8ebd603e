/** How runners name a test that failed, one a line. Only formats in which the name can't be taken for something else. */
const PATTERNS: readonly RegExp[] = [
  // TAP; a test that is to be done or was skipped counts as passed there.
  /^[ \t]{0,64}not ok \d{1,9} (?:- )?(?![^\n]{0,500}# (?:TODO|SKIP))([^\n]{1,500})$/gm,
  // pytest, in its summary
  /^FAILED (\S[^\n]{0,500}?)(?: - [^\n]*)?$/gm,
  // go test
  /^[ \t]{0,64}--- FAIL: (\S{1,500})/gm,
  // cargo test
  /^test (\S[^\n]{0,500}) \.\.\. FAILED$/gm,
  // vitest and jest, in their reports of what failed
  /^[ \t]{0,8}(?:FAIL {1,4}|● )(\S[^\n]{0,500})$/gm,
];

// eslint-disable-next-line no-control-regex -- colours of a terminal begin with this character
const COLOURS = /\u001B\[[\d;]{0,20}m/g;

/** The tests that an output says have failed; without times, which differ from run to run. */
export function failingTests(output: string): Set<string> {
  const text = output.replace(COLOURS, "");
  const names = PATTERNS.flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => match[1] ?? ""),
  );
  return new Set(names.map(withoutTime).filter((name) => name !== ""));
}

function withoutTime(name: string): string {
  return name.replace(/[ \t]*\(?\d+(?:\.\d+)? ?m?s\)?[ \t\r]*$/, "").trim();
}
