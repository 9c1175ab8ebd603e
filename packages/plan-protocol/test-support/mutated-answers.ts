import type { PlanAction } from "../src/plan/plan.ts";
import { wrappings } from "./plan-of-commit.ts";

/** An answer that is no longer what the model meant. */
export interface MutatedAnswer {
  name: string;
  answer: string;
  /** True where the plan may still say exactly the same, such as without a line of context. */
  mayStillFit: boolean;
}

/** A plan as a model gives it. */
export interface SaidPlan {
  version: number;
  summary: string;
  actions: PlanAction[];
}

type Fields = Record<string, unknown>;

/** Every mutation of a plan, one at a time. */
export function mutatedAnswers(plan: SaidPlan): MutatedAnswer[] {
  return [
    ...keyMutations(plan),
    ...kindMutations(plan),
    ...valueMutations(plan),
    ...patchMutations(plan),
    ...pathMutations(plan),
    ...repeatedKeys(plan),
    ...truncations(plan),
  ];
}

/** All objects of an answer in which a key has a meaning that can't be left out, with how to put others in their place. */
function objectsOf(
  plan: SaidPlan,
): { at: string; fields: Fields; replace(fields: Fields): object }[] {
  return plan.actions.flatMap((action, index) => {
    const place = (changed: object): object => ({
      ...plan,
      actions: plan.actions.with(index, changed as PlanAction),
    });
    const edits = (action.edits ?? []).map((edit, number) => ({
      at: `action ${index}, edit ${number}`,
      fields: { ...edit },
      replace: (fields: Fields) =>
        place({ ...action, edits: (action.edits ?? []).with(number, fields as never) }),
    }));
    return [{ at: `action ${index}`, fields: { ...action }, replace: place }, ...edits];
  });
}

function refusal(name: string, plan: object): MutatedAnswer {
  return { name, answer: JSON.stringify(plan), mayStillFit: false };
}

function keyMutations(plan: SaidPlan): MutatedAnswer[] {
  return objectsOf(plan).flatMap(({ at, fields, replace }) =>
    Object.entries(fields).flatMap(([key, value]) => {
      const { [key]: _gone, ...rest } = fields;
      const names = [`${key}s`, key.toUpperCase(), `_${key}`, ` ${key}`];
      return [
        refusal(`${at} without ${key}`, replace(rest)),
        ...names.map((name) =>
          refusal(`${at}, ${key} called ${name}`, replace({ ...rest, [name]: value })),
        ),
        refusal(`${at} with ${key} and x_${key}`, replace({ ...fields, [`x_${key}`]: value })),
      ];
    }),
  );
}

function kindMutations(plan: SaidPlan): MutatedAnswer[] {
  const kinds =
    "CREATE_FILE CREATE_DIR UPDATE_FILE DELETE_FILE DELETE_DIR PATCH_FILE EDIT_FILE MODIFY_FILE RENAME_FILE";
  return plan.actions.flatMap((action, index) =>
    [
      ...kinds.split(" "),
      action.kind.toLowerCase(),
      action.kind.replace("_", " "),
      `${action.kind}S`,
    ]
      .filter((kind) => kind !== action.kind)
      .map((kind) =>
        refusal(`action ${index} as ${kind}`, {
          ...plan,
          actions: plan.actions.with(index, { ...action, kind: kind as PlanAction["kind"] }),
        }),
      ),
  );
}

function valueMutations(plan: SaidPlan): MutatedAnswer[] {
  const values: unknown[] = [7, true, null, {}, ["x"], { text: "x" }];
  return objectsOf(plan).flatMap(({ at, fields, replace }) =>
    Object.keys(fields).flatMap((key) =>
      values.map((value) =>
        refusal(`${at}, ${key} as ${JSON.stringify(value)}`, replace({ ...fields, [key]: value })),
      ),
    ),
  );
}

