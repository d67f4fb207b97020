import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { escrowApi } from '@carapace/api'
import { issuerSource } from '@carapace/identity'
import { makePeers, readConfig } from '@carapace/service'
import { openSystem, type Player, type System, until } from '@carapace/testing'
import type { Variables } from '../environment.ts'
import { atRest, type Planned, publicReads, sendAll } from '../restart-torture/reads.ts'
import { exchange, heartbeats, interleave } from '../rolling/exchange.ts'
import { distributedAroundTests } from '../testing/around-tests.ts'
import { everyProcess, replicated } from '../testing/distributed.ts'
import { faultsOf } from '../testing/health.ts'

const perSecond = 40
const writers = 10
/** What a check that did not hold is reported as. */
const doesNotHold = 599

/** The steps of docs/operate.md, "Exchanging keys", of both keys together: what each process reads at its next start. */
describe('INTERNAL_KEY and the key of the issuer', function () {
  this.timeout(1_200_000)
  const next = randomBytes(32).toString('hex')
  let present: Variables = {}
  const running = distributedAroundTests({ ...replicated(everyProcess), presentVariables: () => present })

  it('are exchanged on a running system without one failed request, and then the former ones are worth nothing', async () => {
    const { config, processes } = running.platform
    const former = config.INTERNAL_KEY!
    const inRotation = processes.filter(({ name }) => name === 'gateway').map(({ url }) => url)
    const system = await openSystem(inRotation)
    const [reader, ...agents] = (await Promise.all(Array.from({ length: writers + 1 }, () => system.newPlayer()))) as [Player, ...Player[]]
    const old = await credentialOf(system, reader)
    const checks = await atRest([
      { path: 'a credential from before', send: () => verified(system, old) },
      { path: 'a new credential', send: async () => verified(system, await credentialOf(system, reader)) },
    ])
    const keyFile = path.join(config.DATA_DIR, 'keys', 'issuer.json')
    const nextFile = `${keyFile}.next`
    const [formerIssuer, nextIssuer] = [await publicKeyOf(keyFile), await publicKeyOf(nextFile)]
    const step = async (variables: Variables) => {
      present = variables
      for (const one of processes) await exchange(one, inRotation)
    }
    const sender = sendAll(mixed(interleave(await publicReads(system, reader.id), await heartbeats(system, agents)), checks), perSecond)

    await step({ INTERNAL_KEY_ACCEPTED: next, ISSUER_KEYS_ACCEPTED: nextIssuer })
    await writeFile(keyFile, await readFile(nextFile))
    await step({ INTERNAL_KEY: next, INTERNAL_KEY_ACCEPTED: former, ISSUER_KEYS_ACCEPTED: formerIssuer })
    const { failures, requests } = await sender.stop()
    await step({ INTERNAL_KEY: next })

    console.log(`      ${failures.length} of ${requests} requests failed while ${2 * processes.length} processes were exchanged`)
    assert.deepEqual(failures.slice(0, 10), [])
    const address = (name: string) => processes.find(one => one.name === name)!.url
    const report = (key: string) => makePeers(address, key).call('escrow', escrowApi.internal.doctorReport)
    await assert.rejects(report(former))
    assert.ok((await report(next)).checks.length > 0)
    assert.equal((await verified(system, old)).status, doesNotHold)
    assert.equal((await verified(system, await credentialOf(system, reader))).status, 200)
    const current = { platform: { url: running.platform.url, config: { ...config, INTERNAL_KEY: next } } }
    await until('the doctor finds nothing', async () => (await faultsOf(current)).length === 0, 60)
    system.close()
  })
})

const credentialOf = async (system: System, { id }: Player): Promise<object> => (await system.get(`/api/agents/${id}/credential`)).credential

/** The answer to a check; as an accident where the credential does not hold. */
async function verified(system: System, credential: object) {
  const answer = await system.call('POST', '/api/credentials/verify', { body: { credential } })
  return answer.status === 200 && answer.body.valid !== true ? { ...answer, status: doesNotHold } : answer
}

/** The public key in a file, which is made when it is missing. */
const publicKeyOf = async (file: string): Promise<string> => {
  await issuerSource(readConfig({ ISSUER_KEY_FILE: file }), 'http://localhost')()
  return JSON.parse(await readFile(file, 'utf8')).publicKeyMultibase
}

/** A check after each twenty others. */
const mixed = (others: readonly Planned[], checks: readonly Planned[]): Planned[] =>
  others.flatMap((one, at) => (at % 20 === 19 ? [one, ...checks] : [one]))
