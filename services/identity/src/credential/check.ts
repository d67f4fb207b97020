import type { Stored } from '@carapace/store'
import type { Agent } from '../agent.ts'
import type { Parts } from '../parts.ts'
import { entryOf, isOurs, type ReputationCredential } from './document.ts'
import type { Issuer } from './issuer.ts'
import { faultOf, fromJwt } from './proof.ts'
import { statusIndexOf } from './status-list.ts'

/** A change of the score that a reader should know of. */
const notableDrift = 10
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

interface Findings {
  checks: { check: string; passed: boolean }[]
  errors: string[]
}

/** All checks of a presented credential. Never throws for its content. */
export async function checkCredential(parts: Parts, given: Record<string, unknown> | string) {
  const issuer = await parts.issuer()
  const findings: Findings = { checks: [], errors: [] }
  const note = (check: string, fault: string | undefined | false) => {
    findings.checks.push({ check, passed: !fault })
    if (fault) findings.errors.push(fault)
    return !fault
  }
  const credential = await authentic(issuer, parts.baseUrl, given, note)
  const agent =
    credential && uuid.test(credential.credentialSubject.agentId) ? await parts.agents.get(credential.credentialSubject.agentId) : undefined
  if (credential) {
    const now = parts.clock.now()
    note('validity', outOfDate(credential, now))
    const fault = !agent ? 'The agent is not known' : agent.status !== 'active' && `The agent is ${agent.status}`
    if (note('agent', fault)) note('status', entryOf(credential, parts.baseUrl) !== statusIndexOf(agent!) && 'It was revoked')
  }
  return { valid: findings.errors.length === 0, reason: findings.errors[0] ?? null, ...findings, ...facts(credential, agent) }
}

type Note = (check: string, fault: string | undefined | false) => boolean

async function authentic(
  issuer: Issuer,
  baseUrl: string,
  given: Record<string, unknown> | string,
  note: Note,
): Promise<ReputationCredential | undefined> {
  if (typeof given === 'string') {
    const payload = await fromJwt(issuer, given)
    const sound = note('proof', payload === undefined && 'The JWT is not signed by this platform')
    return sound && note('structure', !isOurs(payload, baseUrl) && 'It is not a reputation credential')
      ? (payload as ReputationCredential)
      : undefined
  }
  const { proof, ...document } = given
  const sound = isOurs(document, baseUrl) && isProof(proof)
  if (!note('structure', !sound && 'It is not a reputation credential of this platform with one embedded proof')) return undefined
  const credential = document as unknown as ReputationCredential
  if (!note('issuer', credential.issuer !== issuer.did && 'It was issued by somebody else')) return undefined
  return note('proof', await faultOf(issuer, { ...credential, proof: proof as object })) ? credential : undefined
}

const proofFields = ['created', 'cryptosuite', 'proofPurpose', 'proofValue', 'type', 'verificationMethod']
const isProof = (proof: unknown): boolean =>
  typeof proof === 'object' &&
  proof !== null &&
  JSON.stringify(Object.keys(proof).sort()) === JSON.stringify(proofFields) &&
  Object.values(proof).every(value => typeof value === 'string' && value.length <= 500)

const outOfDate = ({ validFrom, validUntil }: ReputationCredential, now: Date): string | undefined => {
  if (Date.parse(validUntil) <= now.getTime()) return 'It has expired'
  return Date.parse(validFrom) > now.getTime() ? 'It is not valid yet' : undefined
}

function facts(credential: ReputationCredential | undefined, agent: Stored<Agent> | undefined) {
  const subject = credential?.credentialSubject
  const credentialFusedScore = subject ? subject.fusedScore : null
  const currentFusedScore = agent?.standing.fusedScore ?? null
  const scoreDrift =
    currentFusedScore === null || credentialFusedScore === null ? null : Math.round((currentFusedScore - credentialFusedScore) * 10) / 10
  return {
    warnings: scoreDrift !== null && Math.abs(scoreDrift) > notableDrift ? [`The score has changed by ${scoreDrift} since`] : [],
    agentId: subject?.agentId ?? null,
    handle: subject?.handle ?? null,
    issuedAt: credential?.validFrom ?? null,
    expiresAt: credential?.validUntil ?? null,
    currentFusedScore,
    credentialFusedScore,
    scoreDrift,
  }
}
