import { writeFile } from "node:fs/promises";

/** A question with all that its answer consists of. */
export interface AnsweredQuestion {
  task: string;
  plan: string;
  explanation: string;
  /** By the model. */
  statement: string;
  /** By hand. */
  sql: string;
  /** Whether plan and statement give what SQL by hand gives. */
  verdicts: readonly string[];
  table: string;
  /** An SVG document. */
  chart: string;
}

/** A page to read and to pass on: question, chart, rows, and how they came about. */
export async function writeReport(file: URL, answers: readonly AnsweredQuestion[]): Promise<void> {
  const sections = answers.map(
    ({ task, plan, explanation, statement, sql, verdicts, table, chart }) => `<section>
<h2>${escaped(task)}</h2>
${chart}
<pre>${escaped(table)}</pre>
<p>${verdicts.map(escaped).join(";<br>")}.</p>
<details><summary>The model's SQL, and the same by hand</summary><pre>${escaped(statement)}</pre><pre>${escaped(sql)}</pre></details>
<details><summary>The plan, and who does what</summary><pre>${escaped(plan)}\n${escaped(explanation)}</pre></details>
</section>`,
  );
  await writeFile(
    file,
    `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Answers of the data analyst</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem; color: #222; background: #fff }
section { border-top: 1px solid #ccc; padding: 1rem 0 }
pre { background: #f5f5f5; padding: .75rem; overflow-x: auto; font-size: 13px; white-space: pre-wrap }
svg { max-width: 100%; height: auto }
</style>
<h1>Answers of the data analyst</h1>
${sections.join("\n")}
</html>
`,
  );
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
