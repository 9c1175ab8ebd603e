import { checkPath } from "../paths/check-path.ts";
import type { ContextRequest } from "../plan/plan.ts";
import { findTraceFrames, type TraceFrame } from "./find-trace-frames.ts";

/** The user's message and a tool's output. */
export interface CollectInput {
  goal: string;
  /** Output of a test run, a stack trace or a log. */
  report?: string | undefined;
  /** The project root as it appears in traces. Paths below it become relative. */
  root?: string | undefined;
}

/** Lines to read before and after the line in a trace. */
const LINES_AROUND = 80;

/** Longer text is scanned only at both ends. Requests come at the start, traces at the end. */
const MAX_TEXT_CHARS = 200_000;

const MANIFESTS = [
  {
    sign: /\b(?:ImportError|ModuleNotFoundError|No module named)\b/,
    files: ["pyproject.toml", "requirements.txt", "poetry.lock"],
  },
  {
    sign: /cannot find (?:module|package)|ERR_MODULE_NOT_FOUND|MODULE_NOT_FOUND|Can't resolve '|\bTS2307\b/i,
    files: ["package.json", "package-lock.json", "pnpm-lock.yaml", "yarn.lock"],
  },
  {
    sign: /no required module provides package|cannot find module providing package|package \S+ is not in (?:GOROOT|std)/,
    files: ["go.mod", "go.sum"],
  },
  {
    sign: /error\[E04(?:32|33|63)\]|can't find crate|unresolved import/,
    files: ["Cargo.toml", "Cargo.lock"],
  },
  {
    sign: /error: package [\w.]+ does not exist|ClassNotFoundException|NoClassDefFoundError/,
    files: ["pom.xml", "build.gradle"],
  },
];

/**
 * Guesses the context that a model will need for a goal and a report. For each Python, Node, TypeScript, Go, Rust or
 * Java trace line, requests 80 lines on each side and joins adjacent ranges. For import errors, requests the
 * environment and that language's manifests. The deepest frames come first. Paths may not exist. Protected paths and
 * paths outside the root are left out.
 */
export function autoCollectRequests({ goal, report = "", root }: CollectInput): ContextRequest[] {
  const text = `${shorten(goal)}\n${shorten(report)}`;
  const frames = findTraceFrames(text, root).filter(
    ({ path }) => checkPath(path, { use: "read" }).ok,
  );
  const requests = joinRanges(frames);
  const manifests = MANIFESTS.filter(({ sign }) => sign.test(text)).flatMap(({ files }) => files);
  if (manifests.length > 0) requests.push({ type: "env" });
  return [...requests, ...manifests.map((path): ContextRequest => ({ type: "read_file", path }))];
}

function shorten(text: string): string {
  if (text.length <= MAX_TEXT_CHARS) return text;
  return `${text.slice(0, MAX_TEXT_CHARS / 2)}\n${text.slice(-MAX_TEXT_CHARS / 2)}`;
}

/** Creates one request per group of adjacent ranges. */
function joinRanges(frames: readonly TraceFrame[]): ContextRequest[] {
  const byPath = new Map<string, { start: number; end: number }[]>();
  for (const { path, line } of frames) {
    const ranges = byPath.get(path) ?? [];
    byPath.set(path, ranges);
    ranges.push({ start: Math.max(1, line - LINES_AROUND), end: line + LINES_AROUND });
  }
  return [...byPath].flatMap(([path, ranges]) => {
    const joined: { start: number; end: number }[] = [];
    for (const range of ranges.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
      const last = joined.at(-1);
      if (last !== undefined && range.start <= last.end + 1)
        last.end = Math.max(last.end, range.end);
      else joined.push({ ...range });
    }
    return joined.map(({ start, end }): ContextRequest => ({
      type: "read_file",
      path,
      start_line: start,
      end_line: end,
    }));
  });
}
