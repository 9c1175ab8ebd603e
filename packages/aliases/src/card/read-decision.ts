import {
  firstSentence,
  readItems,
  readSections,
  type MarkdownSection,
} from "./markdown-sections.ts";

/** The parts of a decision record as plain text. Parts that the record lacks are absent. */
export interface Decision {
  status?: string | undefined;
  goal?: string | undefined;
  choice?: string | undefined;
  /** Rejected options, each with its reason if the record states one. */
  rejected: string[];
  constraints: string[];
  negative: string[];
}

/** Maximum number of items to read under a heading. */
const maxItems = 1_000;

/** The parts of a decision record that a heading or a label can introduce. */
type DecisionPart =
  | "status"
  | "goal"
  | "choice"
  | "options"
  | "rejected"
  | "constraints"
  | "negative"
  | "consequences";

/**
 * Headings and labels in lower case, with `е` for `ё`, in order of preference. They include those
 * of MADR and Nygard's template.
 */
const decisionHeadings: Record<DecisionPart, readonly string[]> = {
  status: read("status|статус"),
  goal: read(
    "goal|goals|objective|purpose|problem|problem statement|context and problem statement|motivation|context|цель|цели|задача|проблема|контекст и проблема|контекст и постановка проблемы|постановка проблемы|мотивация|контекст",
  ),
  choice: read(
    "choice|chosen option|chosen|selected option|decision outcome|decision|outcome|выбор|выбрано|выбранный вариант|принятое решение|решение",
  ),
  options: read(
    "considered options|options considered|options|alternatives|alternatives considered|рассмотренные варианты|рассмотренные альтернативы|варианты|альтернативы",
  ),
  rejected: read(
    "rejected|rejected options|rejected alternatives|excluded|not chosen|отклонено|отвергнуто|исключено|отклоненные варианты|отвергнутые варианты|отвергнутые альтернативы",
  ),
  constraints: read(
    "constraints|constraint|requirements|decision drivers|drivers|ограничения|требования|движущие факторы|факторы",
  ),
  negative: read(
    "negative|negative cases|negative consequences|негативные случаи|негативные сценарии|негатив|негативные последствия|отрицательные случаи|отрицательные последствия",
  ),
  consequences: read("consequences|последствия"),
};

const knownNames: ReadonlySet<string> = new Set(Object.values(decisionHeadings).flat());

const folded = (words: string): string => words.toLowerCase().replaceAll("ё", "е").trim();
const normalized = (heading: string): string =>
  folded(heading).replace(/^[^\p{L}]+|[^\p{L}]+$/gu, "");

/**
 * Reads MADR, Nygard's template and flat labelled records, in English and Russian. Returns
 * undefined if the record has neither a choice nor a rejection.
 */
export function readDecision(text: string): Decision | undefined {
  const sections = readSections(text);
  const found = new Map<string, string[]>();
  for (const section of sections) collect(found, section);
  const say = (part: DecisionPart): string[] =>
    decisionHeadings[part].flatMap((name) => found.get(name) ?? []);
  const first = (part: DecisionPart): string | undefined => {
    const name = decisionHeadings[part].find((name) => (found.get(name)?.length ?? 0) > 0);
    return name === undefined ? undefined : firstSentence(found.get(name)?.[0] ?? "");
  };
  const choice = first("choice")?.replace(/^(?:chosen option|выбранный вариант)\s*:\s*/i, "");
  const rejected = say("rejected");
  if (choice === undefined && rejected.length === 0) return undefined;
  const status = first("status");
  const goal = first("goal");
  return {
    status,
    goal,
    choice,
    rejected: rejected.length > 0 ? rejected : notChosen(say("options"), choice ?? "", sections),
    constraints: say("constraints"),
    negative: [...say("negative"), ...say("consequences").filter(isBad).map(withoutVerdict)],
  };
}

const verdict = /^(?:bad|negative|плохо|минус)\s*[,:]\s*(?:because|так как|потому что)?\s*/i;
const isBad = (item: string): boolean => verdict.test(item);
const withoutVerdict = (item: string): string => item.replace(verdict, "");

const labelForm =
  /^\s*(?:[-*+]\s+)?(?:\*\*|__)?([\p{L}][\p{L} _-]{2,40}?)(?:\*\*|__)?\s*:(?:\*\*|__)?(?:\s+(.*))?$/u;

/** Collects the text below a section's heading, and the text of labelled lines under their labels. */
function collect(found: Map<string, string[]>, section: MarkdownSection): void {
  let name = normalized(section.heading);
  let lines: string[] = [];
  let isOneParagraph = false;
  const turnTo = (next: string, line?: string): void => {
    const items = found.get(name) ?? [];
    if (knownNames.has(name) && items.length < maxItems) {
      items.push(...readItems(lines));
      found.set(name, items);
    }
    name = next;
    lines = line === undefined ? [] : [line];
    isOneParagraph = line !== undefined;
  };
  for (const line of section.lines) {
    const label = labelForm.exec(line);
    const labelName = normalized(label?.[1] ?? "");
    if (label !== null && knownNames.has(labelName)) turnTo(labelName, label[2]);
    else if (isOneParagraph && (label !== null || line.trim() === ""))
      turnTo(normalized(section.heading));
    else lines.push(line);
  }
  turnTo("");
}

/** Returns the considered options that the choice does not name, each with the first argument against it. */
function notChosen(options: string[], choice: string, sections: MarkdownSection[]): string[] {
  const chosen = folded(choice);
  const isChosen = (option: string): boolean =>
    chosen.startsWith(folded(option)) || chosen.includes(folded(option));
  if (!options.some(isChosen)) return [];
  const reasons = new Map(
    sections.map(
      (section) => [folded(section.heading), readItems(section.lines).find(isBad)] as const,
    ),
  );
  return options
    .filter((option) => !isChosen(option))
    .map((option) => {
      const reason = reasons.get(folded(option));
      return reason === undefined ? option : `${option}: ${withoutVerdict(reason)}`;
    });
}

function read(headings: string): string[] {
  return headings.split("|");
}
