import { estimatedCounter } from "@ccl/core";
import type { ResourceDetails } from "@ccl/catalog";
import { quoteIdentifier } from "@ccl/sql";
import type { PlanValue } from "../connector/column-batch.ts";
import type { PlanRow } from "../execute/query-result.ts";
import { columnDataType } from "../plan/data-type.ts";
import { isSlipOf, nearestName } from "../plan/nearest-name.ts";
import { pointsAt, type KeyColumn } from "../validate/check-join-keys.ts";
import { tableOf } from "../validate/visible-resources.ts";
import type { ColumnOrigin } from "./name-scope.ts";
import type { SqlPlan } from "./parse-sql.ts";
import type { Comparison, KeyPair, ResolvedSelect } from "./resolution.ts";

/** Token limit for all doubts about a result. */
const maxTokens = 60;
/** Maximum number of literals to check in one list. */
const maxLiterals = 8;
/** Maximum number of column values to search for the nearest one. */
const maxValues = 1_000;
const maxCharacters = 40;

/**
 * Runs a statement to check a doubt. Returns undefined if it fails or reads a table that should not be read again.
 */
export type Ask = (
  text: string,
  tables: readonly ResourceDetails[],
) => Promise<PlanRow[] | undefined>;

/**
 * Finds suspicious aspects of a result: a literal that no row has, a join that matches no row or ignores the
 * catalog's key, and, if the result is empty, a bound that no row meets. Returns up to 60 tokens.
 */
export async function doubtsOf(
  { tables, comparisons, keyPairs }: ResolvedSelect,
  rows: readonly PlanRow[],
  ask: Ask,
): Promise<string[]> {
  const isEmpty = rows.length < 2 && rows.every(hasNothing);
  const doubts = new Set<string>();
  let room = maxTokens;
  const add = (doubt: string | undefined): void => {
    if (doubt === undefined || doubts.has(doubt)) return;
    room -= estimatedCounter.count(doubt);
    if (room >= 0) doubts.add(doubt);
  };
  for (const comparison of comparisons)
    if (room > 0)
      add(
        /^(?:=|<>|like)$/.test(comparison.operator) && isText(comparison)
          ? await literalDoubt(comparison, ask)
          : isEmpty
            ? await rangeDoubt(comparison, ask)
            : undefined,
      );
  if (isEmpty) for (const { resource } of new Set(tables)) add(await emptyDoubt(resource, ask));
  for (const pair of keyPairs) add(keyDoubt(pair, keyPairs));
  for (const pair of keyPairs) if (room > 0) add(await joinDoubt(pair, ask));
  return [...doubts];
}

/** If the result reached the statement's own LIMIT, counts the rows without it. */
export async function totalOf(
  { text, tokens, resolved }: SqlPlan,
  rowCount: number,
  ask: Ask,
): Promise<number | undefined> {
  const ends = tokens.filter(
    ({ depth, kind, text: word }) =>
      depth === 0 && kind === "word" && /^(?:limit|offset|fetch)$/.test(word),
  );
  const [first] = ends;
  const limit = ends.find((token) => token.text === "limit");
  const count = tokens[tokens.findIndex((token) => token === limit) + 1];
  if (first === undefined || limit === undefined || Number(count?.text) !== rowCount)
    return undefined;
  const whole = `select count(*) as n from (${text.slice(0, first.start)}) as t`;
  const [row] =
    (await ask(
      whole,
      resolved.tables.map(({ resource }) => resource),
    )) ?? [];
  return row === undefined ? undefined : Number(row["n"]);
}

function hasNothing(row: PlanRow): boolean {
  return Object.values(row).every((value) => value === null || Number(value) === 0);
}

function isText({ table, column }: ColumnOrigin): boolean {
  const type = table.resource.columns?.find(({ name }) => name === column)?.type;
  return type !== undefined && columnDataType(type).kind === "text";
}

/** Returns the compared value as SQL and as displayed, and its table. */
function valueOf({ table, column, call }: Comparison): {
  value: string;
  shown: string;
  from: string;
} {
  const value = quoteIdentifier(column);
  const from = quoteIdentifier(table.resource.id);
  if (call === undefined) return { value, shown: column, from };
  return { value: `${call}(${value})`, shown: `${call}(${column})`, from };
}

