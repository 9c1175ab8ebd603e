/** The parts of a decision record that a heading or a label can introduce. */
export type DecisionPart =
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
export const decisionHeadings: Record<DecisionPart, readonly string[]> = {
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

function read(headings: string): string[] {
  return headings.split("|");
}
