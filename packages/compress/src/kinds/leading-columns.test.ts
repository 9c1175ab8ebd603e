import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { leadingColumns, sourceFinder } from "./leading-columns.ts";

const bodiesOf = (lines: readonly string[]): string[] => {
  const bodyOf = leadingColumns(lines);
  return lines.map((line) => bodyOf?.(line) ?? line);
};
const repeat = (lineOf: (at: number) => string): string[] =>
  Array.from({ length: 40 }, (_, at) => lineOf(at));
const messages = ["disk full", "started", "lost the volume", "retrying soon", "no route to peer"];
const message = (at: number): string => messages[at % messages.length] ?? "";
const level = (at: number): string => (at % 3 === 0 ? "ERROR" : "INFO");

describe("leadingColumns", () => {
  it.each([
    ["a time", (at: number) => `2026-03-01 10:00:${10 + at},123 `],
    ["a month, a day and a host", (at: number) => `Mar  1 10:00:${10 + at} combo `],
    [
      "hosts with and without a number",
      (at: number) => `Mar 1 10:00:${10 + at} ${at % 2 ? "admin" : `dn${at}`} `,
    ],
    ["process ids", (at: number) => `03-17 16:13:${10 + at}.811  1702  ${2000 + at} `],
    ["a time in brackets", (at: number) => `[Sun Dec 04 04:47:${10 + at} 2005] `],
    ["columns between bars", (at: number) => `20171223-22:15:${10 + at}|30002312|`],
  ])("removes %s", (_name, lead) => {
    expect(bodiesOf(repeat((at) => `${lead(at)}${message(at)}`))).toEqual(repeat(message));
  });

  it("keeps a level, the name of a program, and a line that begins differently", () => {
    const lines = repeat((at) => `10:00:${10 + at} ${level(at)} sshd[${at}]: ${message(at)}`);
    const trace = "    at mount (volume.ts:12)";
    const bodies = bodiesOf([...lines, trace]);
    expect(bodies[0]).toBe("ERROR sshd: disk full");
    expect(bodies[1]).toBe("INFO sshd: started");
    expect(bodies.at(-1)).toBe(trace.trim());
  });

  it("keeps numbers and addresses of the message", () => {
    const lines = repeat((at) => `10:00:${10 + at} INFO worker ${at} took job ${at * 7}`);
    expect(bodiesOf(lines)[3]).toBe("worker 3 took job 21");
    const proxy = repeat((at) => `[10.30 16:49:${10 + at}] chrome.exe - host${at}:5070 open`);
    expect(bodiesOf(proxy)[3]).toBe("- host3:5070 open");
  });

  it("finds nothing if lines have no columns of numbers", () => {
    expect(leadingColumns(repeat(message))).toBeUndefined();
  });

  it("keeps every message without numbers whole", () => {
    const word = fc.stringMatching(/^[a-z]{1,9}$/);
    const text = fc.array(word, { minLength: 2, maxLength: 9 }).map((words) => words.join(" "));
    const texts = fc.uniqueArray(text, {
      minLength: 20,
      maxLength: 40,
      selector: (one) => one.split(" ", 1)[0],
    });
    fc.assert(
      fc.property(texts, (said) => {
        const lines = said.map((one, at) => `2026-03-01 10:00:${10 + at} ${level(at)} ${one}`);
        expect(bodiesOf(lines)).toEqual(said.map((one, at) => `${level(at)} ${one}`));
      }),
    );
  });
});

describe("sourceFinder", () => {
  const sourcesOf = (lines: readonly string[]): string[] => lines.map(sourceFinder(lines));

  it.each([
    ["a level", (at: number) => `${level(at)} `],
    [
      "a level after a facility",
      (at: number) => `${at % 7 ? "" : "KERNDTLB "}RAS KERNEL ${level(at)} `,
    ],
    ["a level in brackets", (at: number) => `[${level(at)}] `],
    ["a level, a thread and a class", (at: number) => `${level(at)} [main #${at}] MRAppMaster: `],
    [
      "a program with one or two words",
      (at: number) => (at % 4 ? "sshd: " : "Microsoft Word[14463]: "),
    ],
    ["a program before a dash", (at: number) => (at % 2 ? "chrome.exe - " : "chrome.exe *64 - ")],
  ])("finds %s", (_name, source) => {
    expect(sourcesOf(repeat((at) => `${source(at)}${message(at)}`))).toEqual(repeat(source));
  });

  it("finds nothing if only some lines have it", () => {
    const lines = repeat((at) => `${at % 4 ? "" : "ciod: error "}${message(at)}`);
    expect(new Set(sourcesOf(lines))).toEqual(new Set([""]));
  });
});

it("keeps a destination between signs that are not numbers", () => {
  const name = (at: number): string => (at % 2 ? "QQ.exe" : "chrome.exe");
  const to = (at: number): string =>
    `${name(at)} - ${at % 3 ? "proxy.example:5070" : "tcp1.example:80"} open`;
  expect(bodiesOf(repeat((at) => `[10.30 16:49:${10 + at}] ${to(at)}`))).toEqual(repeat(to));
});
