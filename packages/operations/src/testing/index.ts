export { createFaultInjector, type FaultInjector } from "./create-fault-injector.ts";
export { createManualScheduler } from "./create-manual-scheduler.ts";
export { createVirtualClock, type VirtualClock } from "./create-virtual-clock.ts";