async function literalDoubt(comparison: Comparison, ask: Ask): Promise<string | undefined> {
  const { value, shown, from } = valueOf(comparison);
  const { operator, literals, table } = comparison;
  const sign = operator === "<>" ? "=" : operator;
  const missing: string[] = [];
  for (const literal of literals.slice(0, maxLiterals)) {
    const found = await ask(
      `select 1 as n from ${from} where ${value} ${sign} ${literal} limit 1`,
      [table.resource],
    );
    if (found === undefined) return undefined;
    if (found.length === 0) missing.push(literal);
  }
  // A list may contain values that the table lacks. If one of them exists, only a different spelling is suspicious.
  const isListed = missing.length < literals.length;
  for (const literal of missing) {
    const { near, common } = await findExisting(comparison, literal, ask);
    if (near === undefined && (isListed || common.length === 0)) continue;
    const values = near === undefined ? common.slice(0, 3) : [near];
    const isTypo = near !== undefined && isSlipOf(literal, String(near["value"]));
    if (isListed && !isTypo) continue;
    return `${shown} ${operator} ${short(literal)}: no row has it; there is ${values.map(withCount).join(", ")}.`;
  }
  return undefined;
}

/** Finds an existing value that is closest, or the commonest values if none differs only in case. */
async function findExisting(
  comparison: Comparison,
  literal: string,
  ask: Ask,
): Promise<{ near?: PlanRow | undefined; common: PlanRow[] }> {
  const { value, from } = valueOf(comparison);
  const { operator, table } = comparison;
  const counted = async (condition: string): Promise<PlanRow[]> =>
    (await ask(
      `select ${value} as value, count(*) as n from ${from} where ${condition} group by 1 order by 2 desc, 1 limit ${maxValues}`,
      [table.resource],
    )) ?? [];
  const [same] = await counted(
    `lower(${value}) ${operator === "like" ? operator : "="} lower(${literal})`,
  );
  if (same !== undefined) return { near: same, common: [] };
  const common = await counted(`${value} is not null`);
  const wanted = literal.slice(1, -1).replace(/[%_]+/g, " ").trim();
  const names = common.map((row) => String(row["value"]));
  const name = nearestName(wanted, names);
  return { near: name === undefined ? undefined : common[names.indexOf(name)], common };
}

function withCount({ value, n }: PlanRow): string {
  return `${literalOf(value)} (${String(n)})`;
}

async function rangeDoubt(comparison: Comparison, ask: Ask): Promise<string | undefined> {
  const { value, shown, from } = valueOf(comparison);
  const { operator, literals, table } = comparison;
  const right =
    operator === "between"
      ? literals.join(" and ")
      : literals.length === 1
        ? literals.join("")
        : `(${literals.join(", ")})`;
  const condition = `${operator === "=" && literals.length > 1 ? "in" : operator} ${right}`;
  const [found, ends] = [
    await ask(`select 1 as n from ${from} where ${value} ${condition} limit 1`, [table.resource]),
    await ask(`select min(${value}) as low, max(${value}) as high from ${from}`, [table.resource]),
  ];
  const [row] = ends ?? [];
  if (found?.length !== 0 || row === undefined || row["low"] === null) return undefined;
  const range = `it goes from ${literalOf(row["low"])} to ${literalOf(row["high"])}`;
  return `${shown} ${short(condition)}: no row has it; ${range}.`;
}

async function emptyDoubt(resource: ResourceDetails, ask: Ask): Promise<string | undefined> {
  const found = await ask(`select 1 as n from ${quoteIdentifier(resource.id)} limit 1`, [resource]);
  return found?.length === 0 ? `${tableOf(resource)} has no rows.` : undefined;
}

