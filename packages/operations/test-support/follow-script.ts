import fc from "fast-check";

import type { StoredTurn } from "../src/ports/chat-store.ts";
import type { StateWorld } from "./state-world.mjs";

/** Where a script is carried out, with the prompts that were sent since they were last looked at. */
export interface ScriptWorld extends StateWorld {
  prompts: string[][];
}

/** What a run left: the values that it wrote, and those that it knew. */
interface ModelState {
  run: number;
  own: ReadonlyMap<string, unknown>;
  all: ReadonlyMap<string, { run: number; value: unknown }>;
  log: string[];
  wishes: string[];
}

interface ModelTurn {
  id: string;
  said: string;
  answers: { id: string; text: string; state: ModelState | undefined }[];
  selected: number | undefined;
  /** Of a run without an answer. */
  left: ModelState | undefined;
}

const shownOf = ({ answers, selected, left }: ModelTurn): ModelState | undefined =>
  selected === undefined ? left : answers[selected]?.state;

/** The state before a turn, from nothing but the path that the chat shows and what its answers have. */
function stateBefore(turns: readonly ModelTurn[], at: number): Omit<ModelState, "own" | "run"> {
  const shown = turns.slice(0, at).flatMap((turn) => shownOf(turn) ?? []);
  const there = new Set(
    turns.flatMap(({ answers, left }) => [...answers.map(({ state }) => state), left]),
  );
  const runs = new Set([...there].map((state) => state?.run));
  const all = new Map<string, { run: number; value: unknown }>();
  for (const [tag, known] of shown.at(-1)?.all ?? []) {
    // What a deleted turn wrote is that of the turns before it again.
    const last = shown.findLast(({ own }) => own.has(tag));
    if (runs.has(known.run)) all.set(tag, known);
    else if (last !== undefined) all.set(tag, { run: last.run, value: last.own.get(tag) });
  }
  const fed = (of: (state: ModelState) => string[]): string[] => shown.flatMap(of);
  return { all, log: fed(({ log }) => log), wishes: fed(({ wishes }) => wishes) };
}

/** What a person or a program does in a chat. */
export type Command =
  | { type: "say"; wishes: boolean; fails: boolean }
  | { type: "regenerate"; turn: number; fails: boolean }
  | { type: "select" | "edit"; turn: number; answer: number }
  | { type: "delete"; turn: number; length: number }
  | { type: "fork" | "import"; turn: number }
  | { type: "receive" }
  | { type: "switch"; branch: number };

const place = fc.nat(9);
const sometimes = fc.integer({ min: 0, max: 4 }).map((number) => number === 0);
const say = fc.record({
  type: fc.constant("say" as const),
  wishes: fc.boolean(),
  fails: sometimes,
});
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: say },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("regenerate" as const),
      turn: place,
      fails: sometimes,
    }),
  },
  fc.record({ type: fc.constantFrom("select", "select", "edit"), turn: place, answer: place }),
  fc.record({ type: fc.constant("delete" as const), turn: place, length: fc.nat(3) }),
  fc.record({ type: fc.constantFrom("fork", "import"), turn: place }),
  fc.record({ type: fc.constant("receive" as const) }),
  fc.record({ type: fc.constant("switch" as const), branch: place }),
);

/** Scripts of 4 to 16 commands. */
export const scripts: fc.Arbitrary<Command[]> = fc.array(command, { minLength: 4, maxLength: 16 });

