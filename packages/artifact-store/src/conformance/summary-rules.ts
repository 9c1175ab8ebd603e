import assert from "node:assert/strict";
import { assertBytes, inPieces, someBytes, type Rule } from "./bench.ts";

const source = "tool:test";
const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`;
const key = `-----BEGIN PRIVATE KEY-----\n${"MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n".repeat(600)}-----END PRIVATE KEY-----`;

/** Summaries are short plain text without secrets. */
export const summaryRules: Rule[] = [
  {
    name: "a summary never holds a secret of the content, wherever a cut falls",
    async check({ store }) {
      const contents = [
        ...[0, 150, 180, 199, 8_170, 8_190].map((at) => `${"word ".repeat(at / 5)}${token} end`),
        key,
      ];
      for (const content of contents) {
        for (const given of [content, inPieces(new TextEncoder().encode(content), 7, 4_000)]) {
          const { summary, artifactId } = await store.store(given, { source });
          assert.doesNotMatch(summary, /ghp_|a1B2c3|MIIEvQ|kqhkiG/);
          for (const handle of await store.getHandles(artifactId))
            assert.doesNotMatch(handle.summary, /ghp_|MIIEvQ/);
          assertBytes(await store.retrieve(artifactId), new TextEncoder().encode(content));
        }
      }
    },
  },
  {
    name: "a summary that is given is masked too",
    async check({ store }) {
      const handle = await store.store("a", { source, summary: `Uses ${token}.` });
      assert.equal(handle.summary, "Uses [redacted:github_token].");
      assert.deepEqual(await store.getHandles(handle.artifactId), [handle]);
    },
  },
  {
    name: "a summary is well-formed text of at most 4,000 characters",
    async check({ store }) {
      const contents = [
        someBytes(5_000, 30),
        "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}".repeat(2_000),
        "\u0000",
        "a\ufffe",
      ];
      for (const content of contents) {
        const given = await store.store(content, { source, summary: "\u{1f600}".repeat(5_000) });
        const summarized = await store.store(content, { source });
        for (const { summary } of [
          given,
          summarized,
          ...(await store.getHandles(summarized.artifactId)),
        ]) {
          assert.ok(summary.length <= 4_000, `${summary.length} characters`);
          assert.doesNotMatch(summary, /\p{Surrogate}|\0/u);
        }
      }
    },
  },
];
