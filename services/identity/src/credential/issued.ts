import { hourMs } from '@carapace/api'
import type { PlatformClock } from '@carapace/service'
import type { Agent } from '../agent.ts'
import { claimsOf, type ReputationCredential, reputationCredential, type StatusListCredential, statusListCredential } from './document.ts'
import type { Issuer } from './issuer.ts'
import { secured } from './proof.ts'

export interface Issued<T = ReputationCredential> {
  credential: T
  withProof: Record<string, unknown>
}

/** Signing costs milliseconds of computing: an equal credential is served again for one of its 24 hours. */
const againMs = hourMs
const most = 500

interface Desk {
  clock: PlatformClock
  newId(): string
  issuer: () => Promise<Issuer>
  baseUrl: string
}

/** Issues credentials over what is true of an agent now. */
export function credentialDesk(desk: Desk): (agent: Agent) => Promise<Issued> {
  const given = new Map<string, { says: string; until: number; issued: Promise<Issued> }>()
  return agent => {
    const now = desk.clock.now()
    const claims = claimsOf(agent)
    const says = JSON.stringify(claims)
    const cached = given.get(agent.id)
    if (cached?.says === says && now.getTime() < cached.until) return cached.issued
    const issued = issue(desk, claims, now)
    given.delete(agent.id)
    given.set(agent.id, { says, until: now.getTime() + againMs, issued })
    if (given.size > most) given.delete(given.keys().next().value!)
    issued.catch(() => given.delete(agent.id))
    return issued
  }
}

/** Issues status lists: an equal one is served again for an hour. */
export function statusListDesk(
  desk: Desk & { revoked: (list: number) => Promise<number[]> },
): (list: number) => Promise<Issued<StatusListCredential>> {
  const given = new Map<number, { says: string; until: number; issued: Promise<Issued<StatusListCredential>> }>()
  return async list => {
    const revoked = await desk.revoked(list)
    const says = revoked.join()
    const now = desk.clock.now()
    const cached = given.get(list)
    if (cached?.says === says && now.getTime() < cached.until) return cached.issued
    const issued = issueList(desk, list, revoked, now)
    given.set(list, { says, until: now.getTime() + againMs, issued })
    issued.catch(() => given.delete(list))
    return issued
  }
}

async function issueList({ issuer, baseUrl }: Desk, list: number, revoked: readonly number[], now: Date): Promise<Issued<StatusListCredential>> {
  const by = await issuer()
  const credential = statusListCredential(list, revoked, by.did, baseUrl, now)
  return { credential, withProof: await secured(by, credential) }
}

async function issue({ issuer, newId, baseUrl }: Desk, claims: ReturnType<typeof claimsOf>, now: Date): Promise<Issued> {
  const by = await issuer()
  const credential = reputationCredential(claims, newId(), by.did, baseUrl, now)
  return { credential, withProof: await secured(by, credential) }
}