/** Carries out a script in a chat of its own; gives how each run ended with its prompt, and what the model says of both. */
export async function followScript(
  { say, chat, prompts }: ScriptWorld,
  chatId: string,
  script: readonly Command[],
): Promise<{ found: unknown[]; wanted: unknown[] }> {
  const found: unknown[] = [];
  const wanted: unknown[] = [];
  const branches: { id: string; turns: ModelTurn[] }[] = [{ id: "main", turns: [] }];
  let branch = branches[0];
  for (const [index, step] of script.entries()) {
    if (branch === undefined) throw new Error("There is no branch.");
    const { id: branchId, turns } = branch;
    const at = { chatId, branchId };
    const turn = "turn" in step ? turns[step.turn % Math.max(1, turns.length)] : undefined;
    if ("turn" in step && turn === undefined) continue;
    const number = index + 1;
    if (step.type === "switch") branch = branches[step.branch % branches.length];
    else if (step.type === "receive") {
      const answers = [{ id: `received ${number}`, text: `received ${number}`, state: undefined }];
      const received = {
        id: `r${number}`,
        said: `asked ${number}`,
        answers,
        selected: 0,
        left: undefined,
      };
      turns.push(received);
      await chat.importTurns({ ...at, turns: [storedOf(received)] });
    } else if (step.type === "say" || step.type === "regenerate") {
      const isNew = step.type === "say";
      const said = `say ${number}${isNew && step.wishes ? "!" : ""}`;
      const asked: ModelTurn = turn ?? {
        id: `u${number}`,
        said,
        answers: [],
        selected: undefined,
        left: undefined,
      };
      if (isNew) turns.push(asked);
      const { fails } = step;
      const { status, variantId = "" } = await say({
        ...at,
        trigger: isNew ? "generate" : "regenerate",
        message: isNew ? said : undefined,
        userMessageId: asked.id,
        clientRequestId: `${number}`,
        answer: `answer ${number}`,
        fails,
      });
      const prompt = answerIn(turns, asked, { number, fails });
      wanted.push([fails ? "error" : "done", prompt]);
      // A worker that was killed may have asked the model before another did.
      for (const sent of prompts.splice(0)) found.push([status, sent]);
      while (wanted.length < found.length) wanted.push(wanted.at(-1));
      if (!fails) asked.answers.at(-1)!.id = variantId;
    } else if (turn === undefined) continue;
    else if (step.type === "select" || step.type === "edit") {
      const index = step.answer % Math.max(1, turn.answers.length);
      const chosen = turn.answers[index];
      if (chosen === undefined) continue;
      const edit = { ...at, userMessageId: turn.id, variantId: chosen.id };
      if (step.type === "select") turn.selected = index;
      else chosen.text = `edited ${number}`;
      if (step.type === "select") await chat.editTurn({ ...edit, type: "select" });
      else await chat.editTurn({ ...edit, type: "edit", content: chosen.text });
    } else if (step.type === "delete") {
      const from = turns.indexOf(turn);
      const gone = turns.splice(from, step.length + 1);
      await chat.deleteTurns({ ...at, from: turn.id, to: gone.at(-1)?.id });
    } else {
      const kept = turns.slice(0, turns.indexOf(turn) + 1);
      const newBranchId = `branch ${number}`;
      if (step.type === "fork") await chat.fork({ ...at, userMessageId: turn.id, newBranchId });
      else {
        const stored = (await chat.turns(at)).slice(0, kept.length);
        await chat.importTurns({ chatId, branchId: newBranchId, turns: stored });
      }
      branches.push({ id: newBranchId, turns: structuredClone(kept) });
    }
  }
  return { found, wanted };
}

/** Answers a turn in the model; gives the prompt. */
function answerIn(
  turns: readonly ModelTurn[],
  asked: ModelTurn,
  { number, fails }: { number: number; fails: boolean },
): string[] {
  const at = turns.indexOf(asked);
  const before = stateBefore(turns, at);
  const wish = asked.said.endsWith("!") ? [asked.said] : [];
  const own = new Map<string, unknown>(wish.map((said) => ["wish", said]));
  const all = new Map(before.all);
  const know = (): void => {
    for (const [tag, value] of own) all.set(tag, { run: number, value });
  };
  know();
  const valueOf = (tag: string): unknown => all.get(tag)?.value ?? "";
  const feeds = [before.log, [...before.wishes, ...wish]].map((items) => items.join(","));
  const system = [valueOf("last"), valueOf("count"), valueOf("wish"), ...feeds].join("|");
  const texts = turns.slice(0, at + 1).flatMap((turn) => {
    const answer = turn === asked ? undefined : turn.answers[turn.selected ?? -1];
    return answer === undefined ? [turn.said] : [turn.said, answer.text];
  });
  if (fails) {
    const state = { run: number, own, all, log: [], wishes: wish };
    if (wish.length > 0) asked.left = state;
    return [system, ...texts];
  }
  const text = `answer ${number}`;
  own.set("last", text).set("count", Number(valueOf("count")) + 1);
  know();
  asked.answers.push({ id: "", text, state: { run: number, own, all, log: [text], wishes: wish } });
  asked.selected = asked.answers.length - 1;
  return [system, ...texts];
}

function storedOf({ id, said, answers }: ModelTurn): StoredTurn {
  return {
    userMessageId: id,
    userVariants: [{ variantId: id, content: said }],
    selectedUser: 0,
    assistantVariants: answers.map((answer) => ({ variantId: answer.id, content: answer.text })),
    selectedAssistant: 0,
  };
}
