import { arrayAt, isRecord } from "@ccl/core/json";
import type { Document, LineCounter, Pair, Scalar } from "yaml";

import type { Declaration } from "../declaration.ts";
import { keyDeclaration, shapeOf } from "./data-shape.ts";

const MAX_CHARACTERS = 200_000;
const TOP_LEVEL_KEY = /^([\w.$-]+|"[^"\n]*"|'[^'\n]*')[ \t]*:(?=\s|$)/;

/** Finds unindented keys line by line. Used for text that is too long or too broken to parse. */
function readLines(text: string): Declaration[] {
  const lines = text.split(/\r?\n/);
  const found = lines.flatMap((line, index) => {
    const name = TOP_LEVEL_KEY.exec(line)?.[1];
    return name === undefined
      ? []
      : [{ name: name.replace(/^["']|["']$/g, ""), firstLine: index + 1 }];
  });
  return found.map(({ name, firstLine }, index) =>
    keyDeclaration(name, "…", {
      firstLine,
      lastLine: (found[index + 1]?.firstLine ?? lines.length + 1) - 1,
    }),
  );
}

function rangeOf(node: unknown): [number, number] {
  const [start = 0, end = 0] = arrayAt(node, "range");
  return [Number(start), Number(end)];
}

interface Place {
  document: Document;
  counter: LineCounter;
  isScalar: (node: unknown) => node is Scalar;
}

function readPair(pair: Pair, { document, counter, isScalar }: Place): Declaration {
  const [start, keyEnd] = rangeOf(pair.key);
  const [, valueEnd] = rangeOf(pair.value);
  const name = isScalar(pair.key) ? String(pair.key.value) : "…";
  const value = toPlain(pair.value, document);
  const firstLine = counter.linePos(start).line;
  const lastLine = counter.linePos(Math.max(keyEnd, valueEnd - 1, start)).line;
  return keyDeclaration(name, shapeOf(value), { firstLine, lastLine });
}

function toPlain(node: unknown, document: Document): unknown {
  if (!isRecord(node) || typeof node["toJS"] !== "function") return null;
  return node["toJS"](document, { maxAliasCount: 100 });
}

/** Returns the top-level keys of every document in YAML text, with the shape of their values. */
export async function readYaml(
  text: string,
): Promise<{ declarations: Declaration[]; hasErrors: boolean }> {
  if (text.length > MAX_CHARACTERS) return { declarations: readLines(text), hasErrors: false };
  const { isMap, isScalar, LineCounter, parseAllDocuments } = await import("../yaml-library.ts");
  const counter = new LineCounter();
  try {
    const documents = parseAllDocuments(text, {
      lineCounter: counter,
      logLevel: "silent",
      strict: false,
      uniqueKeys: false,
    });
    if (!Array.isArray(documents)) return { declarations: [], hasErrors: false };
    const declarations = documents.flatMap((document: Document) =>
      isMap(document.contents)
        ? document.contents.items.map((pair) => readPair(pair, { document, counter, isScalar }))
        : [],
    );
    return { declarations, hasErrors: documents.some((document) => document.errors.length > 0) };
  } catch {
    // The library throws if nesting is too deep or aliases would expand too much.
    return { declarations: readLines(text), hasErrors: true };
  }
}
