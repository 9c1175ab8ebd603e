import { success, type Result } from "@ccl/core";
import * as z from "zod";

import { isEventKind, issuesOf } from "../event/check-event-data.ts";
import type { SessionEvent, SessionEventKind } from "../event/session-event.ts";
import { evidenceIssues, type EvidencePack } from "./evidence-pack.ts";

const text = z.string().regex(/^\P{Surrogate}*$/u);
const hash = z.string().regex(/^[0-9a-f]{64}$/);
const packSchema: z.ZodType<EvidencePack> = z.object({
  sessionId: text,
  sha256: hash,
  entries: z.array(
    z.strictObject({
      eventId: text.min(1),
      kind: z.custom<SessionEventKind>(isEventKind),
      timestamp: z.number(),
      summary: text,
      artifactId: hash.optional(),
      sha256: hash,
    }),
  ),
});

/**
 * Returns the pack if it is valid and its hash matches. If the session's events are passed, each must match its entry.
 * Anyone who can change the pack can also recompute its hash. If that matters, store the hash elsewhere.
 */
export function verifyEvidencePack(
  value: unknown,
  events?: readonly SessionEvent[],
): Result<EvidencePack> {
  const { data: pack, error } = packSchema.safeParse(value);
  if (pack === undefined)
    return { ok: false, issues: issuesOf(error, { whole: "The pack", code: "evidence_invalid" }) };
  const issues = evidenceIssues(pack, events);
  return issues.length === 0 ? success(pack) : { ok: false, issues };
}
