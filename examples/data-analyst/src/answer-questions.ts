import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";

import type { Catalog } from "@ccl/catalog";
import { fromTools } from "@ccl/catalog/importers";
import {
  type Connectors,
  executePlan,
  executeSql,
  explainPlan,
  httpConnector,
  planDetails,
  planMessages,
  type PlanRow,
  planSchema,
  type QueryEngine,
  sqlConnector,
} from "@ccl/query";
import { openDuckDbEngine } from "@ccl/query/duckdb";
import type { SqliteDatabase } from "@ccl/sql";
import { generateStructured } from "@ccl/structured-output";

import { askSql } from "./ask-sql.ts";
import {
  censusCard,
  censusFunctions,
  type CensusApi,
  eras,
  rates,
  startCensusApi,
} from "./census-sources.ts";
import { drawChart } from "./draw-chart.ts";
import { functionConnector } from "./function-connector.ts";
import { explanationDiagram } from "./explanation-diagram.ts";
import { openModel, type OpenedModel } from "./open-model.ts";
import { type PlannedQuestion, plannedQuestions } from "./planned-questions.ts";
import { type AnsweredQuestion, writeReport } from "./write-report.ts";

const charts = new URL("../dist/charts/", import.meta.url);
const report = new URL("../dist/report.html", import.meta.url);

interface Setting {
  catalog: Catalog;
  database: SqliteDatabase;
  connectors: Connectors;
  engine: QueryEngine;
  opened: OpenedModel;
  /** A separate model for SQL, because recorded answers come in order. */
  sqlModel: OpenedModel;
}

/**
 * Plans, explains and answers every question from the database, a paged API and functions, and checks the answers with
 * SQL.
 */
export async function answerQuestions(catalog: Catalog, database: SqliteDatabase): Promise<void> {
  const functions = censusFunctions.map((tool) => ({ ...tool, cost_hint: { latency_ms_p50: 1 } }));
  const registered = await catalog.register([
    censusCard,
    ...fromTools(functions, { group: "census" }),
  ]);
  assert.ok(registered.ok, "the cards of the API and the functions can be registered");
  const api = await startCensusApi();
  const opened = await openModel("plans.json");
  const sqlModel = await openModel("statements.json");
  const engine = await openDuckDbEngine();
  try {
    fillChecks(database, api);
    const connectors = {
      "ada://any/db": sqlConnector(database),
      "https://census.example": httpConnector({
        baseUrl: api.baseUrl,
        name: "census API",
        resources: {
          [censusCard.id]: {
            path: "/people",
            rowsAt: "items",
            paging: { by: "cursor", parameter: "cursor", cursorAt: "next" },
          },
        },
      }),
      "ada://any/skill": functionConnector(censusFunctions),
    };
    const answers: AnsweredQuestion[] = [];
    for (const [index, question] of plannedQuestions.entries()) {
      console.log(`${6 + index} ${question.task}`);
      answers.push(
        await answer(question, { catalog, database, connectors, engine, opened, sqlModel }),
      );
    }
    await writeReport(report, answers);
    console.log("  all of it as a page: dist/report.html");
    console.log(`  the API was asked ${api.requests.length} times, pages that failed included`);
  } finally {
    await engine.close();
    await opened.close();
    await sqlModel.close();
    await api.close();
  }
}

/** The rows of the API and the functions, as tables for hand-written SQL. */
function fillChecks(database: SqliteDatabase, { rows }: CensusApi): void {
  database.exec("CREATE TABLE people (year INTEGER, age INTEGER, sex INTEGER, people INTEGER)");
  const insert = database.prepare("INSERT INTO people VALUES (?, ?, ?, ?)");
  for (const { year, age, sex, people } of rows) insert.run(year, age, sex, people);
  database.exec(
    "CREATE TABLE rates (currency TEXT, per_usd REAL); CREATE TABLE eras (year INTEGER, era TEXT)",
  );
  for (const { currency, per_usd } of rates)
    database.prepare("INSERT INTO rates VALUES (?, ?)").run(currency, per_usd);
  for (const { year, era } of eras)
    database.prepare("INSERT INTO eras VALUES (?, ?)").run(year, era);
}

