import { describe, expect, it } from "vitest";

import { renderTable } from "./table.ts";
import { styleOf } from "./style.ts";

const columns = ["alias", { right: "tokens" }];
const rows = [
  ["H.main", "1,024"],
  ["H.東京", "7"],
  ["H.\u001B[31mred", "12"],
];

describe("a table", () => {
  it("aligns by display width on a terminal and shows control characters instead of sending them", () => {
    const style = styleOf({ isTTY: true }, { NO_COLOR: "1" });
    expect(renderTable(columns, rows, style)).toMatchInlineSnapshot(`
      "alias            tokens
      H.main            1,024
      H.東京                7
      H.\\u{1b}[31mred      12
      "
    `);
  });

  it("fits the width of the terminal, and marks what it cuts", () => {
    const run = ["run-0123456789", "a chat with a long name", "12", "What is 東京 like in spring?"];
    const titles = ["run", "chat", { right: "ms" }, "asked"];
    const widest = (width: number | undefined): number => {
      const style = styleOf({ isTTY: true, columns: width }, { NO_COLOR: "1" });
      const lines = renderTable(titles, [run], style).split("\n");
      return Math.max(...lines.map((line) => line.length + (line.match(/[東京]/g) ?? []).length));
    };
    expect([widest(undefined), widest(80), widest(60), widest(50)]).toEqual([73, 73, 60, 50]);
    const style = styleOf({ isTTY: true, columns: 50 }, { NO_COLOR: "1" });
    expect(renderTable(titles, [run], style)).toMatchInlineSnapshot(`
      "run             chat            ms  asked
      run-0123456789  a chat with a…  12  What is 東京 …
      "
    `);
  });

  it("is one line a row with tabs where it is piped", () => {
    const style = styleOf({ isTTY: false }, {});
    expect(renderTable(columns, rows, style)).toBe(
      "H.main\t1,024\nH.東京\t7\nH.\\u{1b}[31mred\t12\n",
    );
  });
});

describe("colour", () => {
  it.each([
    { isTTY: true, environment: {}, isWanted: true },
    { isTTY: false, environment: {}, isWanted: false },
    { isTTY: true, environment: { NO_COLOR: "1" }, isWanted: false },
    { isTTY: true, environment: { NO_COLOR: "" }, isWanted: true },
    { isTTY: true, environment: { TERM: "dumb" }, isWanted: false },
    { isTTY: false, environment: { FORCE_COLOR: "1" }, isWanted: true },
    { isTTY: true, environment: { FORCE_COLOR: "0" }, isWanted: false },
    { isTTY: false, environment: { FORCE_COLOR: "1", NO_COLOR: "1" }, isWanted: false },
  ])(
    "with $environment on a terminal ($isTTY) is $isWanted",
    ({ isTTY, environment, isWanted }) => {
      const { colours } = styleOf({ isTTY }, environment);
      expect(colours.red("x") !== "x").toBe(isWanted);
    },
  );
});
