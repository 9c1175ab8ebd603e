export { CallScheduler, inEveryOrder } from "./call-scheduler.ts";
export { requireBuilt, runScript } from "./run-script.ts";
export { SimulatedDisk } from "./simulated-disk.ts";
