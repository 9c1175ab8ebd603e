export { CallScheduler, inEveryOrder } from "./call-scheduler.ts";
export { requireBuilt, runScript, type RunScriptOptions } from "./run-script.ts";
