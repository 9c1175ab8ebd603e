import { inertText } from "../record/inert-text.ts";
import type { ResourceRecord } from "../record/resource-record.ts";
import { digestName } from "../record/schema-digest.ts";

const longestText = 4_000;
const maxColumns = 100;

/**
 * Returns the text of a record to embed: title, description, column names and example tasks, up to 4,000
 * characters.
 */
export function embeddingText({
  title,
  description = "",
  columns,
  schema_digest,
  examples = [],
}: ResourceRecord): string {
  const names = columns?.map(({ name }) => name) ?? schema_digest.map(digestName);
  const parts = [
    inertText(title, 300),
    inertText(description, 2_000),
    names
      .slice(0, maxColumns)
      .map((name) => inertText(name, 60))
      .join(", "),
    ...examples.slice(0, 10).map(({ task }) => inertText(task, 200)),
  ];
  return parts
    .filter((part) => part !== "")
    .join("\n")
    .slice(0, longestText);
}