function patchMutations(plan: SaidPlan): MutatedAnswer[] {
  return plan.actions.flatMap((action, index) => {
    if (action.patch === undefined) return [];
    const lines = action.patch.split(/(?<=\n)/);
    const place = (name: string, patch: string): MutatedAnswer => ({
      name: `patch of action ${index}, ${name}`,
      answer: JSON.stringify({ ...plan, actions: plan.actions.with(index, { ...action, patch }) }),
      mayStillFit: true,
    });
    const changed = lines.flatMap((line, at) => {
      const isOld = /^[ -]/.test(line) && !line.startsWith("---");
      return [
        // A line that is put in says what the model wants; without it the plan is another one, and as good.
        ...(line.startsWith("+")
          ? []
          : [place(`without line ${at}`, lines.toSpliced(at, 1).join(""))]),
        ...(isOld
          ? [
              place(
                `old line ${at} changed`,
                lines.with(at, `${line.charAt(0)}x${line.slice(1)}`).join(""),
              ),
            ]
          : []),
        ...(isOld
          ? [place(`line ${at} without its mark`, lines.with(at, line.slice(1)).join(""))]
          : []),
      ];
    });
    const numbers = [
      "@@ -1 +1 @@",
      "@@ -99,3 +99,3 @@",
      "@@ -2,9 +2,9 @@",
      "@@ @@",
      "@@",
      "@@ -a,b +c,d @@",
    ];
    const headed = numbers.map((head) =>
      place(`headed ${head}`, action.patch?.replace(/@@ .*@@/, head) ?? ""),
    );
    const whole = [
      place("twice", action.patch + action.patch),
      place("of another file", `--- a/other\n+++ b/other\n${action.patch}`),
    ];
    return [...changed, ...headed, ...whole];
  });
}

function pathMutations(plan: SaidPlan): MutatedAnswer[] {
  return plan.actions.flatMap((action, index) => {
    const [first = "", ...rest] = action.path.split("/");
    const paths = [
      `/${action.path}`,
      `./${action.path}`,
      `../${action.path}`,
      `${first}//${rest.join("/")}`,
      `~/${action.path}`,
      `${action.path}/../../x`,
      action.path.replaceAll("/", "\\"),
      `${action.path} `,
      `${action.path}.`,
      `C:${action.path}`,
      `${action.path}\0`,
      `.git/${action.path}`,
      encodeURIComponent(`../${action.path}`),
      "",
    ].filter((path) => path !== action.path);
    const changed = paths.map((path) =>
      refusal(`action ${index} on ${JSON.stringify(path)}`, {
        ...plan,
        actions: plan.actions.with(index, { ...action, path }),
      }),
    );
    const bases = [
      "0".repeat(64),
      action.base_sha256?.toUpperCase(),
      action.base_sha256?.slice(1),
      `${action.base_sha256}0`,
      `sha256:${action.base_sha256}`,
      "",
    ];
    const based = bases.map((base_sha256) =>
      refusal(`action ${index} on base ${base_sha256}`, {
        ...plan,
        actions: plan.actions.with(index, { ...action, base_sha256: base_sha256 ?? "" }),
      }),
    );
    const twice = refusal(`action ${index} twice`, { ...plan, actions: [...plan.actions, action] });
    return [...changed, twice, ...(action.base_sha256 === undefined ? [] : based)];
  });
}

/** The same member twice in one object, which JSON.parse would settle silently. */
function repeatedKeys(plan: SaidPlan): MutatedAnswer[] {
  return plan.actions.flatMap((action, index) =>
    Object.keys(action).map((key) => {
      const text = JSON.stringify(action);
      const doubled = `${text.slice(0, -1)},${JSON.stringify(key)}:"x"}`;
      return {
        name: `action ${index} with ${key} twice`,
        answer: JSON.stringify(plan).replace(text, () => doubled),
        mayStillFit: false,
      };
    }),
  );
}

function truncations(plan: SaidPlan): MutatedAnswer[] {
  return Object.entries(wrappings).flatMap(([wrapping, wrap]) => {
    const answer = wrap(plan);
    // What is behind the plan may go; the plan itself may not.
    const end = Math.max(answer.lastIndexOf("}"), answer.lastIndexOf('"'));
    return Array.from({ length: Math.floor(answer.length / 10) }, (_, part) => ({
      name: `${wrapping}, cut off after ${part * 10} characters`,
      answer: answer.slice(0, part * 10),
      mayStillFit: wrapping !== "bare" && part * 10 > Math.min(end, answer.lastIndexOf("}")),
    }));
  });
}
