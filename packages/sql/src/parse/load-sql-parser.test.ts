import { afterEach, expect, it, vi } from "vitest";

afterEach(() => vi.doUnmock("@guanmingchiu/sqlparser-ts"));

it("reports that the parser cannot be loaded", async () => {
  vi.doMock("@guanmingchiu/sqlparser-ts", () => {
    throw new Error("no WebAssembly");
  });
  vi.resetModules();
  const { loadSqlParser } = await import("./index.ts");
  await expect(loadSqlParser()).rejects.toMatchObject({
    code: "no_parser",
    message: expect.stringContaining("@guanmingchiu/sqlparser-ts"),
  });
});

it("parses a statement, and refuses one that would break the module", async () => {
  vi.resetModules();
  const { loadSqlParser, maxOperators, variantOf } = await import("./index.ts");
  const parser = await loadSqlParser();
  const [statement] = parser.parse("select a from t", "postgresql") as unknown[];
  expect(variantOf(statement)?.tag).toBe("Query");
  const long = `select ${"1 + ".repeat(maxOperators + 1)}1`;
  expect(() => parser.parse(long, "postgresql")).toThrow(
    expect.objectContaining({ code: "invalid_input" }),
  );
});
