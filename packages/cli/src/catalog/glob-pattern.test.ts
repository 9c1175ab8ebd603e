import { describe, expect, it } from "vitest";

import { fixedFolder, globPattern } from "./glob-pattern.ts";

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

describe("globPattern", () => {
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
    const pattern = globPattern(glob);
    expect(paths.filter((path) => pattern.test(path))).toEqual(matches);
  });

  it.each(["{a,b", "[a", "[z-a].csv"])("refuses %s", (glob) => {
    expect(() => globPattern(glob)).toThrow(`--files ${glob}`);
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
