export {
  type Bus,
  type BusLog,
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
export { type DeadLetterStore, memoryDeadLetters, type ParkedMessage } from './in-process/dead-letter-store.ts'
export { type InProcessOptions, inProcessBus } from './in-process/in-process.ts'
export { type RabbitOptions, rabbitBus } from './rabbit/rabbit.ts'
export { settledWithin } from './settled-within.ts'
export { topicMatches } from './topic.ts'
