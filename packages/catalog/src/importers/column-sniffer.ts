import type { ResourceColumn } from "../record/resource-record.ts";
import { cleanText } from "../schema/clean-text.ts";
import { widened, type ValueType } from "./value-type.ts";

interface Seen {
  type: ValueType;
  values: number;
  /** Number of values that are present but null. */
  nulls: number;
}

/** Infers columns from values. Columns are in order of first appearance. */
export interface ColumnSniffer {
  /** Counts a row. Cells are pairs of a name and a type, so no value is stored. */
  addRow(cells: Iterable<readonly [name: string, type: ValueType]>): void;
  columns(): ResourceColumn[];
  /** Returns the share of rows without a value, 0..1, for each column with missing values. */
  nullRate(): Record<string, number>;
  readonly rows: number;
  /** True if the rows had more than `maxColumns` columns. */
  readonly isCut: boolean;
}

/** Creates a sniffer that keeps up to `maxColumns` columns. */
export function createColumnSniffer(maxColumns: number): ColumnSniffer {
  const seen = new Map<string, Seen>();
  let rows = 0;
  let isCut = false;

  function addCell(name: string, type: ValueType): void {
    const known = seen.get(name);
    if (known !== undefined) {
      known.type = widened(known.type, type);
      known.values += 1;
      if (type === "null") known.nulls += 1;
    } else if (seen.size < maxColumns) {
      seen.set(name, { type, values: 1, nulls: type === "null" ? 1 : 0 });
    } else {
      isCut = true;
    }
  }
  const missing = ({ values, nulls }: Seen): number => rows - values + nulls;

  return {
    addRow(cells) {
      rows += 1;
      for (const [name, type] of cells) addCell(name, type);
    },
    columns() {
      return [...seen].map(([name, column]) => ({
        name: cleanText(name, 300) ?? "unnamed",
        type: column.type === "null" ? "string" : column.type,
        // Never reports `nn`. A sample without nulls does not prove that the column has none.
      }));
    },
    nullRate() {
      const gaps = [...seen].filter(([, column]) => missing(column) > 0);
      return Object.fromEntries(
        gaps.map(([name, column]) => [
          name,
          Math.round((missing(column) / Math.max(1, rows)) * 10_000) / 10_000,
        ]),
      );
    },
    get rows() {
      return rows;
    },
    get isCut() {
      return isCut;
    },
  };
}
