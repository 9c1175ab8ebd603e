import { withTimeout } from "@ccl/core/async";
import type { ConformanceRule } from "@ccl/core/conformance";
import assert from "node:assert/strict";
import { createFixedClock } from "@ccl/core/testing";
import { batchRules } from "./batch-rules.ts";
import { Bench, expectError, startMs, type Need, type Rule } from "./bench.ts";
import type { ConformanceOptions } from "./conformance-options.ts";
import { contentRules } from "./content-rules.ts";
import { damageRules, verifyRules } from "./damage-rules.ts";
import { garbageRules } from "./garbage-rules.ts";
import { handleRules } from "./handle-rules.ts";
import { lifecycleRules } from "./lifecycle-rules.ts";
import { limitRules } from "./limit-rules.ts";
import { readRules } from "./read-rules.ts";
import { textRules } from "./text-rules.ts";
import { tornCommitRules } from "./torn-commit-rules.ts";

const allRules: readonly Rule[] = [
  ...contentRules,
  ...readRules,
  ...textRules,
  ...handleRules,
  ...batchRules,
  ...tornCommitRules,
  ...limitRules,
  ...garbageRules,
  ...verifyRules,
  ...damageRules,
  ...lifecycleRules,
];

/**
 * Returns the rules of `ArtifactStore` for any test runner. Each rule opens its own store and rejects if the store
 * breaks the rule. If `capabilities` declares a capability absent, the rules check that it is.
 */
export function artifactStoreConformance(options: ConformanceOptions): ConformanceRule[] {
  const { isDurable = true, hasLimits = true, isDamageable = true } = options.capabilities ?? {};
  const can = {
    reopen: isDurable,
    limits: hasLimits,
    corrupt: isDamageable,
    corruptHandle: options.corruptHandle !== undefined,
    cutOff: options.cutOff !== undefined,
  };
  const rules = allRules.filter(({ needs = [] }) => [needs].flat().every((need) => can[need]));
  const absences = absenceRules.filter((rule) => !can[rule.needs]);
  const timeoutMs = options.ruleTimeoutMs ?? 60_000;
  const message = `the rule took longer than ${timeoutMs} ms (ruleTimeoutMs): a call of the store never ends, or is slow`;
  const onTimeout = (): Error => new assert.AssertionError({ message });
  const bind = (name: string, action: () => Promise<void>): ConformanceRule => ({
    name,
    run: () => withTimeout(action, { timeoutMs, onTimeout }),
  });
  return [
    ...rules.map((rule) => bind(rule.name, () => runRule(rule, options))),
    ...absences.map(({ name, check }) => bind(name, () => check(options))),
  ];
}

async function runRule(rule: Rule, options: ConformanceOptions): Promise<void> {
  const overheadBytes = options.overheadBytes ?? 0;
  const bench = await Bench.open(
    options,
    rule.limits?.((contentBytes) => contentBytes + overheadBytes),
  );
  try {
    await rule.check(bench);
  } finally {
    await bench.store.close();
  }
}

const absenceRules: {
  name: string;
  needs: Need;
  check(options: ConformanceOptions): Promise<void>;
}[] = [
  {
    name: "a store without limits refuses to be opened with some",
    needs: "limits",
    async check({ open }) {
      const limits = { maxStoreBytes: 1 };
      await expectError("unsupported", () => open({ clock: createFixedClock(startMs), limits }));
    },
  },
  {
    name: "a store that is not durable is empty when it is opened again",
    needs: "reopen",
    async check(options) {
      if (options.reopen === undefined) return;
      const bench = await Bench.open(options);
      await bench.put(10);
      const again = await bench.reopen();
      await again.expectEmpty();
      await again.store.close();
    },
  },
  {
    name: "a store that cannot be damaged brings no way to do it",
    needs: "corrupt",
    async check({ corrupt }) {
      assert.equal(corrupt, undefined, "corrupt is given although isDamageable is false");
    },
  },
];
