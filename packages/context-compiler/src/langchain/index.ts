export { contextMiddleware } from "./context-middleware.ts";
