import { readFile } from 'node:fs/promises'
import { type Chain, chainRelayerApi, chains } from '@carapace/api'
import type { Addressed, RoleAction } from '@carapace/contracts'
import type { Config, Peers } from '@carapace/service'
import { changeLaneRoles, type Player, type System, until } from '@carapace/testing'
import { computeAddress } from 'ethers'
import type { Variables } from '../environment.ts'

const drainSeconds = 120
/** Above the time after which nobody can pay to a former key any more. */
const payableSeconds = 660

/** The variables of a relayer with one key on both networks, and its former one. */
export const relayerKeys = (key: string, former?: string): Variables =>
  Object.fromEntries(
    chains.flatMap(chain => [[`RELAYER_KEY_${chain}`, key], ...(former === undefined ? [] : [[`RELAYER_KEY_${chain}_RETIRING`, former]])]),
  )

/** Grants or revokes the roles of a key on both devnets, as `npm run relayer:roles` does in two runs. @param proposerKey of the oracle of the start */
export async function changeRoles(config: Config, proposerKey: string, action: RoleAction, key: string): Promise<boolean> {
  const ends = await Promise.all(chains.map(chain => changeOn(chain, config, proposerKey, action, computeAddress(key))))
  return ends.every(Boolean)
}

async function changeOn(chain: Chain, config: Config, proposerKey: string, action: RoleAction, address: string): Promise<boolean> {
  const rpcUrl = config[`${chain}_RPC_URL`]!
  const present = JSON.parse(await readFile(config[`${chain}_ADDRESSES`]!, 'utf8')) as Addressed
  return changeLaneRoles({ rpcUrl, present, action, address, proposerKey })
}

/** Resolves once the former key has finished on both networks; moves the platform's clock past the last payment to it. @throws Error after two minutes, with what is left */
export async function untilDrained(peers: Peers, system: System): Promise<void> {
  await until('the clock is past the last payment', () => system.advance(payableSeconds).then(() => true))
  for (const chain of chains)
    await until(
      `the former key of ${chain} is drained`,
      async () => {
        const { retiring } = await peers.call('chain-relayer', chainRelayerApi.internal.chainStatus, { params: { chain } })
        if (!retiring?.drained) throw new Error(JSON.stringify(retiring))
        return true
      },
      drainSeconds,
    )
}

/** Registers an agent after the other, each of which is a command to the chain, until it is stopped. @returns stops it and resolves to the agents */
export function registerSteadily(system: System): () => Promise<Player[]> {
  const registered: Player[] = []
  let isOver = false
  const loop = async () => {
    while (!isOver) registered.push(await system.newPlayer({ chain: chains[registered.length % chains.length]! }))
  }
  const over = loop()
  // the caller gets it when it stops this
  over.catch(() => undefined)
  return async () => {
    isOver = true
    await over
    return registered
  }
}

/** How many of these agents have no token on a network where they registered, once all had time for that. */
export async function unregistered(system: System, agents: readonly Player[]): Promise<number> {
  let missing = agents
  const check = async () => {
    const found = await Promise.all(missing.map(async agent => ({ agent, ...(await system.get(`/api/agents/${agent.id}/verify`)) })))
    missing = found.filter(({ verified }) => verified !== true).map(({ agent }) => agent)
    return missing.length === 0
  }
  await until('all are on chain', check, 60).catch(() => undefined)
  return missing.length
}
