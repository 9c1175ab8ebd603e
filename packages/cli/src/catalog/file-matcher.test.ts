import { describe, expect, it } from "vitest";

import { fileMatcher, fixedFolder } from "./load-files.ts";

const paths = [
  "a.csv",
  "b.json",
  "data/a.csv",
  "data/deep/c.csv",
  "data/.hidden/d.csv",
  "data/.e.csv",
  "x[1].csv",
  "a+b.csv",
];

describe("fileMatcher", () => {
  it.each([
    ["*.csv", ["a.csv", "x[1].csv", "a+b.csv"]],
    ["**/*.csv", ["a.csv", "data/a.csv", "data/deep/c.csv", "x[1].csv", "a+b.csv"]],
    ["data/**", ["data/a.csv", "data/deep/c.csv"]],
    ["data/.*.csv", ["data/.e.csv"]],
    ["{a,b}.{csv,json}", ["a.csv", "b.json"]],
    ["[!a].json", ["b.json"]],
    ["?.csv", ["a.csv"]],
    ["x[[]1].csv", ["x[1].csv"]],
    ["a+b.csv", ["a+b.csv"]],
    ["data/a.csv", ["data/a.csv"]],
  ])("%s matches %j", (glob, matches) => {
    expect(paths.filter(fileMatcher(glob))).toEqual(matches);
  });

  it.each(["{a,b", "[a", "a{b}{c", "{a,b}".repeat(7)])("refuses %s", (glob) => {
    expect(() => fileMatcher(glob)).toThrow(`--files ${glob}`);
  });
});

describe("fixedFolder", () => {
  it.each([
    ["*.csv", ""],
    ["a.csv", ""],
    ["data/a.csv", "data"],
    ["data/deep/**/*.csv", "data/deep"],
    ["../other/*.csv", "../other"],
    ["/abs/{a,b}/*.csv", "/abs"],
  ])("of %s is %j", (glob, folder) => {
    expect(fixedFolder(glob)).toBe(folder);
  });
});
