import * as z from "zod";

/** A model's answer. */
export interface PickAnswer {
  picks: { alias: string; why: string }[];
  /** What the model still needs. Empty if the list has everything. */
  need_more: string;
}

/** Rules for a valid answer. */
export interface PickRules {
  /** Id by alias. */
  aliases: ReadonlyMap<string, string>;
  max: number;
  canAskForMore: boolean;
}

const longestReason = 200;

/** Creates the schema of an answer. It may name only aliases or ids from the list, each once, up to `max`. */
export function pickSchema({ aliases, max, canAskForMore }: PickRules): z.ZodType<PickAnswer> {
  const ids = new Set(aliases.values());
  const pick = z.object({ alias: z.string().max(600), why: z.string().max(longestReason) });
  return z
    .object({ picks: z.array(pick).max(1_000), need_more: z.string().max(500) })
    .superRefine((answer, check) => {
      const seen = new Set<string>();
      for (const [index, { alias }] of answer.picks.entries()) {
        const id = aliases.get(alias) ?? (ids.has(alias) ? alias : undefined);
        const path = ["picks", index, "alias"];
        if (id === undefined) {
          check.addIssue({
            code: "custom",
            path,
            message: `${JSON.stringify(alias.slice(0, 60))} is not an alias in the list.`,
          });
        } else if (seen.has(id)) {
          check.addIssue({
            code: "custom",
            path,
            message: `${JSON.stringify(alias.slice(0, 60))} is picked twice.`,
          });
        } else {
          seen.add(id);
        }
      }
      if (answer.picks.length > max) {
        check.addIssue({
          code: "custom",
          path: ["picks"],
          message: `At most ${max} picks, not ${answer.picks.length}.`,
        });
      }
      if (
        answer.picks.length === 0 &&
        (!canAskForMore || answer.need_more.trim() === "") &&
        aliases.size > 0
      ) {
        check.addIssue({
          code: "custom",
          path: ["picks"],
          message: "Nothing is picked; pick the closest resource.",
        });
      }
    });
}
