export { createFaultInjector, type FaultInjector } from "./create-fault-injector.ts";
export { createManualScheduler } from "./create-manual-scheduler.ts";
export { createVirtualClock, settlePromises, type VirtualClock } from "./create-virtual-clock.ts";
