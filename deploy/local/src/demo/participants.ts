import { randomBytes } from 'node:crypto'
import type { Chain } from '@carapace/api'
import { type Carapace, connect } from '@carapace/client'
import { id as hashOf, Wallet } from 'ethers'
import { type Signer, signerOf } from '../signer.ts'

/** An agent of the demo: its own key, and the SDK with its identity. */
export interface Participant {
  id: string
  handle: string
  wallet: Wallet
  as: Carapace
  /** Of the registration on chain; null when it was not confirmed in time. */
  txHash: string | null
}

/** A running system, and how the demo calls it. */
export interface System {
  baseUrl: string
  /** Callers prove themselves by signatures (AUTH_MODE=signed). */
  signs: boolean
  /** Anybody. */
  open: Carapace
  oracle: Carapace
}

/** @param oracleSigner needed where calls are signed */
export async function openDemo(baseUrl: string, oracleSigner: Signer | undefined): Promise<System> {
  const signs = (await fetch(`${baseUrl}/healthz`)).headers.get('x-auth-mode') === 'signed'
  const open = connect({ baseUrl })
  const adminWallet = (await open.gateway.listNetworks()).oracleWallet ?? ''
  if (signs && oracleSigner?.wallet !== adminWallet)
    throw new Error(`calls are signed here, those of the oracle by ${adminWallet}: DOCTOR_KEY_FILE names the file of its key`)
  const signed = signs && oracleSigner ? { fetch: oracleSigner.fetch } : {}
  return { baseUrl, signs, open, oracle: connect({ baseUrl, identity: { adminWallet }, ...signed }) }
}

/** Registers an agent with a new key. */
export async function registerParticipant(system: System, role: string, chain: Chain): Promise<Participant> {
  const handle = `${role}-${randomBytes(4).toString('hex')}`
  const wallet = walletOf(handle)
  const { agent, onChain } = await system.open.identity.registerAgent({
    body: { handle, walletAddress: wallet.address, description: `Plays the ${role} in the demo`, skills: ['solidity', 'audit'], chain },
  })
  const as = actingFor(system, { id: agent.id, handle, walletAddress: wallet.address })
  return { id: agent.id, handle, wallet, as, txHash: onChain?.txHash ?? null }
}

/** The demo may draw validators of an earlier demo, so their keys follow from their handles. They hold test money only. */
const walletOf = (handle: string): Wallet => new Wallet(hashOf(`demo agent ${handle}`))

/** The SDK as an agent, which signs where the system requires that. @throws Error when its key is not known here */
export function actingFor(
  { baseUrl, signs }: System,
  { id: agentId, handle, walletAddress }: { id: string; handle: string; walletAddress: string },
): Carapace {
  const signer = signs ? signerOf(walletOf(handle)) : undefined
  if (signer && signer.wallet !== walletAddress) throw new Error(`${handle} is no agent of the demo: only its owner can sign for it`)
  return connect({ baseUrl, identity: { agentId, walletAddress }, ...(signer ? { fetch: signer.fetch } : {}) })
}
