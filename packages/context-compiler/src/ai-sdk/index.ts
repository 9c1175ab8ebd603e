export { contextMiddleware } from "./context-middleware.ts";
export { contextStep } from "./context-step.ts";
