import { lookup } from 'node:dns/promises'
import { request } from 'node:https'
import { BlockList, isIP } from 'node:net'

/**
 * Whether a public repository, no fork, belongs to that account and names the agent (its id or wallet) in description or homepage: only who
 * controls it can write that. undefined when the check is disabled or GitHub gave no answer.
 */
export type RepositoryCheck = (repoUrl: string, claim: { account: string | null; id: string; wallet: string | null }) => Promise<boolean | undefined>

const host = 'api.github.com'
const timeoutMs = 5_000
const maxBytes = 65_536

/** Behaviour 1.11: never into a private, local or reserved range. */
const refused = new BlockList()
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  refused.addSubnet(net, prefix, 'ipv4')
for (const [net, prefix] of [
  ['::', 127],
  ['64:ff9b::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  refused.addSubnet(net, prefix, 'ipv6')

export const isPublicAddress = (address: string): boolean => {
  const family = isIP(address)
  return family !== 0 && !refused.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

/** Queries GitHub when the configuration allows it. */
export function repositoryCheck(allowed: boolean): RepositoryCheck {
  return async (repoUrl, claim) => {
    if (!allowed) return undefined
    const [account, name] = new URL(repoUrl).pathname
      .replace(/\.git\/?$|\/$/, '')
      .split('/')
      .slice(1)
    if (claim.account !== null && account?.toLowerCase() !== claim.account.toLowerCase()) return false
    const answer = await read(`/repos/${account}/${name}`)
    if (answer === undefined) return undefined
    if (answer === null || answer.fork !== false || answer.private !== false) return false
    const words = `${answer.description ?? ''} ${answer.homepage ?? ''}`.toLowerCase()
    return [claim.id, claim.wallet].some(name => name !== null && words.includes(name.toLowerCase()))
  }
}

/** The JSON at a path; null for 404, undefined when there is no sensible answer. Resolved once, pinned, no redirects. */
async function read(path: string): Promise<Record<string, unknown> | null | undefined> {
  const { address, family } = await lookup(host).catch(() => ({ address: '', family: 0 }))
  if (!isPublicAddress(address)) return undefined
  return new Promise(resolve => {
    const outgoing = request(
      {
        host,
        path,
        headers: { 'user-agent': 'carapace', accept: 'application/vnd.github+json' },
        timeout: timeoutMs,
        signal: AbortSignal.timeout(timeoutMs),
        lookup: (_name, options, done) => (options.all ? done(null, [{ address, family }]) : done(null, address, family)),
      },
      response => {
        const parts: Buffer[] = []
        let size = 0
        response.on('data', (part: Buffer) => {
          size += part.length
          if (size > maxBytes) response.destroy()
          else parts.push(part)
        })
        response.on('close', () => {
          if (response.statusCode === 404) resolve(null)
          else resolve(response.statusCode === 200 && response.complete ? parsed(Buffer.concat(parts)) : undefined)
        })
      },
    )
    outgoing.on('error', () => resolve(undefined))
    outgoing.end()
  })
}

function parsed(bytes: Buffer): Record<string, unknown> | undefined {
  try {
    return JSON.parse(bytes.toString()) as Record<string, unknown>
  } catch {
    // a body that is no JSON is no answer
    return undefined
  }
}
