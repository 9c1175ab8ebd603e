export {
  openJsonlSessionStore,
  type JsonlSessionStoreOptions,
} from "./open-jsonl-session-store.ts";
