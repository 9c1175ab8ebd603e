import { findJson, type FoundJson } from "../json/find-json.ts";
import { groupByForm, maskLines } from "../weigh/line-forms.ts";
import { looksDelimited } from "./delimited.ts";
import { stripTerminalCodes } from "./strip-terminal-codes.ts";

/**
 * A kind of content. A `listing` has one item per line: files, commits, or search hits without
 * their text.
 */
export type ContentKind =
  | "json"
  | "delimited"
  | "log"
  | "tests"
  | "build"
  | "diff"
  | "history"
  | "listing"
  | "matches"
  | "html"
  | "yaml"
  | "markdown"
  | "code"
  | "text"
  | "binary";

const sampleChars = 20_000;

/**
 * Patterns of lines that only one kind of content has, with the share of sampled lines that must
 * match.
 */
const lineKinds: readonly [ContentKind, RegExp, number][] = [
  [
    "build",
    /^(?:\S[^:(\n]{0,200}(?:\(\d+,\d+\)|(?::\d+){1,2})(?::| -) (?:fatal )?(?:error|warning|note)\b|\s*\d+:\d+\s+(?:error|warning)\s|(?:error|warning)(?:\[\w+\])?: )/,
    0.1,
  ],
  [
    "log",
    /^\s*(?:\[?(?:\d{4}[-/]\d\d[-/]\d\d|\d\d[/-]\d\d[/-]\d\d)[T ]|\[?\d\d:\d\d:\d\d|\d{6} \d{6} |(?:\[?\w{3} )?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\[?(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL)\b|[\d.]{7,15} - \S+ \[|\d+ (?:silly|verbose|http|timing|info) |.{0,60}?\d\d:\d\d:\d\d)/,
    0.5,
  ],
  ["matches", /^(?:[A-Za-z]:)?[^\s:]*[./\\][^:\n]{0,250}[:-]\d+[:-]|^--$/, 0.8],
  ["matches", /^(?:\d+[:-]|--$)/, 0.95],
  [
    "listing",
    /^(?:[0-9a-f]{7,40} \S.*|[\dA-Za-z-]{4,10}[rwx-]{6}\S*\s+\d.*|\d{6} (?:blob|tree|commit) .*|[ MADRCU?!]{2} \S+|(?:\.{0,2}\/)?[^\s:]+\/[^\s:]*(?::\d+)?)$/,
    0.8,
  ],
];
/** Patterns for files listed under their folders or paths, and for the output of `git status`. */
const groupedKinds: readonly [ContentKind, RegExp][] = [
  ["listing", /^(?:On branch \S|HEAD detached at )/],
  [
    "listing",
    /(?:^|\n\n)\.{0,2}\/?[\w@.-]+(?:\/[^\s:]*)?:\n(?:total \d+\n)?[^\n:]+\n(?:[^\n:]+\n)*\n\.{0,2}\/?[\w@.-]+\/[^\s:]*:\n/,
  ],
  [
    "matches",
    /(?:^|\n\n)[^\s:]*[./][^\s:]*\n(?:\d+[:-].*\n)+(?:\n|--\n)[^\s:]*[./][^\s:]*\n\d+[:-]/,
  ],
];
const testRun =
  /^[ \t]*(?:RUN\s+v\d|=+ test session starts|running \d+ tests?$|TAP version \d|ok \d+ |not ok \d+ |--- (?:FAIL|PASS|SKIP): |=== RUN |# tests \d|Tests?:?\s+\d+ (?:failed|passed)|test result: |<testsuites?\b|ℹ tests \d|[✔✖] .*\(\d+(?:\.\d+)?ms\)$|=+ FAILURES =+$|(?:\d+ failed, )?\d+ passed(?:, .*)? in \d|(?:PASS|FAIL) \S+\.[cm]?[jt]sx?$)/m;
const codeLine =
  /^\s*(?:import\b.*(?:from|;|\()|from \S+ import|export |(?:public|private|protected|static|async) |(?:const|let|var) \w+.*[=;]|(?:async )?function\b|class \w+.*[{:]$|def \w+\(|fn \w+|func [\w(]|package [\w.]+;?$|use [\w:]+|#include|return\b.*;?$|(?:if|elif|for|while|with|except)\b.*:$|(?:else|try):$|raise \w|self\.\w|@\w+|\w+(?:\.\w+)* = |if \(.*\{$|\}[);,]*$|\/\/|\/?\*+( |\/|$))/;

const yamlKey = /^\s*(?:- )?["']?[\w./@$-]{1,60}["']?:(?:\s|$)/;
const yamlLine = new RegExp(`${yamlKey.source}|^\\s*- \\S|^---$|^\\s*#`);

/** The detected kind, and any JSON that was parsed to detect it. */
export interface IdentifiedText {
  kind: ContentKind;
  json?: FoundJson | undefined;
}

/**
 * Identifies the kind of content by its first 20,000 characters. JSON is recognized by the whole
 * content.
 */
export function identify(text: string): IdentifiedText {
  const sample = stripTerminalCodes(text.slice(0, sampleChars));
  if (isBinary(sample)) return { kind: "binary" };
  if (/^\s*<(?:!doctype html|html|head|body)\b/i.test(sample)) return { kind: "html" };
  const json = /[[{]/.test(sample.slice(0, 300)) ? findJson(text) : undefined;
  if (json !== undefined) return { kind: "json", json };
  return { kind: kindOfLines(sample, stripTerminalCodes(text.slice(-sampleChars / 4))) };
}

/** Identifies the kind of lines by the beginning and the end of the content. */
function kindOfLines(sample: string, end: string): ContentKind {
  if (/^(?:diff --git |--- \S.*\n\+\+\+ |Index: \S)/m.test(sample) && /^@@ -\d/m.test(sample))
    return "diff";
  if (/^commit [0-9a-f]{7,40}\b/.test(sample.trimStart())) return "history";
  if (testRun.test(sample) || testRun.test(end)) return "tests";
  const lines = sample
    .split("\n")
    .slice(0, -1)
    .filter((line) => line.trim() !== "");
  if (lines.length === 0) return "text";
  const shareOf = (pattern: RegExp): number =>
    lines.filter((line) => pattern.test(line.slice(0, 400))).length / lines.length;
  if (looksDelimited(sample)) return "delimited";
  const byLine = lineKinds.find(
    ([, pattern, share]) => lines.length > 2 && shareOf(pattern) >= share,
  )?.[0];
  if (byLine !== undefined) return byLine;
  const grouped = groupedKinds.find(([, pattern]) => pattern.test(sample.slice(0, 4_000)))?.[0];
  if (grouped !== undefined) return grouped;
  // The quoted lines are code, but the error itself is not.
  if (/^Traceback \(most recent call last\):$/m.test(sample)) return "log";
  if (shareOf(codeLine) >= 0.25) return "code";
  if (/^#{2,6} \S|^(?:```|~~~)|^\|.*\|\s*\n\|[ :|-]+\|/m.test(sample)) return "markdown";
  if (shareOf(yamlLine) >= 0.7 && shareOf(yamlKey) >= 0.3) return "yaml";
  if (/^# \S/m.test(sample)) return "markdown";
  if (/\[\d+\/\d+\]|^(?:make|npm|cargo|ninja|gcc|cc|ld|error)\b.*:/m.test(sample)) return "build";
  const forms = groupByForm(maskLines(lines));
  return lines.length >= 20 && forms.length < lines.length / 2 ? "log" : "text";
}

function isBinary(sample: string): boolean {
  let odd = 0;
  for (let at = 0; at < Math.min(sample.length, 2_000); at += 1) {
    const code = sample.charCodeAt(at);
    if (
      code === 0 ||
      code === 0xfffd ||
      (code < 32 && code !== 9 && code !== 10 && code !== 13 && code !== 27 && code !== 8)
    )
      odd += 1;
  }
  return (odd > 2 && odd > Math.min(sample.length, 2_000) * 0.02) || isBase64(sample);
}

function isBase64(sample: string): boolean {
  const lines = sample.trimEnd().split("\n");
  const last = lines.pop() ?? "";
  return (
    sample.length >= 60 &&
    /^[\w+/=-]*\r?$/.test(last) &&
    (lines.length > 0 || last.length >= 60) &&
    lines.every((line) => /^[\w+/=-]{60,}\r?$/.test(line))
  );
}
