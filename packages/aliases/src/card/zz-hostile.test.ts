import { it } from "vitest";
import { buildCard } from "./build-card.ts";
import { computeDelta } from "../delta/compute-delta.ts";
import { sha256Hex } from "@ccl/core";
const mb = 5_000_000;
const rep = (s: string) => s.repeat(Math.ceil(mb / s.length));
const texts: Record<string, string> = { letters: rep("a"), spaces: rep(" "), lines: rep("a\n"), nl: rep("\n"), heads: rep("# a\n"), goals: rep("## goal\n- x\n"), bullets: "## Decision\n" + rep("- x\n"), labels: rep("Rejected: a\n"), paras: "## Decision\n" + rep("a\n"), quotes: rep('"'), stars: rep("*"), under: rep("_a"), brackets: rep("["), deep: "[".repeat(mb / 2) + "]".repeat(mb / 2), deepobj: '{"a":'.repeat(mb/6) + "1" + "}".repeat(mb/6), pipes: rep("| a "), table: "| id | summary |\n|---|---|\n" + rep("| O1 | x |\n"), nul: rep("\0"), its: rep('it("a", f);\n'), itopen: rep('it.each('), describe: rep('describe("\\'), html: rep("<a "), comments: rep("<!--\n"), eq: rep("a=b\n"), eqline: rep("a="), zw: rep("e\u0301\u0301"), types: rep("type A {\n"), test: rep("@Test\n"), rust: rep("#[test]\n"), jsonstr: '{"a":"' + rep("x\\\"") + '"}', commas: '[' + rep(" ,") , slashes: "{" + rep("/*"), schema: JSON.stringify({type:"object", properties: Object.fromEntries(Array.from({length: 100000}, (_, i) => ["f"+i, {type:"string"}]))}), o1: rep("O1: "), excl: "- O1: " + rep("; ex"), };
it("h", async () => {
  for (const [name, text] of Object.entries(texts)) for (const [alias, path] of [["A.a","a.md"],["P.a","a.md"],["S.a","a.json"],["S.g","a.graphql"],["PR.a","a.toml"],["T.a","a.test.ts"],["T.j","A.java"],["T.r","a.rs"],["D.a","a.md"],["S.s","a.sql"], ["PR.y","a.yaml"]] as const) {
    const t = performance.now(); const c = await buildCard({ path, alias, text: text.slice(0, mb) }); const ms = performance.now() - t;
    if (ms > 900) console.log("SLOW", name, alias, path, Math.round(ms), c.kind);
  }
}, 600000);
it("d", async () => {
  for (const [name, text] of Object.entries(texts)) for (const path of ["adr/a.md", "a.json", "a.toml"]) {
    const e = (t: string) => ({ id: "", entries: { "X.a": { path, sha256: sha256Hex(t), text: t } } });
    const t = performance.now(); await computeDelta(e(text), e("x\n" + text + "y")); const ms = performance.now() - t;
    if (ms > 2000) console.log("SLOWDELTA", name, path, Math.round(ms));
  }
}, 600000);
