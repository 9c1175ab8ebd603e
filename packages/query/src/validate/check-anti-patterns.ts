import { rowsOf, rulesOf } from "@ccl/catalog";
import { inputsOf } from "../plan/logical-plan.ts";
import type { TypedScan, TypedStep } from "../plan/typed-plan.ts";
import { quotedName } from "../plan/nearest-name.ts";
import { type Report } from "./check-context.ts";

/** What a scan's rows pass through on the way to the result. */
interface ScanPath {
  scan: TypedScan;
  index: number;
  /** True if every path reduces the columns, by a scan with columns, a project or an aggregate. */
  isNarrowed: boolean;
  isFiltered: boolean;
  /** True if every path has a limit or an aggregate. */
  isBounded: boolean;
}

/** Checks each scan against its resource's anti-patterns. Known rules are errors. Any other text is a warning. */
export function checkAntiPatterns(steps: readonly TypedStep[], report: Report): void {
  for (const [index, scan] of steps.entries()) {
    if (scan.op !== "scan") continue;
    const path: ScanPath = { scan, index, ...tracePaths(scan, steps) };
    for (const text of scan.resource.usage?.anti_patterns ?? []) checkText(path, text, report);
  }
}

function checkText(path: ScanPath, text: string, report: Report): void {
  const { index, isNarrowed, isFiltered, isBounded } = path;
  const { id, shape } = path.scan.resource;
  const place = ["steps", index];
  let isKnown = false;
  for (const { rule, rows: bound = 0 } of rulesOf([text])) {
    isKnown ||= rule === "select_star" || rule === "missing_limit" || rule === "missing_where";
    const rows = rowsOf(shape?.rows_est) ?? 0;
    if (rule === "select_star" && !isNarrowed) {
      const message = `${quotedName(id)} forbids select *: name the columns of the scan, or project.`;
      report("select_star", place, message);
    } else if (rule === "missing_limit" && !isBounded && rows > bound) {
      const message = `${quotedName(id)} has about ${rows} rows, more than ${bound}: add a limit or an aggregate.`;
      report("limit_missing", place, message);
    } else if (rule === "missing_where" && !isFiltered)
      report("filter_missing", place, `${quotedName(id)} forbids scans without a filter.`);
  }
  if (isKnown) return;
  const message = `${quotedName(id)} warns against: ${JSON.stringify(text.slice(0, 200))}.`;
  report("anti_pattern", place, message);
}

/** Follows the steps from the scan to the result. A scan with several paths counts as bounded only if all are. */
function tracePaths(
  scan: TypedScan,
  steps: readonly TypedStep[],
): Omit<ScanPath, "scan" | "index"> {
  const states = new Map([
    [scan.name, { isNarrowed: isNarrow(scan), isFiltered: false, isBounded: false }],
  ]);
  for (const step of steps.slice(steps.indexOf(scan) + 1)) {
    const before = inputsOf(step).flatMap((name) => states.get(name) ?? []);
    if (before.length === 0) continue;
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

/** True if the scan names fewer columns than its resource shows. */
function isNarrow({ columns, resource }: TypedScan): boolean {
  return columns.length < (resource.columns?.length ?? 0);
}