/** Reports a join that does not use the foreign key columns from the catalog. */
function keyDoubt(pair: KeyPair, all: readonly KeyPair[]): string | undefined {
  const { left, right } = pair;
  const together = all.filter(
    (each) =>
      (each.left.table === left.table && each.right.table === right.table) ||
      (each.left.table === right.table && each.right.table === left.table),
  );
  if (left.table.resource === right.table.resource || together.some(isKey)) return undefined;
  const known = keyBetween(left, right) ?? keyBetween(right, left);
  const named = keyByName(left, right) ?? keyByName(right, left);
  const [key, of] = known === undefined ? [named, "names"] : [known, "keys of the catalog"];
  if (key === undefined) return undefined;
  return `${nameOf(left)} = ${nameOf(right)}: by the ${of} it may be ${key}.`;
}

function isKey({ left, right }: KeyPair): boolean {
  const [first, second] = [keyColumn(left), keyColumn(right)];
  return (
    pointsAt(first, second) ||
    pointsAt(second, first) ||
    (first.fk !== undefined && first.fk === second.fk) ||
    (first.table === second.table && first.column === second.column)
  );
}

function keyColumn({ table: { resource }, column }: ColumnOrigin): KeyColumn {
  const fk = resource.columns?.find(({ name }) => name === column)?.fk;
  return { table: tableOf(resource), column, fk };
}

function keyBetween(from: ColumnOrigin, to: ColumnOrigin): string | undefined {
  for (const { name, fk } of from.table.resource.columns ?? []) {
    const column = fk?.split(".").at(-1) ?? "";
    const pointed = { ...to, column };
    if (pointsAt({ table: "", column: name, fk }, keyColumn(pointed)))
      return `${nameOf({ ...from, column: name })} = ${nameOf(pointed)}`;
  }
  return undefined;
}

const ownKey = /^(?:id|key|code)$/i;
const ofAnother = /^.+(?:id|key|code|name|number|num|no)$/i;

/**
 * Finds a column in the table of `from` that is named after `to`, or after the table and column of `to`, e.g.
 * `customer_id` for `customers.id`.
 */
function keyByName(from: ColumnOrigin, to: ColumnOrigin): string | undefined {
  const plain = (name: string): string => name.toLowerCase().replaceAll("_", "");
  const table = plain(tableOf(to.table.resource).split(".").at(-1) ?? "").replace(/s$/, "");
  const isOwn = ownKey.test(from.column) && ownKey.test(to.column);
  const wanted = isOwn ? `${table}${plain(to.column)}` : plain(to.column);
  if (!isOwn && (!ofAnother.test(to.column) || plain(from.column) === wanted)) return undefined;
  const found = from.table.resource.columns?.find(({ name }) => plain(name) === wanted);
  return found && `${nameOf({ ...from, column: found.name })} = ${nameOf(to)}`;
}

function nameOf({ table, column }: ColumnOrigin): string {
  return `${table.name}.${column}`;
}

async function joinDoubt({ left, right }: KeyPair, ask: Ask): Promise<string | undefined> {
  const [first, second] = [left, right].map(
    ({ table, column }) => [quoteIdentifier(table.resource.id), quoteIdentifier(column)] as const,
  );
  if (first === undefined || second === undefined) return undefined;
  const found = await ask(
    `select 1 as n from ${first[0]} as a join ${second[0]} as b on a.${first[1]} = b.${second[1]} limit 1`,
    [left.table.resource, right.table.resource],
  );
  if (found?.length !== 0) return undefined;
  const sides: string[] = [];
  for (const [origin, [from, name]] of [
    [left, first],
    [right, second],
  ] as const) {
    const [row] =
      (await ask(`select min(${name}) as low from ${from}`, [origin.table.resource])) ?? [];
    // A table without values matches nothing, regardless of the key.
    if (row?.["low"] === undefined || row["low"] === null) return undefined;
    sides.push(`${nameOf(origin)} is like ${literalOf(row["low"])}`);
  }
  return `${nameOf(left)} = ${nameOf(right)} joins no rows: ${sides.join(", ")}.`;
}

function literalOf(value: PlanValue | undefined): string {
  return typeof value === "string" ? `'${short(value)}'` : String(value);
}

function short(text: string): string {
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text;
}
