import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { outgoing } from '@carapace/testing'
import { quiet } from '../bus.ts'
import { rabbitBus } from '../index.ts'
import { eventType, fromArgv } from './workload.ts'

/**
 * The publisher process of the torture run, with a file for its outbox: a batch's number is appended once it is confirmed, and a start goes on with
 * those that are missing. Prints `confirmed <events>`, ends with 0 when all are. Batches that run when it is killed are published again.
 */
const { url, prefix, folder, total } = fromArgv(process.argv.slice(2))
const batchSize = 50
const lanes = 4
const ledger = path.join(folder, 'confirmed')
const numbers = existsSync(ledger) ? readFileSync(ledger, 'utf8').split('\n').slice(0, -1).map(Number) : []
const confirmed = new Set(numbers)
const open = Array.from({ length: Math.ceil(total / batchSize) }, (_, number) => number).filter(number => !confirmed.has(number))

const bus = rabbitBus({ log: quiet, url, prefix, service: 'torture-publisher' })
await Promise.all(Array.from({ length: lanes }, publishAll))
await bus.close()

async function publishAll(): Promise<void> {
  for (let number = open.shift(); number !== undefined; number = open.shift()) {
    await publish(number)
    confirmed.add(number)
    appendFileSync(ledger, `${number}\n`)
    process.stdout.write(`confirmed ${Math.min(total, confirmed.size * batchSize)}\n`)
  }
}

async function publish(number: number): Promise<void> {
  const first = number * batchSize
  const batch = Array.from({ length: Math.min(batchSize, total - first) }, (_, k) =>
    outgoing(eventType, { id: `event-${first + k}`, data: { n: first + k } }),
  )
  for (;;) {
    try {
      return await bus.publish(batch)
    } catch {
      await sleep(100)
    }
  }
}
