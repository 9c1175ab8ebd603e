import { compareCodeUnits } from "@ccl/core";
import { mapConcurrent } from "@ccl/core/async";
import { arrayAt, isRecord, stringAt } from "@ccl/core/json";
import type { Principal } from "../access/access-options.ts";
import { requireWhole } from "../require-whole.ts";
import { CatalogError } from "../catalog-error.ts";
import type { ResourceInput } from "../record/resource-record.ts";
import { addedFinding, addedResources } from "./added-resources.ts";
import { createTableLookups } from "./create-table-lookup.ts";
import { lintSnippets, type LintContext, type SnippetLinter } from "./lint-snippets.ts";
import { probeCard, type ProbedCard } from "./probe-card.ts";
import { readCards, type VerifiableCatalog } from "./read-cards.ts";
import { refreshedResource } from "./refreshed-resource.ts";
import type { ResourceProbe } from "./resource-probe.ts";
import {
  createVerifyReport,
  driftCodes,
  type VerifyFinding,
  type VerifyReport,
} from "./verify-report.ts";

/** Options of `verifyCatalog`. */
export interface VerifyOptions {
  /** Probes of sources. If several can check a resource, the first is used. */
  probes: readonly ResourceProbe[];
  /** Linters by engine, in lower case. A linter for `sql` replaces the built-in one. */
  snippetLinters?: Readonly<Record<string, SnippetLinter>> | undefined;
  /** The principal that reads the catalog. It should see all columns. */
  principal?: Principal | undefined;
  /**
   * Called with the resources to write, for example `(resources) => catalog.register(resources)`. These are
   * resources missing from the catalog, and resources whose columns or keys differ, updated from the source. Text
   * written by people is kept. Resources with hidden columns are left out. Sections hidden from the principal
   * would be lost, so pass one that sees everything. Without this function, nothing is changed.
   */
  update?: ((resources: ResourceInput[]) => Promise<unknown>) | undefined;
  /**
   * Called with the ids of resources that no longer exist in their source, for example `(ids) =>
   * catalog.remove(ids)`.
   */
  retire?: ((ids: string[]) => Promise<unknown>) | undefined;
  /** Timeout for one probe or linter, in milliseconds. 10,000 by default. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Checks that the target of every uri exists, compares columns with the source, and lints snippets against them.
 * Returns findings as data, even if a source does not answer.
 * @throws CatalogError `invalid_options`, `aborted`, and errors of the catalog
 */
export async function verifyCatalog(
  catalog: VerifiableCatalog,
  options: VerifyOptions,
): Promise<VerifyReport> {
  const { timeoutMs = 10_000 } = options;
  requireWhole("timeoutMs", timeoutMs, [1, 2_147_483_647]);
  const controller = new AbortController();
  const stop = (): void => controller.abort(options.signal?.reason);
  options.signal?.addEventListener("abort", stop, { once: true });
  try {
    if (options.signal?.aborted === true) stop();
    return await verify(catalog, { ...options, timeoutMs, signal: controller.signal });
  } catch (error) {
    if (options.signal?.aborted !== true) throw error;
    throw new CatalogError("aborted", "The verification was aborted.", { cause: error });
  } finally {
    options.signal?.removeEventListener("abort", stop);
    // Stops probes that timed out.
    controller.abort();
  }
}

type Settled = VerifyOptions & { timeoutMs: number; signal: AbortSignal };

const probesAtOnce = 4;

async function verify(catalog: VerifiableCatalog, options: Settled): Promise<VerifyReport> {
  const { signal } = options;
  signal.throwIfAborted();
  const cards = await readCards(catalog, { principal: options.principal, signal });
  const runs = options.probes.map((probe) => ({ probe, run: probe.begin({ signal }) }));
  const probed = await mapConcurrent(cards, probesAtOnce, (card) =>
    probeCard(card, { runs, ...options }),
  );
  const context: LintContext = {
    ...options,
    lookups: createTableLookups(
      probed.flatMap((card) =>
        card.details === undefined ? [] : [{ ...card, details: card.details }],
      ),
    ),
  };
  const linted = await lintSnippets(probed, context);
  const added = addedResources(probed);
  const findings = [
    ...probed.flatMap((card) => card.findings),
    ...added.map(addedFinding),
    ...linted.findings,
  ];
  const updated = await update({ cards: probed, added, findings }, options);
  findings.sort(
    (left, right) =>
      compareCodeUnits(left.resourceId, right.resourceId) ||
      compareCodeUnits(left.code, right.code) ||
      compareCodeUnits(left.path ?? "", right.path ?? ""),
  );
  return createVerifyReport(findings, {
    resources: cards.length,
    probed: probed.filter((card) => card.isAnswered).length,
    snippets: linted.checked,
    updated,
  });
}

/** Updates the catalog by calling each function once. Marks the findings that this resolves. */
async function update(
  {
    cards,
    added,
    findings,
  }: {
    cards: readonly ProbedCard[];
    added: readonly ResourceInput[];
    findings: VerifyFinding[];
  },
  { update: write, retire, signal }: Settled,
): Promise<string[]> {
  const resources = [...added, ...cards.flatMap((card) => refreshedResource(card) ?? [])];
  const missing = findings.flatMap(({ code, resourceId }) =>
    code === "missing" ? resourceId : [],
  );
  const apply = async (
    ids: string[],
    action: (() => Promise<unknown>) | undefined,
  ): Promise<string[]> => {
    if (action === undefined || ids.length === 0) return [];
    signal.throwIfAborted();
    const reason = await action().then(refusalOf, (error: unknown) => String(error));
    if (reason === undefined) {
      const done = new Set(ids);
      for (const finding of findings)
        if (done.has(finding.resourceId) && (ids === missing || driftCodes.has(finding.code)))
          finding.isUpdated = true;
      return ids;
    }
    const message = `The catalog could not be brought up to date: ${reason.slice(0, 300)}`;
    const resourceId = ids[0] ?? "";
    findings.push({ severity: "unverified", code: "update_failed", resourceId, message });
    return [];
  };
  return [
    ...(await apply(
      resources.map(({ id }) => id),
      write && (() => write(resources)),
    )),
    ...(await apply(missing, retire && (() => retire(missing)))),
  ];
}

/** Returns the reason for a failed result, which means that nothing was registered. */
function refusalOf(result: unknown): string | undefined {
  if (!isRecord(result) || result["ok"] !== false) return undefined;
  return stringAt(arrayAt(result, "issues")[0], "message") ?? "it refused";
}
