import { arrayAt, isRecord, recordAt, type JsonRecord, withoutUndefined } from "@ccl/core/json";
import { failure, success, type Result } from "@ccl/core";
import type { ResourceColumn } from "../record/resource-record.ts";
import { cleanText } from "../schema/clean-text.ts";
import { textField } from "../schema/text-field.ts";
import type { FileSchema } from "./sniff-file.ts";

/** Reads the footer of a Parquet file, as hyparquet's `parquetMetadata` does. */
export type ParquetMetadataReader = (file: ArrayBuffer) => {
  num_rows: bigint;
  schema: object[];
  row_groups: object[];
};

/** Reads columns, types, row count and null rates from the footer of a Parquet file. */
export function readParquetFile(
  { name, bytes }: { name: string; bytes: Uint8Array },
  reader: ParquetMetadataReader | undefined,
): Result<FileSchema> {
  const file = JSON.stringify(name.slice(0, 200));
  if (reader === undefined) {
    const message = `${file} is a Parquet file: pass parquetMetadata, such as that of the package hyparquet.`;
    return failure({ code: "parquet_reader_missing", path: [], message });
  }
  try {
    const metadata = reader(bytes.slice().buffer);
    const rows = Number(metadata.num_rows);
    const columns = leavesOf(metadata.schema);
    const nullRate = nullRates(metadata.row_groups, rows);
    return success({
      format: "parquet",
      columns,
      rows,
      isExact: true,
      nullRate,
      isCut: false,
      details: {},
    });
  } catch (error) {
    const reason =
      cleanText(error instanceof Error ? error.message : String(error), 200) ??
      "its footer is malformed";
    return failure({
      code: "malformed_file",
      path: [],
      message: `The file ${file} can't be read: ${reason}`,
    });
  }
}

/**
 * Returns the leaves of a flattened schema tree. The first element is the root. Each element stores its number of
 * children.
 */
function leavesOf(elements: readonly object[]): ResourceColumn[] {
  const columns: ResourceColumn[] = [];
  let at = 0;
  const readElement = (path: readonly string[]): void => {
    const element: JsonRecord = { ...elements[at] };
    at += 1;
    const children = Number(element["num_children"] ?? 0);
    const elementPath = at === 1 ? [] : [...path, String(element["name"])];
    for (let child = 0; child < children && at < elements.length; child += 1)
      readElement(elementPath);
    if (children > 0 || elementPath.length === 0) return;
    const isRequired = element["repetition_type"] === "REQUIRED";
    columns.push(
      withoutUndefined({
        name: elementPath.join(".").slice(0, 300),
        type: typeOf(element),
        nn: isRequired || undefined,
      }),
    );
  };
  readElement([]);
  return columns;
}

const physical: Record<string, string> = {
  BOOLEAN: "boolean",
  INT32: "int32",
  INT64: "int64",
  INT96: "timestamp",
  FLOAT: "float",
  DOUBLE: "double",
  BYTE_ARRAY: "binary",
  FIXED_LEN_BYTE_ARRAY: "binary",
};
const converted: Record<string, string> = {
  UTF8: "string",
  ENUM: "string",
  JSON: "json",
  DATE: "date",
  DECIMAL: "decimal",
};

function typeOf(element: JsonRecord): string {
  const logical = textField(recordAt(element, "logical_type"), "type");
  const conversion = textField(element, "converted_type");
  if (logical === "DECIMAL" || conversion === "DECIMAL") {
    return `decimal(${String(element["precision"] ?? "")},${String(element["scale"] ?? 0)})`;
  }
  if (logical !== undefined && logical !== "INTEGER") return logical.toLowerCase();
  if (conversion?.startsWith("TIMESTAMP") === true) return "timestamp";
  return converted[conversion ?? ""] ?? physical[String(element["type"])] ?? "unknown";
}

/** Computes null rates from row group statistics. Omits a column if any group lacks statistics for it. */
function nullRates(groups: readonly object[], rows: number): Record<string, number> {
  const nulls = new Map<string, number>();
  for (const group of groups) {
    for (const column of arrayAt({ ...group }, "columns")) {
      const data = recordAt(isRecord(column) ? column : {}, "meta_data");
      const path = arrayAt(data, "path_in_schema").join(".");
      const count = recordAt(data, "statistics")["null_count"];
      nulls.set(
        path,
        (nulls.get(path) ?? 0) +
          (typeof count === "bigint" || typeof count === "number" ? Number(count) : NaN),
      );
    }
  }
  const known = [...nulls].filter(([, count]) => count > 0 && rows > 0);
  return Object.fromEntries(
    known.map(([path, count]) => [path, Math.round((count / rows) * 10_000) / 10_000]),
  );
}
