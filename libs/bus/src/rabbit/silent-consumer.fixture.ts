import { quiet } from '../bus.ts'
import { rabbitBus } from './rabbit.ts'

/** A process that receives messages, prints their ids on stdout, and never acknowledges. Arguments: url, prefix, queue, binding, delivery limit. */
const [url = '', prefix = '', name = '', binding = '', deliveryLimit = ''] = process.argv.slice(2)
const bus = rabbitBus({ log: quiet, url, prefix, service: 'silent', deliveryLimit: Number(deliveryLimit) })
await bus.subscribe({ name, exchange: 'events', bindings: [binding] }, async event => {
  process.stdout.write(`${event.id}\n`)
  await new Promise(() => {})
})
