import { CclError, redactSecrets } from "@ccl/core";
import { inertText } from "../record/inert-text.ts";
import type { ResourceDetails, ResourceInput } from "../record/resource-record.ts";
import { digestName, isEntryOf } from "../record/schema-digest.ts";
import { compareColumns } from "./compare-columns.ts";
import type { WholeCard } from "./read-cards.ts";
import type { ProbeAnswer, ProbeRun, ResourceProbe } from "./resource-probe.ts";
import { runWithin } from "./run-within.ts";
import type { VerifyFinding } from "./verify-report.ts";

/** A card with its source's answer. */
export interface ProbedCard {
  details: ResourceDetails | undefined;
  findings: VerifyFinding[];
  /** True if the source was probed and answered. */
  isAnswered: boolean;
  /** True if the catalog shows all columns, so the source's columns can replace them. */
  isWhole: boolean;
  fresh?: Pick<ResourceInput, "columns" | "shape"> | undefined;
  siblings?: readonly ResourceInput[] | undefined;
  added?: readonly ResourceInput[] | undefined;
}

/** Options of `probeCard`. */
interface ProbeCardOptions {
  runs: readonly { probe: ResourceProbe; run: ProbeRun }[];
  timeoutMs: number;
  signal: AbortSignal;
}

/** Probes a card's source and compares the answer with the card. */
export async function probeCard(
  card: WholeCard,
  { runs, timeoutMs, signal }: ProbeCardOptions,
): Promise<ProbedCard> {
  const { overview, details, isWhole } = card;
  const resourceId = overview.id;
  const unprobed = (finding: Omit<VerifyFinding, "resourceId">): ProbedCard => {
    return { details, isAnswered: false, isWhole, findings: [{ ...finding, resourceId }] };
  };
  if (details === undefined) {
    const message = "The card is not given to this principal; verify as one that sees everything";
    return unprobed({ severity: "unverified", code: "card_denied", message });
  }
  const found = runs.find(({ probe }) => probe.handles(details));
  if (found === undefined) {
    const { uri } = overview;
    const message =
      uri === undefined ? "The resource has no uri" : `No probe is for ${quoted(uri)}`;
    return unprobed({ severity: "notice", code: "not_probed", message });
  }
  const outcome = await runWithin((stop) => found.run.probe(details, { signal: stop }), {
    timeoutMs,
    signal,
  });
  if (outcome.state === "timed_out") {
    const message = `The probe ${found.probe.name} had no answer within ${timeoutMs} ms`;
    return unprobed({ severity: "unverified", code: "timed_out", message });
  }
  if (outcome.state === "failed") {
    const message = `The probe ${found.probe.name} failed: ${reasonOf(outcome.error)}`;
    return unprobed({ severity: "unverified", code: "unreachable", message });
  }
  return compareAnswer(card, details, outcome.value);
}

function compareAnswer(card: WholeCard, details: ResourceDetails, answer: ProbeAnswer): ProbedCard {
  const resourceId = details.id;
  const { isWhole } = card;
  if (answer.state !== "available") {
    const { state: code } = answer;
    const message = `${inertText(redactSecrets(answer.reason).text, 300)} (${quoted(details.uri ?? resourceId)})`;
    const severity = code === "missing" ? "breaking" : "unverified";
    return {
      details,
      isAnswered: code === "missing",
      isWhole,
      findings: [{ severity, code, resourceId, message }],
      siblings: answer.siblings,
      added: answer.added ?? answer.siblings,
    };
  }
  const { columns, shape, siblings, added = siblings, knows = [] } = answer;
  const findings: VerifyFinding[] = [];
  if (columns !== undefined && details.columns !== undefined) {
    const drift = compareColumns(details.columns, columns, { knows, isPartial: !isWhole });
    findings.push(...drift.map((finding) => ({ ...finding, resourceId })));
    if (!isWhole) {
      const message = "Columns are hidden from this principal, so added ones cannot be recognized";
      findings.push({ severity: "notice", code: "columns_hidden", resourceId, message });
    }
  }
  if (columns !== undefined) findings.push(...staleDigest(card, columns, findings));
  return {
    details,
    findings,
    isAnswered: true,
    isWhole: isWhole && details.columns !== undefined,
    fresh: { columns, shape },
    siblings,
    added,
  };
}

/** Returns digest fields that the source lacks, except columns that a finding already names. */
function staleDigest(
  { overview }: WholeCard,
  columns: NonNullable<ResourceInput["columns"]>,
  known: readonly VerifyFinding[],
): VerifyFinding[] {
  const fresh = new Map(columns.map((column) => [column.name, column]));
  const named = new Set(known.map(({ path }) => path));
  return overview.schema_digest.flatMap((entry): VerifyFinding[] => {
    const name = digestName(entry);
    // A parameter and a response field may have the same name.
    if (
      columns.some((each) => isEntryOf(entry, each)) ||
      named.has(`columns.${inertText(name, 200)}`)
    )
      return [];
    const column = fresh.get(name);
    return [
      {
        severity: "breaking",
        code: "digest_stale",
        resourceId: overview.id,
        path: "schema_digest",
        message: `The digest has ${quoted(entry)}, and the source ${column === undefined ? "no such column" : "another type"}`,
        from: inertText(entry, 200),
        to: column?.type === undefined ? undefined : inertText(`${name}:${column.type}`, 200),
      },
    ];
  });
}

function reasonOf(error: unknown): string {
  const cause = CclError.isInstance(error) && error.cause instanceof Error ? error.cause : error;
  return inertText(redactSecrets(cause instanceof Error ? cause.message : String(cause)).text, 300);
}

function quoted(text: string): string {
  return JSON.stringify(inertText(redactSecrets(text).text, 300));
}
