// Applies edits of real commits in eight formats, unchanged and with slips: placed exactly, rejected or wrong, next to
// two controls, and the output tokens per file. Build first. node bench/edit-formats.mjs --data DIR (has
// plans/edits.jsonl) [--half 0|1]
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";

import { parseEdits } from "../dist/index.js";
import { slips } from "./answer-slips.mjs";

const { values } = parseArgs({ options: { data: { type: "string" }, half: { type: "string" } } });
if (values.data === undefined) throw new Error("Give --data DIR.");
const file = path.join(values.data, "plans/edits.jsonl");
const rows = fs
  .readFileSync(file, "utf8")
  .split("\n")
  .filter(Boolean)
  .map((line) => JSON.parse(line));
const chosen = rows.filter(
  (_, index) => values.half === undefined || index % 2 === Number(values.half),
);

const hash = (text) => createHash("sha256").update(text).digest("hex");
const ours = (answer, base, name) => {
  const readSet = new Map([[name, { sha256: hash(base), text: base }]]);
  const read = parseEdits(answer, { readSet });
  if (!read.ok) return undefined;
  const [action, ...others] = read.value.plan.actions;
  if (others.length > 0 || action.path !== name) return "";
  return action.content;
};

/** The first control: the edit goes where most of the old lines are. */
const bySimilarity = (answer, base) => {
  const lines = base.split("\n");
  const hunks = answer.split(/^@@.*$/m).slice(1);
  if (hunks.length === 0) return undefined;
  for (const hunk of hunks) {
    const body = hunk.split("\n").filter((line) => /^[ +-]/.test(line));
    const old = body.filter((line) => line[0] !== "+").map((line) => line.slice(1));
    let best = { at: 0, same: -1 };
    for (let at = 0; at <= lines.length - old.length; at += 1) {
      const same = old.filter((line, index) => lines[at + index]?.trim() === line.trim()).length;
      if (same > best.same) best = { at, same };
    }
    lines.splice(
      best.at,
      old.length,
      ...body.filter((line) => line[0] !== "-").map((line) => line.slice(1)),
    );
  }
  return lines.join("\n");
};

/** The second control: the first place of the old text. */
const firstPlace = (answer, base) => {
  const blocks = [...answer.matchAll(/<{7} SEARCH\n([\s\S]*?)={7}\n([\s\S]*?)>{7} REPLACE/g)];
  if (blocks.length === 0) return undefined;
  return blocks.reduce((text, [, before, after]) => text.replace(before, () => after), base);
};

const readers = { ours, "by similarity": bySimilarity, "first place": firstPlace };
const counts = {};
const count = (reader, format, slip, verdict) => {
  const row = ((counts[reader] ??= {})[`${format}, ${slip}`] ??= {
    exact: 0,
    refused: 0,
    wrong: 0,
    ambiguous: 0,
  });
  row[verdict] += 1;
};

for (const row of chosen) {
  const cases = [];
  for (const format of Object.keys(row.answers)) {
    if (row.slipped[format] !== undefined)
      cases.push({
        format,
        slip: row.slip,
        answer: row.slipped[format],
        base: row.base,
        wanted: row.wanted,
        isSample: true,
      });
    for (const [slip, { answer, base = (text) => text }] of Object.entries(slips)) {
      // Only the file's text can be quoted, while a hash covers the bytes that were read.
      const changed = base(row.base);
      const text = answer(
        row.answers[format].replaceAll(
          /"base_sha256":"[0-9a-f]{64}"/g,
          `"base_sha256":"${hash(changed)}"`,
        ),
        format,
      );
      cases.push({ format, slip, answer: text, base: changed, wanted: base(row.wanted) });
    }
  }
  for (const one of cases)
    for (const [name, read] of Object.entries(readers)) judge(row, one, { name, read });
}

function judge(row, { format, slip, answer, base, wanted }, { name, read }) {
  const isAmbiguous =
    row.ambiguous.includes(format) ||
    row.ambiguous.includes(`${format}, ${slip}`) ||
    (slip.startsWith("line numbers") && row.ambiguous.some((one) => one.startsWith(format)));
  const text = read(answer, base, row.path);
  const isSame = slip === "trailing spaces in the file" ? sameButSpaces : Object.is;
  const refused = isAmbiguous ? "ambiguous" : "refused";
  const placed = text !== undefined && isSame(text, wanted) ? "exact" : "wrong";
  const verdict = text === undefined ? refused : placed;
  count(name, format, slip, verdict);
  const isShown = process.env.SHOW !== undefined && name === "ours";
  if (isShown && (verdict === "wrong" || verdict === "refused"))
    console.log(verdict.toUpperCase(), row.id, format, slip);
}

function sameButSpaces(one, other) {
  return one.replaceAll(/[ \t]+$/gm, "") === other.replaceAll(/[ \t]+$/gm, "");
}

const groupKeys = (keys, part) => {
  const groups = {};
  for (const key of keys) (groups[key.split(", ")[part]] ??= []).push(key);
  return groups;
};
const sumOf = (counted) => {
  const sum = { exact: 0, refused: 0, wrong: 0, ambiguous: 0 };
  for (const one of counted) for (const key of Object.keys(sum)) sum[key] += one[key];
  return sum;
};
for (const [reader, table] of Object.entries(counts)) {
  const sum = sumOf(Object.values(table));
  const share = (100 * sum.exact) / (sum.exact + sum.refused + sum.wrong);
  console.log(reader, sum, `${share.toFixed(1)} % exact of what has one place`);
  for (const part of reader === "ours" ? [0, 1] : []) {
    const groups = Object.entries(groupKeys(Object.keys(table), part));
    const sums = groups.map(([name, keys]) => [name, sumOf(keys.map((key) => table[key]))]);
    console.table(Object.fromEntries(sums));
  }
}
for (const format of Object.keys(chosen[0].answers)) {
  // About four bytes per token, the same for all formats.
  const bytes = chosen.reduce((total, row) => total + Buffer.byteLength(row.answers[format]), 0);
  console.log(`${format}: ${Math.round(bytes / 4 / chosen.length)} tokens of four bytes a file`);
}
