import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { httpCall, openSystem, type System, until } from '@carapace/testing'
import { MongoClient } from 'mongodb'
import type { DistributedSystem } from './distributed.ts'
import { newValidators } from './scenarios.ts'

const callsEach = 5

/** The addresses of the gateways of a system. */
export const gatewaysOf = ({ platform }: Pick<DistributedSystem, 'platform'>): string[] =>
  platform.processes.filter(({ name }) => name === 'gateway').map(({ url }) => url)

/** A system of which each call reaches the next gateway, with agents that may validate. */
export async function openAcrossGateways(running: Pick<DistributedSystem, 'platform'>): Promise<System> {
  const system = await openSystem(gatewaysOf(running))
  await newValidators(system)
  return system
}

/** Sends one gig with one idempotency key several times to each gateway, concurrently: all answers are one gig. */
export async function assertPostedOnce(system: System, gateways: readonly string[]): Promise<void> {
  const poster = await system.newPlayer({ usdc: 100 })
  const body = { title: 'Read a page', description: 'One.', skillsRequired: ['solidity'], budget: 10, currency: 'USDC', chain: 'BASE_SEPOLIA' }
  const headers = { ...poster.headers, 'idempotency-key': randomUUID() }
  const post = (url: string) =>
    until('the answer is final', async () => {
      const answer = await httpCall(url, 'POST', '/api/gigs', { body: { ...body, bondRequired: 0, deadlineHours: 48 }, headers })
      return answer.body?.retryable === true ? undefined : answer
    })

  const answers = await Promise.all(gateways.flatMap(url => Array.from({ length: callsEach }, () => post(url))))

  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
  assert.equal(new Set(answers.map(({ body: { gig, id } }) => gig?.id ?? id)).size, 1)
  assert.equal((await system.get(`/api/agents/${poster.id}/gigs?role=poster`)).gigs.length, 1)
}

/** Collections that have a unique index besides that of their ids. */
export async function uniqueIndexes(uri: string): Promise<string[]> {
  const client = await MongoClient.connect(uri)
  try {
    const found: string[] = []
    const { databases } = await client.db().admin().listDatabases({ nameOnly: true })
    for (const { name } of databases) {
      const db = client.db(name)
      for (const { collectionName } of await db.collections()) {
        const indexes = await db.collection(collectionName).indexes()
        if (indexes.some(({ unique }) => unique === true)) found.push(`${name}.${collectionName}`)
      }
    }
    return found.toSorted()
  } finally {
    await client.close()
  }
}
