export { canonicalJson } from "./canonical/canonical-json.ts";
export { CanonicalJsonError } from "./canonical/canonical-json-error.ts";
export { sha256Hex, sha8 } from "./canonical/sha256.ts";
export { CclError } from "./ccl-error.ts";
export { systemClock, type Clock } from "./clock.ts";
export { createUuidV7Generator, type IdGenerator } from "./id-generator.ts";
export type {
  ChatMessage,
  MediaPart,
  Part,
  ProviderFields,
  ProviderPart,
  ReasoningPart,
  Role,
  TextPart,
  ToolCall,
} from "./messages/chat-message.ts";
export { fileText } from "./messages/file-text.ts";
export { imageTypeOf } from "./messages/image-type-of.ts";
export type { Embedder } from "./models/embedder.ts";
export { LanguageModelError, type LanguageModelErrorCode } from "./models/language-model-error.ts";
export type {
  FinishReason,
  LanguageModel,
  ModelCapabilities,
  ModelDelta,
  ModelRequest,
  ModelResponse,
  ModelUsage,
  ResponseFormat,
  StreamingModel,
} from "./models/language-model.ts";
export { sumUsage } from "./models/sum-usage.ts";
export type { ToolContext, ToolDefinition, ToolDescription } from "./models/tool-definition.ts";
export { failure, success, type Issue, type Result } from "./result.ts";
export { compareCodeUnits } from "./text/compare-code-units.ts";
export { formatCount } from "./text/format-count.ts";
export { groupDigits } from "./text/group-digits.ts";
export { redactSecrets } from "./text/redact-secrets.ts";
export { truncateMiddle } from "./text/truncate-middle.ts";
export { countMessages } from "./tokens/count-messages.ts";
export { estimatedCounter } from "./tokens/estimated-counter.ts";
export { TokenBudget } from "./tokens/token-budget.ts";
export { TokenBudgetError } from "./tokens/token-budget-error.ts";
export type { TokenCounter } from "./tokens/token-counter.ts";
export { withDefaults, type Complete } from "./with-defaults.ts";
