import assert from "node:assert/strict";
import { assertBytes, inPieces, type Rule, rulesOf, someBytes } from "./bench.ts";

const source = "tool:test";
const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`;
const key = `-----BEGIN PRIVATE KEY-----\n${"MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n".repeat(600)}-----END PRIVATE KEY-----`;

/** Summaries are short plain text without secrets. */
export const summaryRules: Rule[] = rulesOf({
  async "a summary never holds a secret of the content, wherever a cut falls"({ store }) {
    const cuts = [0, 150, 180, 199, 8_170, 8_190];
    for (const content of [...cuts.map((at) => `${"word ".repeat(at / 5)}${token} end`), key]) {
      const bytes = new TextEncoder().encode(content);
      for (const given of [content, inPieces(bytes, 7, 4_000)]) {
        const handle = await store.store(given, { source });
        for (const { summary } of [handle, ...(await store.getHandles(handle.artifactId))])
          assert.doesNotMatch(summary, /ghp_|a1B2c3|MIIEvQ|kqhkiG/);
        assertBytes(await store.retrieve(handle.artifactId), bytes);
      }
    }
  },
  async "a summary that is given is masked too"({ store }) {
    const handle = await store.store("a", { source, summary: `Uses ${token}.` });
    assert.equal(handle.summary, "Uses [redacted:github_token].");
    assert.deepEqual(await store.getHandles(handle.artifactId), [handle]);
  },
  async "a summary is well-formed text of at most 4,000 characters"({ store }) {
    const family = "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}".repeat(2_000);
    for (const content of [someBytes(5_000, 30), family, "\u0000", "a\ufffe"]) {
      const given = await store.store(content, { source, summary: "\u{1f600}".repeat(5_000) });
      const { artifactId } = await store.store(content, { source });
      for (const { summary } of [given, ...(await store.getHandles(artifactId))]) {
        assert.ok(summary.length <= 4_000, `${summary.length} characters`);
        assert.doesNotMatch(summary, /\p{Surrogate}|\0/u);
      }
    }
  },
});
