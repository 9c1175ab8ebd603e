import type { ResourceColumn, ResourceDetails } from "@ccl/catalog";
import { renderName } from "../render/render-expression.ts";

const maxColumns = 60;
const maxTexts = 8;

/** Renders cards for a prompt that has no budgeted context. Anti-patterns and pushdown rules are always included. */
export function detailsText(details: readonly ResourceDetails[]): string {
  return details.map(cardText).join("\n\n");
}

function cardText({
  id,
  kind,
  title,
  description,
  columns = [],
  usage = {},
  pushdown,
  cap,
  shape,
}: ResourceDetails): string {
  const lines = [`## ${shownText(id, 300)}`, `${shownText(kind, 40)}: ${shownText(title, 120)}`];
  if (description !== undefined && description !== "")
    lines.push(`about: ${shownText(description, 300)}`);
  if (shape?.rows_est !== undefined)
    lines.push(`rows: about ${shownText(String(shape.rows_est), 40)}`);
  lines.push(
    "columns:",
    ...columns.slice(0, maxColumns).map((column) => `  ${columnText(column)}`),
  );
  if (columns.length > maxColumns) lines.push(`  [${columns.length - maxColumns} more]`);
  const can = Object.entries(pushdown ?? {})
    .filter(([, is]) => is === true)
    .map(([name]) => name);
  const cannot = Object.entries(pushdown ?? {})
    .filter(([, is]) => is === false)
    .map(([name]) => name);
  const able = can.length > 0 || cannot.length > 0 ? can : (cap ?? []);
  if (able.length > 0) lines.push(`can: ${able.map((name) => shownText(name, 40)).join(", ")}`);
  if (cannot.length > 0) lines.push(`cannot: ${cannot.join(", ")}`);
  for (const { code } of (usage.snippets ?? []).filter(({ engine }) => engine === "ir").slice(0, 2))
    lines.push(`example: ${shownText(code, 400)}`);
  const avoid = usage.anti_patterns ?? [];
  if (avoid.length > 0)
    lines.push("avoid:", ...avoid.slice(0, maxTexts).map((text) => `  ${shownText(text, 200)}`));
  return lines.join("\n");
}

function columnText({ name, type, description, nn, pk, fk, unit }: ResourceColumn): string {
  const parts = [
    renderName(shownText(name, 80)),
    shownText(type ?? "text", 40),
    pk === true ? "pk" : nn === true ? "not null" : "",
    fk === undefined ? "" : `-> ${shownText(fk, 80)}`,
    shownText(unit ?? "", 20),
    description === undefined || description === "" ? "" : `- ${shownText(description, 80)}`,
  ];
  return parts.filter((part) => part !== "").join(" ");
}

/** A catalog text on one line, cut to `max`, without invisible characters. */
export function shownText(text: string, max: number): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  return line.length <= max ? line : `${line.slice(0, max).replace(/\p{Surrogate}$/u, "")}...`;
}
