import { typedInputsOf, type TypedScan, type TypedStep } from "../plan/typed-plan.ts";
import { quotedName, type Report } from "./check-context.ts";

/** What the rows of a scan pass on their way to the result. */
interface ScanWay {
  scan: TypedScan;
  index: number;
  /** Every path narrows the columns: a scan with columns, a project, an aggregate. */
  isNarrowed: boolean;
  isFiltered: boolean;
  /** Every path has a limit or an aggregate. */
  isBounded: boolean;
}

/** A rule for a known free text of a catalog, with its wording in both languages of the documents. */
interface AntiPatternRule {
  pattern: RegExp;
  check(way: ScanWay, match: RegExpExecArray, report: Report): void;
}

const noun = String.raw`(?:an?\s+|any\s+)?`;
const rules: readonly AntiPatternRule[] = [
  {
    pattern: /\bselect\s*\*|\ball columns\b|все колонки/i,
    check({ scan, index, isNarrowed }, _, report) {
      if (isNarrowed) return;
      report(
        "select_star",
        ["steps", index],
        `${quotedName(scan.resource.id)} forbids select *: name the columns of the scan, or project.`,
      );
    },
  },
  {
    pattern: new RegExp(
      String.raw`(?:\b(?:without|no)\s+${noun}limit\b|без\s+лимита)(?:[^\d]{0,20}([\d.]+(?:e\d+)?[km]?))?`,
      "i",
    ),
    check({ scan, index, isBounded }, match, report) {
      const bound = rowCount(match[1]) ?? 0;
      const rows = rowCount(scan.resource.shape?.rows_est) ?? 0;
      if (isBounded || rows <= bound) return;
      const message = `${quotedName(scan.resource.id)} has about ${rows} rows, more than ${bound}: add a limit or an aggregate.`;
      report("limit_missing", ["steps", index], message);
    },
  },
  {
    pattern: new RegExp(
      String.raw`\b(?:without|no)\s+${noun}(?:filter|where)\b|\bfull\s+(?:table\s+)?scan\b|без\s+(?:фильтра|where)`,
      "i",
    ),
    check({ scan, index, isFiltered }, _, report) {
      if (isFiltered) return;
      report(
        "filter_missing",
        ["steps", index],
        `${quotedName(scan.resource.id)} forbids scans without a filter.`,
      );
    },
  },
];

/** Checks each scan against the anti-patterns of its resource. Known rules are errors, other text is a warning. */
export function checkAntiPatterns(steps: readonly TypedStep[], report: Report): void {
  const byName = new Map(steps.map((step) => [step.name, step]));
  for (const [index, scan] of steps.entries()) {
    if (scan.op !== "scan") continue;
    const way: ScanWay = { scan, index, ...wayOf(scan, steps, byName) };
    for (const text of scan.resource.usage?.anti_patterns ?? []) checkText(way, text, report);
  }
}

function checkText(way: ScanWay, text: string, report: Report): void {
  const bounded = text.slice(0, 500);
  const found = rules.flatMap((rule) => {
    const match = rule.pattern.exec(bounded);
    return match === null ? [] : [{ rule, match }];
  });
  for (const { rule, match } of found) rule.check(way, match, report);
  if (found.length > 0) return;
  const message = `${quotedName(way.scan.resource.id)} warns against: ${JSON.stringify(bounded.slice(0, 200))}.`;
  report("anti_pattern", ["steps", way.index], message);
}

/** A count as catalogs write it: 1000000, "1e6", "1M", "~1200". */
export function rowCount(value: string | number | undefined): number | undefined {
  const [, digits, suffix = ""] =
    /^~?\s*([\d.]+(?:e\+?\d+)?)([km]?)$/i.exec(String(value).trim()) ?? [];
  const factor = { k: 1_000, m: 1_000_000 }[suffix.toLowerCase()] ?? 1;
  const count = Number(digits) * factor;
  return Number.isFinite(count) ? count : undefined;
}

/** Follows the steps from the scan to the result. A scan with several paths counts as bounded only if all are. */
function wayOf(
  scan: TypedScan,
  steps: readonly TypedStep[],
  byName: ReadonlyMap<string, TypedStep>,
): Omit<ScanWay, "scan" | "index"> {
  const states = new Map([
    [scan.name, { isNarrowed: isNarrow(scan), isFiltered: false, isBounded: false }],
  ]);
  for (const step of steps.slice(steps.indexOf(scan) + 1)) {
    const before = typedInputsOf(step).flatMap((name) => states.get(name) ?? []);
    if (before.length === 0 || !byName.has(step.name)) continue;
    const isHalf =
      step.op === "join" &&
      (step.kind === "semi" || step.kind === "anti") &&
      !states.has(step.left);
    states.set(step.name, {
      isNarrowed:
        before.every((state) => state.isNarrowed) ||
        step.op === "project" ||
        step.op === "aggregate" ||
        isHalf,
      isFiltered: before.every((state) => state.isFiltered) || step.op === "filter",
      isBounded:
        before.every((state) => state.isBounded) ||
        step.op === "limit" ||
        step.op === "aggregate" ||
        isHalf,
    });
  }
  return (
    states.get(steps.at(-1)?.name ?? "") ?? { isNarrowed: true, isFiltered: true, isBounded: true }
  );
}

/** True for a scan that names fewer columns than its resource shows. */
function isNarrow({ columns, resource }: TypedScan): boolean {
  return columns.length < (resource.columns?.length ?? 0);
}
