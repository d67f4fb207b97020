export {
  type Bus,
  type DeadLetter,
  type Delivery,
  defaultRetry,
  type Handler,
  type Outgoing,
  type QueueSpec,
  Retry,
  type RetryPolicy,
} from './bus.ts'
