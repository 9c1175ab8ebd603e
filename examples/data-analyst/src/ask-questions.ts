import assert from "node:assert/strict";

import type { BudgetedContext, Catalog, DrillDown } from "@ccl/catalog";
import { estimatedCounter, LanguageModelError } from "@ccl/core";

import type { OpenedModel } from "./open-model.ts";
import { questions, type AnalystQuestion } from "./questions.ts";

const budget = 700;

/** The result of a question: the cards from which a plan is made. */
export interface AskedQuestion extends AnalystQuestion {
  drillDown: DrillDown;
}

/** Asks every question: rows for width, a model's picks, their cards, all within the budget. */
export async function askQuestions(
  catalog: Catalog,
  opened: OpenedModel,
): Promise<AskedQuestion[]> {
  const asked: AskedQuestion[] = [];
  for (const [index, question] of questions.entries()) {
    console.log(`${3 + index} ${question.task}`);
    asked.push({ ...question, drillDown: await ask(catalog, opened, question) });
  }
  return asked;
}

async function ask(
  catalog: Catalog,
  opened: OpenedModel,
  question: AnalystQuestion,
): Promise<DrillDown> {
  const { task, needed } = question;
  const offered = await catalog.budgetedContext({ task, budget });
  const position = (id: string): number => offered.overview.findIndex((row) => row.id === id) + 1;
  console.log(indent(rowsOf(offered)));
  console.log(
    `  needed are row ${needed.map(position).join(" and row ")} of ${offered.k}, in ${offered.tokens} tokens`,
  );
  checkBudget(offered, "the overview");
  for (const id of needed) assert.ok(position(id) > 0, `${id} has a row`);

  const answer = await catalog.drillDown({ task, budget, model: opened.model, maxPicks: 3 });
  if (!answer.ok)
    throw new LanguageModelError(
      "provider_error",
      `It picked no rows: ${answer.issues.map(({ message }) => message).join(" ")}`,
    );
  const { picks, context, rounds } = answer.value;
  for (const { id, why } of picks) console.log(`  picked ${id}: ${why}`);
  console.log(indent(cardsOf(context)));
  const prompts = rounds.map(({ promptTokens }) => promptTokens).join(" and ");
  console.log(
    `  ${context.tokens} tokens of ${budget} with the cards; the model was asked in ${prompts}`,
  );
  checkBudget(context, "the details");
  for (const round of rounds)
    assert.ok(round.promptTokens <= round.budget, "no prompt is over its budget");
  if (opened.isRecorded) checkPicks(question, answer.value);
  return answer.value;
}

function checkPicks({ needed, columns }: AnalystQuestion, { picks, context }: DrillDown): void {
  assert.deepEqual(
    picks.map(({ id }) => id),
    needed,
    "the picks are what the question needs",
  );
  const cards = cardsOf(context);
  for (const column of columns)
    assert.match(cards, new RegExp(`^ {2}${column} `, "m"), `${column} stands in a card`);
}

function checkBudget({ text, tokens }: BudgetedContext, what: string): void {
  assert.equal(estimatedCounter.count(text), tokens, `${what} has as many tokens as it says`);
  assert.ok(tokens <= budget, `${what} is within the budget`);
}

/** Cards start with their own heading. Rows come before them. */
function rowsOf({ text }: BudgetedContext): string {
  return text.split(/^(?=## )/m)[0] ?? "";
}

function cardsOf({ text }: BudgetedContext): string {
  return text
    .split(/^(?=## )/m)
    .slice(1)
    .join("");
}

function indent(text: string): string {
  return text.trimEnd().replaceAll(/^/gm, "  | ");
}
