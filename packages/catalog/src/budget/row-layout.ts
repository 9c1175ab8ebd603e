import type { TokenCounter } from "@ccl/core";

import type { OverviewRow } from "./overview-row.ts";

/** Rows rendered under one header. */
export interface RenderedRows {
  text: string;
  /** In row order. Aliases are `1`, `2`, ... */
  overview: { id: string; alias: string }[];
}

interface Group {
  key: string;
  heading: string;
  kind: string;
  rows: { row: OverviewRow; isLong: boolean }[];
}

/**
 * Lays out rows in rank order, grouped by container. A group is placed where its best row ranks. A line that
 * starts with a number is a row, and one that starts with `#` is the header or a heading. Text from a record
 * cannot start a line.
 */
export class RowLayout {
  readonly #counter: TokenCounter;
  readonly #kind: string;
  readonly #groups = new Map<string, Group>();
  readonly #rows: { group: Group; isLong: boolean; row: OverviewRow }[] = [];
  /** An estimate, because lines are counted separately. */
  tokens = 0;

  constructor(counter: TokenCounter, kind: string) {
    this.#counter = counter;
    this.#kind = kind;
  }

  get size(): number {
    return this.#rows.length;
  }

  /**
   * Adds the next row in rank order, in short form, if it costs no more than `left`. Rows are grouped by container
   * within each part.
   */
  add(row: OverviewRow, left: number, part: "best" | "others" = "best"): boolean {
    const { kind, container: heading } = row;
    const key = JSON.stringify([part, kind, heading]);
    const group = this.#groups.get(key) ?? { key, heading, kind, rows: [] };
    const entry = { group, isLong: false, row };
    const cost = this.#push(group, entry);
    if (cost > left) {
      group.rows.pop();
      return false;
    }
    this.#groups.set(key, group);
    this.#rows.push(entry);
    this.tokens += cost;
    return true;
  }

  /** Lengthens the row at a rank if that costs no more than `left`. */
  lengthen(rank: number, left: number): boolean {
    const entry = this.#rows[rank];
    if (entry === undefined || entry.isLong || entry.row.tail === "") return true;
    const short = this.#lineCost(entry.group, entry);
    entry.isLong = true;
    const cost = this.#lineCost(entry.group, entry) - short;
    if (cost <= left) {
      this.tokens += cost;
      return true;
    }
    entry.isLong = false;
    return false;
  }

  /** Shortens the last long row, or removes the last row if all are short. */
  reduce(): void {
    const long = this.#rows.findLast(({ isLong }) => isLong);
    if (long === undefined) {
      this.#removeLast();
      return;
    }
    const before = this.#lineCost(long.group, long);
    long.isLong = false;
    this.tokens += this.#lineCost(long.group, long) - before;
  }

  #removeLast(): void {
    const entry = this.#rows.pop();
    if (entry === undefined) return;
    const { group } = entry;
    group.rows.pop();
    this.tokens -= this.#push(group, entry);
    group.rows.pop();
    if (group.rows.length === 0) this.#groups.delete(group.key);
  }

  /** Renders the rows. The header states `total`, the number of all candidates. */
  render(total: number): RenderedRows {
    const overview: { id: string; alias: string }[] = [];
    const lines = [headerLine(this.#rows.length, total, this.#kind)];
    let isUnder = false;
    for (const group of this.#groups.values()) {
      // A blank line ends the scope of a heading. Next to a line break it costs no token in the usual encodings.
      if (hasHeading(group)) lines.push(this.#headingOf(group));
      else if (isUnder) lines.push("");
      isUnder = hasHeading(group);
      for (const entry of group.rows) {
        const alias = String(overview.length + 1);
        overview.push({ id: entry.row.id, alias });
        lines.push(`${alias} ${this.#lineOf(group, entry)}`);
      }
    }
    return { text: `${lines.join("\n")}\n`, overview };
  }

  /** Adds a row to its group and returns the cost. The second row adds the heading, which also changes the first. */
  #push(group: Group, entry: Group["rows"][number]): number {
    const isSmall = group.rows.length < 2;
    const before = isSmall ? this.#costOf(group) : 0;
    group.rows.push(entry);
    return isSmall ? this.#costOf(group) - before : this.#lineCost(group, entry);
  }

  #costOf(group: Group): number {
    const lines = group.rows.map((entry) => this.#lineCost(group, entry));
    const heading = hasHeading(group) ? this.#counter.count(`${this.#headingOf(group)}\n`) : 0;
    return lines.reduce((sum, cost) => sum + cost, heading);
  }

  #lineCost(group: Group, entry: { row: OverviewRow; isLong: boolean }): number {
    return this.#counter.count(`1 ${this.#lineOf(group, entry)}\n`);
  }

  #lineOf(group: Group, { row, isLong }: { row: OverviewRow; isLong: boolean }): string {
    const isUnder = hasHeading(group);
    const name = isUnder ? row.name : row.fullName;
    const kind = isUnder || row.kind === this.#kind ? "" : ` (${row.kind})`;
    return name + kind + (isLong ? row.tail : "");
  }

  #headingOf({ heading, kind }: Group): string {
    return kind === this.#kind ? `# ${heading}` : `# ${heading} (${kind})`;
  }
}

function hasHeading({ heading, rows }: Group): boolean {
  return heading !== "" && rows.length > 1;
}

/** Returns the line above the rows. */
export function headerLine(shown: number, total: number, kind: string): string {
  const extent = shown === total ? `${shown}` : `${shown} of ${total}`;
  const kinds = kind === "" ? "" : `, ${kind} unless said`;
  return `# resources: ${extent}, best first${kinds}. Row: alias name: fields - about`;
}
