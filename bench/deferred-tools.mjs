// Measures hundreds of tools behind three: the tokens of the three definitions and of all tools, and the share of the
// right tools in one answer of `find_tools`. The control asks another question of the set and must find almost none.
// Then it measures the second half of the questions after the right tools of the first half succeeded, next to the same
// without learning, and with successes of other tools, which must not help. `node bench/deferred-tools.mjs --data DIR
// [--half tune|test]`; DIR has labelled sets, of which those of tools count.
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

import { deferTools } from "../packages/catalog/dist/index.js";
import { estimatedCounter } from "../packages/core/dist/index.js";
import { readSets } from "./lib/catalog-sets.mjs";

/** One row for each set of tools. */
export async function measure({ data, half }) {
  const rows = [];
  for (const set of readSets(data)) {
    if (!set.records.every(({ kind }) => kind === "api")) continue;
    const names = new Map(set.records.map(({ id }, at) => [id, nameOf(id, at)]));
    const tools = set.records.map((record) => toolOf(record, names.get(record.id)));
    const { openai } = deferTools(tools);
    const relevant = new Map();
    for (const { qid, rid, rel = 1 } of set.qrels)
      if (rel > 0) relevant.set(qid, [...(relevant.get(qid) ?? []), names.get(rid)]);
    const asked = half === undefined ? set.queries : set.halves[half];
    const queries = asked.filter(({ qid }) => relevant.has(qid));
    const shareFound = async (textAt, { from = 0, uses } = {}) => {
      const { call } = deferTools(tools, { uses });
      let sum = 0;
      let any = 0;
      let all = 0;
      let tokens = 0;
      for (const [at, { qid }] of queries.entries()) {
        if (at < from) continue;
        const answer = await call("find_tools", { query: textAt(at).slice(0, 2_000) });
        const found = new Set(answer.split("\n").map((line) => line.slice(0, line.indexOf("("))));
        const wanted = relevant.get(qid);
        const hits = wanted.filter((name) => found.has(name)).length;
        sum += hits / wanted.length;
        any += hits > 0 ? 1 : 0;
        all += hits === wanted.length ? 1 : 0;
        tokens += estimatedCounter.count(answer);
      }
      const length = queries.length - from;
      return { right: sum / length, any: any / length, all: all / length, tokens: tokens / length };
    };
    const found = await shareFound((at) => queries[at].text);
    const other = (at) => queries[(at + Math.floor(queries.length / 2)) % queries.length].text;
    const control = await shareFound(other);
    const from = Math.floor(queries.length / 2);
    const uses = new Map();
    const shifted = new Map();
    for (const { qid } of queries.slice(0, from))
      for (const name of relevant.get(qid)) {
        uses.set(name, (uses.get(name) ?? 0) + 1);
        const at = tools.findIndex((tool) => tool.function.name === name);
        const other = tools[(at + 37) % tools.length].function.name;
        shifted.set(other, (shifted.get(other) ?? 0) + 1);
      }
    const own = (at) => queries[at].text;
    const second = await shareFound(own, { from });
    const learned = await shareFound(own, { from, uses });
    const misled = await shareFound(own, { from, uses: shifted });
    rows.push({
      set: set.name,
      tools: tools.length,
      allTokens: estimatedCounter.count(JSON.stringify(tools)),
      fixedTokens: estimatedCounter.count(JSON.stringify(openai)),
      answerTokens: Math.round(found.tokens),
      right: Number(found.right.toFixed(3)),
      anyRight: Number(found.any.toFixed(3)),
      allRight: Number(found.all.toFixed(3)),
      secondHalf: Number(second.all.toFixed(3)),
      afterFirst: Number(learned.all.toFixed(3)),
      afterOthers: Number(misled.all.toFixed(3)),
      otherQuestion: Number(control.right.toFixed(3)),
    });
  }
  return rows;
}

/** Names in the form that clients allow, prefixed with the server. */
function nameOf(id, at) {
  const parts = id.slice(id.indexOf(":") + 1).split("/");
  const plain = (text) => text.replace(/[^a-zA-Z0-9]+/g, "_");
  return `${plain(parts.at(-2) ?? "tools").slice(0, 25)}__${plain(parts.at(-1)).slice(0, 30)}_${at}`;
}

function toolOf({ description = "", columns = [] }, name) {
  const properties = Object.fromEntries(columns.map(({ name: own, type }) => [own, { type }]));
  return {
    type: "function",
    function: { name, description, parameters: { type: "object", properties } },
  };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const options = { data: { type: "string" }, half: { type: "string" } };
  const { values } = parseArgs({ options });
  if (values.data === undefined) throw new Error("Pass --data DIR.");
  const rows = await measure(values);
  console.table(rows);
  const isGood = rows.every(
    ({ fixedTokens, otherQuestion }) => fixedTokens <= 1_000 && otherQuestion < 0.1,
  );
  process.exitCode = rows.length > 0 && isGood ? 0 : 1;
}
