import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { checkResources } from "../record/check-resource.ts";

interface Query {
  qid: string;
  text: string;
  split: "tune" | "test";
}
interface Label {
  qid: string;
  rid: string;
  rel: number;
}

function read<Row>(name: string): Row[] {
  const text = readFileSync(
    new URL(`__fixtures__/mixed-ru/${name}.jsonl`, import.meta.url),
    "utf8",
  );
  return text
    .trim()
    .split("\n")
    .map((line): Row => JSON.parse(line));
}

const resources = read<{
  id: string;
  title: string;
  description: string;
  columns: { name: string; type: string }[];
}>("resources");
const queries = read<Query>("queries");
const labels = read<Label>("qrels");
const cyrillic = /\p{Script=Cyrillic}/u;

describe("the labelled Russian and mixed set", () => {
  it("has the documented size and contains only valid records", () => {
    expect(resources).toHaveLength(267);
    expect(queries).toHaveLength(198);
    expect(checkResources(resources)).toMatchObject({ ok: true, warnings: [] });
    expect(
      resources.every(({ columns }) =>
        columns.every(({ name, type }) => name !== "" && type !== ""),
      ),
    ).toBe(true);
  });

  it("has no duplicate questions, and none that equals a title", () => {
    const texts = queries.map(({ text }) => text.toLowerCase());
    expect(new Set(queries.map(({ qid }) => qid)).size).toBe(queries.length);
    expect(new Set(texts).size).toBe(queries.length);
    const titles = new Set(resources.map(({ title }) => title.toLowerCase()));
    expect(texts.filter((text) => titles.has(text))).toEqual([]);
  });

  it("labels each question with one to three existing resources", () => {
    const ids = new Set(resources.map(({ id }) => id));
    expect(labels.filter(({ rid }) => !ids.has(rid))).toEqual([]);
    expect(new Set(labels.map(({ qid, rid }) => `${qid} ${rid}`)).size).toBe(labels.length);
    const counts = queries.map(({ qid }) => labels.filter((label) => label.qid === qid).length);
    expect({ min: Math.min(...counts), max: Math.max(...counts) }).toEqual({
      min: 1,
      max: 3,
    });
    expect(new Set(labels.map(({ qid }) => qid)).size).toBe(queries.length);
  });

  it("is split by the hash of the question's id", () => {
    const splitOf = (qid: string): string => {
      return (createHash("sha256").update(qid).digest()[0] ?? 0) < 128 ? "tune" : "test";
    };
    expect(queries.filter(({ qid, split }) => split !== splitOf(qid))).toEqual([]);
    const tuned = queries.filter(({ split }) => split === "tune").length;
    expect(Math.abs(tuned / queries.length - 0.5)).toBeLessThan(0.1);
  });

  it("has both scripts in titles, questions and descriptions", () => {
    const share = (texts: readonly string[]): number =>
      texts.filter((text) => cyrillic.test(text)).length / texts.length;
    const titles = share(resources.map(({ title }) => title));
    const descriptions = share(
      resources
        .filter(({ description }) => description !== "")
        .map(({ description }) => description),
    );
    expect(titles > 0.3 && titles < 0.7).toBe(true);
    expect(descriptions).toBeGreaterThan(0.9);
    expect(queries.filter(({ text }) => !cyrillic.test(text)).length).toBeGreaterThanOrEqual(10);
  });
});
