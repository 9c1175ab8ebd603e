import { rowsOf, rulesOf } from "@ccl/catalog";
import { inputsOf } from "../plan/logical-plan.ts";
import type { TypedScan, TypedStep } from "../plan/typed-plan.ts";
import { quotedName } from "../plan/nearest-name.ts";
import { type Report } from "./check-context.ts";

/** Checks each scan against its resource's anti-patterns. Known rules are errors. Any other text is a warning. */
export function checkAntiPatterns(steps: readonly TypedStep[], report: Report): void {
  for (const [index, scan] of steps.entries()) {
    if (scan.op !== "scan") continue;
    for (const text of scan.resource.usage?.anti_patterns ?? [])
      checkText(steps, scan, text, (code, path, message) =>
        report(code, ["steps", index, ...path], `${quotedName(scan.resource.id)} ${message}`),
      );
  }
}

function checkText(
  steps: readonly TypedStep[],
  scan: TypedScan,
  text: string,
  report: Report,
): void {
  const { shape, columns = [] } = scan.resource;
  const isPassed = (test: Test): boolean => isOnEveryPath(steps, scan, test);
  let isKnown = false;
  for (const { rule, rows: bound = 0 } of rulesOf([text])) {
    isKnown ||= rule === "select_star" || rule === "missing_limit" || rule === "missing_where";
    const rows = rowsOf(shape?.rows_est) ?? 0;
    const isNarrow = scan.columns.length < columns.length;
    if (rule === "select_star" && !isNarrow && !isPassed(narrows))
      report("select_star", [], "forbids select *: name the columns of the scan, or project.");
    else if (rule === "missing_limit" && rows > bound && !isPassed(bounds))
      report(
        "limit_missing",
        [],
        `has about ${rows} rows, more than ${bound}: add a limit or an aggregate.`,
      );
    else if (rule === "missing_where" && !isPassed(({ op }) => op === "filter"))
      report("filter_missing", [], "forbids scans without a filter.");
  }
  if (!isKnown) report("anti_pattern", [], `warns against: ${JSON.stringify(text.slice(0, 200))}.`);
}

type Test = (step: TypedStep, reached: ReadonlySet<string>) => boolean;

/** True if the step returns no row of the scan, only whether there is one. */
const isHalf: Test = (step, reached) =>
  step.op === "join" && (step.kind === "semi" || step.kind === "anti") && !reached.has(step.left);

const narrows: Test = (step, reached) =>
  step.op === "project" || step.op === "aggregate" || isHalf(step, reached);

const bounds: Test = (step, reached) =>
  step.op === "limit" || step.op === "aggregate" || isHalf(step, reached);

/** True if every path from the scan to the result has a step that meets the test. */
function isOnEveryPath(steps: readonly TypedStep[], scan: TypedScan, test: Test): boolean {
  const reached = new Set([scan.name]);
  const open = new Set([scan.name]);
  for (const step of steps) {
    const inputs = inputsOf(step);
    if (inputs.some((name) => reached.has(name))) reached.add(step.name);
    if (inputs.some((name) => open.has(name)) && !test(step, reached)) open.add(step.name);
  }
  return !open.has(steps.at(-1)?.name ?? "");
}