async function answer(question: PlannedQuestion, setting: Setting): Promise<AnsweredQuestion> {
  const { task, from, sql, chart } = question;
  const { catalog, database, connectors, engine, opened, sqlModel } = setting;
  const context = await catalog.budgetedContext({ task, budget: 1_500, candidates: from });
  const details = await planDetails(catalog, from);
  const { text, aliases } = context;
  const planned = await generateStructured(opened.model, {
    schema: planSchema({ details, aliases }),
    messages: planMessages(task, { text, aliases, details }),
    maxRepairs: 2,
  });
  assert.ok(planned.ok, "the model writes a plan that holds");
  const repairs = planned.attempts.filter(({ isRepair }) => isRepair).length;
  const explanation = explainPlan(planned.value, { details, connectors });
  console.log(indent(explanation.text));
  await mkdir(charts, { recursive: true });
  const diagram = explanationDiagram(explanation);
  await writeFile(new URL(`${chart.label}-${chart.value}-plan.mmd`, charts), diagram);

  const limits = { rows: 10_000, timeoutMs: 30_000 };
  const result = await executePlan(planned.value, { details, connectors, engine, limits });
  const rows = await result.all();
  const moved = result
    .statistics()
    .sources.map((source) => `${source.rows} rows from ${source.connector}`);
  console.log(indent(tableOf(rows)));
  console.log(`  ${moved.join(", ")}; ${repairs} repairs`);
  const asked = await askSql(sqlModel.model, { task, cards: context.text, details });
  const bySql = await executeSql(asked.sql, { details, connectors, engine, limits });
  console.log(indent(asked.sql));
  console.log(`  the same by the model's SQL on ${bySql.ranOn}; ${asked.repairs} repairs`);

  const byHand = database.prepare(sql).all();
  assert.ok(byHand.length > 0, "SQL by hand finds rows");
  const verdicts = [
    verdict("the plan", rows, byHand),
    verdict("the model's SQL", bySql.rows, byHand),
  ];
  for (const { says } of verdicts) console.log(`  ${says}`);
  const isRight = verdicts.every(({ isSame }) => isSame);
  if (opened.isRecorded) assert.ok(isRight, "both ways give what SQL by hand gives");
  const drawn = await drawRows(question, rows);
  return {
    task,
    plan: JSON.stringify(planned.value, undefined, 2),
    explanation: explanation.text,
    statement: asked.sql,
    sql,
    verdicts: verdicts.map(({ says }) => says),
    table: tableOf(rows),
    chart: drawn,
  };
}

/** Models choose their own column names, so only the values are compared. */
function verdict(
  what: string,
  rows: readonly object[],
  byHand: readonly object[],
): { says: string; isSame: boolean } {
  const isSame = isDeepStrictEqual(rows.map(comparable), byHand.map(comparable));
  return { says: `${what} ${isSame ? "gives" : "does NOT give"} what SQL by hand gives`, isSame };
}

/** The columns by their names, otherwise the first and the second. */
async function drawRows(
  { task, chart }: PlannedQuestion,
  rows: readonly PlanRow[],
): Promise<string> {
  const [first = "", second = ""] = Object.keys(rows[0] ?? {});
  const has = (name: string): boolean => Object.hasOwn(rows[0] ?? {}, name);
  const [label, value] = [
    has(chart.label) ? chart.label : first,
    has(chart.value) ? chart.value : second,
  ];
  const bars = rows.map((row) => ({ label: String(row[label]), value: Number(row[value]) }));
  const file = new URL(`${chart.label}-${chart.value}.svg`, charts);
  const drawn = await drawChart(task, bars, chart);
  await writeFile(file, drawn);
  console.log(`  chart with ${bars.length} bars: dist/charts/${chart.label}-${chart.value}.svg`);
  return drawn;
}

/** Floats of different engines may differ in their last digits. */
function comparable(row: object): unknown[] {
  return Object.values(row).map((value: unknown) =>
    typeof value === "number" || typeof value === "bigint"
      ? Number(Number(value).toPrecision(12))
      : value,
  );
}

function tableOf(rows: readonly PlanRow[]): string {
  const names = Object.keys(rows[0] ?? {});
  const cell = (value: unknown): string =>
    typeof value === "number" ? String(Number(value.toPrecision(6))) : String(value ?? "");
  const lines = [names, ...rows.slice(0, 8).map((row) => names.map((name) => cell(row[name])))];
  const widths = names.map((_, index) =>
    Math.max(...lines.map((line) => (line[index] ?? "").length)),
  );
  const shown = lines.map((line) =>
    line
      .map((text, index) => text.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return [...shown, ...(rows.length > 8 ? [`... ${rows.length - 8} more`] : [])].join("\n");
}

function indent(text: string): string {
  return text.trimEnd().replaceAll(/^/gm, "  | ");
}
