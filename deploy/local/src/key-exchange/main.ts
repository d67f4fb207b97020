import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import path from 'node:path'
import { escrowApi } from '@carapace/api'
import { issuerSource } from '@carapace/identity'
import { makePeers, readConfig } from '@carapace/service'
import { openSystem, type Player, type System, until } from '@carapace/testing'
import { Wallet } from 'ethers'
import type { Variables } from '../environment.ts'
import { loadKeys } from '../keys.ts'
import { atRest, type Planned, publicReads, sendAll } from '../restart-torture/reads.ts'
import { exchange, heartbeats, interleave } from '../rolling/exchange.ts'
import { everyProcess, replicated, startDistributedSystem } from '../testing/distributed.ts'
import { faultsOf } from '../testing/health.ts'
import { changeRoles, registerSteadily, relayerKeys, unregistered, untilDrained } from './relayer-key.ts'

// npm run torture:keys: INTERNAL_KEY, the key of the issuer and that of the relayer are exchanged, all together, by the steps of docs/operate.md, "Exchanging
// keys", under 40 requests per second while agents register. No request may fail, every agent is registered on chain, and in the end the former keys are worth
// nothing.
const perSecond = 40
const writers = 10
/** The status of a check that did not hold. */
const doesNotHold = 599

let present: Variables = {}
let exchanged = 'nothing'
const running = await startDistributedSystem({ ...replicated(everyProcess), presentVariables: () => present })
try {
  const { config, processes } = running.platform
  const [former, next] = [config.INTERNAL_KEY!, randomBytes(32).toString('hex')]
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
    for (const one of processes) {
      exchanged = one.name
      await exchange(one, inRotation)
    }
  }
  const { relayer: formerRelayer, oracle: proposer } = await loadKeys(config.DATA_DIR)
  const nextRelayer = Wallet.createRandom().privateKey
  const hasRoles = await changeRoles(config, proposer, 'grant', nextRelayer)
  const planned = mixed(interleave(await publicReads(system, reader.id), await heartbeats(system, agents)), checks)
  const sender = sendAll(planned.map(reported), perSecond)
  const registering = registerSteadily(system)

  await step({ INTERNAL_KEY_ACCEPTED: next, ISSUER_KEYS_ACCEPTED: nextIssuer })
  await writeFile(keyFile, await readFile(nextFile))
  await step({ INTERNAL_KEY: next, INTERNAL_KEY_ACCEPTED: former, ISSUER_KEYS_ACCEPTED: formerIssuer, ...relayerKeys(nextRelayer, formerRelayer) })
  const address = (name: string) => processes.find(one => one.name === name)!.url
  await untilDrained(makePeers(address, next), system)
  // a credential of the former key has expired a day later: the last step is not for those that are checked here
  const { failures, requests, slowestMs } = await sender.stop()
  await step({ INTERNAL_KEY: next, ...relayerKeys(nextRelayer) })
  const isRevoked = await changeRoles(config, proposer, 'revoke', formerRelayer)
  const registered = await registering()
  const missing = await unregistered(system, registered)

  console.log(
    `${failures.length} of ${requests} requests failed while ${2 * processes.length} processes were exchanged; the slowest lasted ` +
      `${(slowestMs / 1_000).toFixed(2)} s (load ${loadavg()[0]!.toFixed(1)})`,
  )
  const isAccepted = (key: string) =>
    makePeers(address, key)
      .call('escrow', escrowApi.internal.doctorReport)
      .then(
        () => true,
        () => false,
      )
  const fresh = await credentialOf(system, reader)
  const facts = {
    'the former INTERNAL_KEY is refused': !(await isAccepted(former)),
    'the new INTERNAL_KEY is accepted': await isAccepted(next),
    'a credential of the former key does not hold': (await verified(system, old)).status === doesNotHold,
    'a new credential holds': (await verified(system, fresh)).status === 200,
    'the new key of the relayer had all roles, the former one has none': hasRoles && isRevoked,
    [`all ${registered.length} agents that registered meanwhile are on chain`]: missing === 0,
    'no request failed': failures.length === 0,
  }
  for (const [fact, holds] of Object.entries(facts)) console.log(`${holds ? 'yes' : 'NO '}  ${fact}`)
  const current = { platform: { url: running.platform.url, config: { ...config, INTERNAL_KEY: next } } }
  await until('the doctor finds nothing', async () => (await faultsOf(current)).length === 0, 60)
  if (Object.values(facts).includes(false)) process.exitCode = 1
  system.close()
} finally {
  await running.end()
}
process.exit()

/** Prints what fails as it fails, with the process that was being exchanged. */
function reported({ path, status, send }: Planned): Planned {
  const sent = async () => {
    const answer = await send()
    if (answer.status !== status) console.log(`  ${path}: ${answer.status} ${JSON.stringify(answer.body)} while ${exchanged} was exchanged`)
    return answer
  }
  return { path, status, send: sent }
}

async function credentialOf(system: System, { id }: Player): Promise<object> {
  return (await system.get(`/api/agents/${id}/credential`)).credential
}

/** The answer to a check; as an accident where the credential does not hold. */
async function verified(system: System, credential: object) {
  const answer = await system.call('POST', '/api/credentials/verify', { body: { credential } })
  return answer.status === 200 && answer.body.valid !== true ? { ...answer, status: doesNotHold } : answer
}

/** The public key in a file, which is made when it is missing. */
async function publicKeyOf(file: string): Promise<string> {
  await issuerSource(readConfig({ ISSUER_KEY_FILE: file }), 'http://localhost')()
  return JSON.parse(await readFile(file, 'utf8')).publicKeyMultibase
}

/** A check after each twenty others. */
function mixed(others: readonly Planned[], checks: readonly Planned[]): Planned[] {
  return others.flatMap((one, at) => (at % 20 === 19 ? [one, ...checks] : [one]))
}
