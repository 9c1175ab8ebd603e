export {
  bindRules,
  type ConformanceHooks,
  type ConformanceRule,
  type KitRule,
} from "./bind-rules.ts";
export { rejectsWith } from "./rejects-with.ts";
