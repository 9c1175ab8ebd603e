export { openJsonlSessionStore } from "./open-jsonl-session-store.ts";
