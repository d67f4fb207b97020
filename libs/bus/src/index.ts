export {
  type Bus,
  type DeadLetter,
  type Delivery,
  defaultRetry,
  type Handler,
  type Outgoing,
  type QueueSpec,
  quiet,
  Retry,
  type RetryPolicy,
  Unroutable,
} from './bus.ts'
export { BusClosedError } from './closed.ts'
export type { DeadLetterStore, ParkedMessage } from './in-process/dead-letter-store.ts'
export { inProcessBus } from './in-process/in-process.ts'
export { rabbitBus } from './rabbit/rabbit.ts'
export { settledWithin } from './settled-within.ts'
export { topicMatches } from './topic.ts'
