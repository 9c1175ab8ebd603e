/** What a heading or a label of a decision record announces. */
export type DecisionPart =
  | "status"
  | "goal"
  | "choice"
  | "options"
  | "rejected"
  | "constraints"
  | "negative"
  | "consequences";

/** Headings and labels in lower case, with `е` for `ё`, in order of preference; those of MADR and Nygard's form are among them. */
export const decisionHeadings: Record<DecisionPart, readonly string[]> = {
  status: ["status", "статус"],
  goal: "goal|goals|objective|purpose|problem|problem statement|context and problem statement|motivation|context"
    .split("|")
    .concat(
      "цель|цели|задача|проблема|контекст и проблема|контекст и постановка проблемы|постановка проблемы".split(
        "|",
      ),
    )
    .concat("мотивация|контекст".split("|")),
  choice: "choice|chosen option|chosen|selected option|decision outcome|decision|outcome"
    .split("|")
    .concat("выбор|выбрано|выбранный вариант|принятое решение|решение".split("|")),
  options: "considered options|options considered|options|alternatives|alternatives considered"
    .split("|")
    .concat("рассмотренные варианты|рассмотренные альтернативы|варианты|альтернативы".split("|")),
  rejected:
    "rejected|rejected options|rejected alternatives|excluded|not chosen|отклонено|отвергнуто|исключено"
      .split("|")
      .concat("отклоненные варианты|отвергнутые варианты|отвергнутые альтернативы".split("|")),
  constraints: "constraints|constraint|requirements|decision drivers|drivers"
    .split("|")
    .concat("ограничения|требования|движущие факторы|факторы".split("|")),
  negative:
    "negative|negative cases|negative consequences|негативные случаи|негативные сценарии|негатив"
      .split("|")
      .concat("негативные последствия|отрицательные случаи|отрицательные последствия".split("|")),
  consequences: ["consequences", "последствия"],
};
