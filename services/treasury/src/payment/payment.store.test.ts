import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { openDatabase } from '@carapace/store'
import { acquireMongo } from '@carapace/testing'
import { paymentStore } from './payment.store.ts'
import type { Payment } from './payment.ts'

describe('payments that are due', () => {
  it('are read page by page, those that stay pending too', async () => {
    const mongo = await acquireMongo()
    const db = await openDatabase({ uri: mongo.uri, name: `${mongo.prefix}payments` })
    try {
      const payments = paymentStore(db, {
        queue: { serialize: (_, work) => work(), count: (_, work) => work(), waiting: () => 0 },
        alongside: () => undefined,
      })
      await db.init()
      const now = new Date('2026-03-04T12:10:00.000Z')
      const ids = Array.from({ length: 5 }, () => randomUUID())
      const payment = (id: string, n: number) =>
        ({ id, fromAgentId: 'a', status: 'pending', amount: 1_000n, executeAfter: new Date(now.getTime() - (n % 2)) }) as Payment
      for (const [n, id] of ids.entries()) await payments.create(payment(id, n), [])

      const read: string[] = []
      for (let page = await payments.due(now, 2); page.length > 0; page = await payments.due(now, 2, page.at(-1)))
        read.push(...page.map(({ id }) => id))

      assert.deepEqual(read.toSorted(), ids.toSorted())
    } finally {
      await db.close()
      await mongo.close()
    }
  })
})
