import {
  headerLabel,
  isTitle,
  type Layout,
  type Numbering,
  type Unit,
  type Units,
} from "./unit.ts";

/** Options of `renderUnits`. */
interface Rendering {
  /** The shortened text of the unit at a place. */
  textOf: (at: number) => string;
  /**
   * The prefix that the text of a line leaves out. It is written once, above the lines that share
   * it.
   */
  sourceAt?: ((at: number) => string) | undefined;
  /** Number of lines that a shown line represents, by its place. */
  counts: ReadonlyMap<number, number>;
  /** The first line. If absent, numbered lines are preceded by a line with their number. */
  title?: string | undefined;
  /** True to leave out the times of lines. */
  isBrief: boolean;
}

/**
 * Renders the units at these places in order, with their numbers or with marks for omissions
 * between them.
 */
export function renderUnits(
  places: readonly number[],
  layout: Layout,
  rendering: Rendering,
): string {
  const { units, style, noun } = layout;
  const isNumbered = style === "numbered" && noun === "lines";
  const title = rendering.title ?? (isNumbered ? legend(places.length, layout, rendering) : "");
  const lines = title === "" ? [] : [title];
  if (rendering.sourceAt !== undefined)
    return [...lines, ...groupBySource(places, layout, rendering)].join("\n");
  const rowsShown = countRows(places, units);
  let next = 1;
  let previous = -1;
  for (const at of places) {
    const unit = units.at(at);
    if (unit === undefined) continue;
    if (style === "gaps" && unit.from > next) {
      const isBlank = isBlankBetween(units, previous, at);
      lines.push(isBlank ? "" : gap(noun, next, unit.from - 1));
    }
    next = Math.max(next, unit.to + 1);
    previous = at;
    const members = unit.members === undefined ? "" : ` (${rowsShown.get(at) ?? 0} shown)`;
    const prefix = prefixOf(unit, style, rendering.counts.get(at));
    lines.push(`${prefix}${rendering.textOf(at)}${members}`);
  }
  const last = units.at(-1)?.to ?? 0;
  if (style === "gaps" && next <= last) lines.push(gap(noun, next, last));
  const unnamed = style === "table" ? last - countNamed(places, units) : 0;
  if (unnamed > 0) lines.push(`[... ${unnamed} more ${unnamed === 1 ? "row" : "rows"}]`);
  return lines.join("\n");
}

/** Groups lines by their source, which is written once above them. */
function groupBySource(
  places: readonly number[],
  { units, style }: Layout,
  { textOf, sourceAt = () => "", counts }: Rendering,
): string[] {
  const groups = new Map<string, { number: string; text: string }[]>();
  for (const at of places) {
    const unit = units.at(at);
    if (unit === undefined) continue;
    const source = sourceAt(at);
    const group = groups.get(source) ?? [];
    groups.set(source, group);
    group.push({ number: prefixOf(unit, style, counts.get(at)), text: textOf(at) });
  }
  return [...groups].flatMap(([source, lines]) =>
    source !== "" && lines.length > 1
      ? [source.trimEnd(), ...lines.map(({ number, text }) => ` ${number}${text}`)]
      : lines.map(({ number, text }) => `${number}${source}${text}`),
  );
}

function isBlankBetween(units: Units, before: number, after: number): boolean {
  for (let at = before + 1; at < after; at += 1) if (units.at(at)?.text.trim() !== "") return false;
  return true;
}

function legend(shown: number, layout: Layout, { isBrief }: Rendering): string {
  const { units, hasForms } = layout;
  const alike = hasForms ? "; xN: N lines like it" : "";
  const leads = shown < manyLines ? "" : leadsOf(layout);
  const places = isBrief && hasForms ? `; without what leads them${leads}` : "";
  return `[${shown} of ${units.at(-1)?.to ?? 0} lines, with their numbers${alike}${places}]`;
}

const longestLead = 40;
/**
 * Number of lines from which the first and last times are shown. With fewer, they would take the
 * space of a more useful line.
 */
const manyLines = 20;

/** Returns the text before the message in the first and the last line, such as their times. */
function leadsOf({ units, bodyOf }: Layout): string {
  const [from = "", to = ""] = [units.at(0), units.at(-1)].map((unit) => {
    const text = unit?.text.trim() ?? "";
    const body = bodyOf?.(text) ?? text;
    const message = text.indexOf(/^[\w.-]+/.exec(body)?.[0] ?? text);
    return text.slice(0, Math.min(message, longestLead)).trim();
  });
  return from === "" || to === "" ? "" : `, from "${from}" to "${to}"`;
}

function prefixOf(unit: Unit, style: Layout["style"], count = 1): string {
  if (style === "gaps") return "";
  if (unit.isHeader === true) return `${headerLabel}|`;
  if (unit.values !== undefined) return `${unit.from}|`;
  if (style === "table" || isTitle(unit)) return "";
  return `${unit.from}${count > 1 ? ` x${count}` : ""}: `;
}

/** Counts the shown rows of each table, by the place of its title. */
function countRows(places: readonly number[], units: Units): Map<number, number> {
  const shown = new Map<number, number>();
  for (const at of places) {
    const { values, head } = units.at(at) ?? {};
    const title = values === undefined || head === undefined ? undefined : units.at(head)?.head;
    if (title !== undefined) shown.set(title, (shown.get(title) ?? 0) + 1);
  }
  return shown;
}

/** Counts the shown rows and lines, plus all rows of tables whose titles state their number. */
function countNamed(places: readonly number[], units: Units): number {
  let count = 0;
  for (const at of places) {
    const unit = units.at(at);
    if (unit?.members !== undefined) count += unit.members;
    else if (unit?.values === undefined && unit?.isHeader !== true) count += 1;
  }
  return count;
}

function gap(noun: Numbering, from: number, to: number): string {
  return from === to ? `[... ${noun.slice(0, -1)} ${from}]` : `[... ${noun} ${from}-${to}]`;
}
