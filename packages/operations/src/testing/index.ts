export {
  createFaultInjector,
  type CrashPoint,
  type FaultInjector,
} from "./create-fault-injector.ts";
export {
  createManualScheduler,
  type ManualScheduler,
  type PendingCall,
} from "./create-manual-scheduler.ts";
export { createVirtualClock, settlePromises, type VirtualClock } from "./create-virtual-clock.ts";
