import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { type AdminCaller, refuse } from '@carapace/api'
import { toChecksum } from '@carapace/chain'
import type { Config } from '@carapace/service'
import { hostName, isLoopback, type Peer } from '../request/request.ts'
import { walletForm } from './agents.ts'

export interface AdminRules {
  /** By wallet in lower case. */
  wallets: ReadonlyMap<string, AdminCaller>
  apiKey: string | undefined
  /** The gateway itself listens on loopback only. */
  onLoopback: boolean
  /** Host names under which a local admin may come without a key. */
  publicHost: string | undefined
}

/** @throws Error for a wallet that is none */
export function adminRules(config: Config, publicBaseUrl: string): AdminRules {
  const listed = config.ADMIN_WALLETS.length > 0 ? config.ADMIN_WALLETS : config.ORACLE_WALLET ? [config.ORACLE_WALLET] : []
  const wrong = listed.find(wallet => !walletForm.test(wallet.toLowerCase()))
  if (wrong !== undefined) throw new Error(`ADMIN_WALLETS: ${wrong} is not 0x and 40 hex digits`)
  const oracle = config.ORACLE_WALLET ? [entry('oracle', config.ORACLE_WALLET)] : []
  return {
    wallets: new Map([...oracle, ...listed.map(wallet => entry('admin', wallet))]),
    apiKey: config.ADMIN_API_KEY,
    onLoopback: isLoopback(config.HOST),
    publicHost: hostName(new URL(publicBaseUrl).host),
  }
}

const entry = (kind: AdminCaller['kind'], wallet: string) => [wallet.toLowerCase(), { kind, wallet: toChecksum(wallet) }] as const

/** The oracle or admin that the header names, before any proof. @throws AUTH_REQUIRED, NOT_ADMIN */
export function namedAdmin(headers: IncomingHttpHeaders, rules: AdminRules, needs: 'admin' | 'oracle'): AdminCaller {
  const wallet = headers['x-admin-wallet']
  if (typeof wallet !== 'string' || wallet === '') return refuse('AUTH_REQUIRED', undefined, { message: 'x-admin-wallet is missing' })
  return adminOf(wallet, rules, needs)
}

/** The oracle or admin with this wallet. @throws NOT_ADMIN */
export function adminOf(wallet: string, rules: AdminRules, needs: 'admin' | 'oracle'): AdminCaller {
  const admin = rules.wallets.get(wallet.toLowerCase())
  if (!admin || (needs === 'admin' && admin.kind !== 'admin')) return refuse('NOT_ADMIN')
  return admin
}

/** Proof in plain mode: the shared key, or, where none is set, that the call never left this machine. @throws NOT_ADMIN */
export function provePlainly(headers: IncomingHttpHeaders, peer: Peer, rules: AdminRules): void {
  if (rules.apiKey !== undefined) {
    if (!sameSecret(headers['x-admin-key'], rules.apiKey)) refuse('NOT_ADMIN', { header: 'x-admin-key' }, { message: 'x-admin-key is not right' })
    return
  }
  const host = hostName(headers.host)
  if (!rules.onLoopback || !peer.local || !(isLoopback(host) || host === rules.publicHost))
    refuse('NOT_ADMIN', undefined, { message: 'Without ADMIN_API_KEY an admin call must come straight from this machine' })
}

/** Compares digests, so that its duration reveals nothing of content or length. */
export function sameSecret(given: unknown, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return typeof given === 'string' && timingSafeEqual(digest(given), digest(right))
}
