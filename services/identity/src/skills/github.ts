import { sendOutgoing } from '@carapace/service'

/**
 * Whether a public repository, no fork, belongs to that account and names the agent (its id or wallet) in description or homepage: only who
 * controls it can write that. undefined when the check is disabled or GitHub gave no answer.
 */
export type RepositoryCheck = (repoUrl: string, claim: { account: string | null; id: string; wallet: string | null }) => Promise<boolean | undefined>

const host = 'api.github.com'

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

/** The JSON at a path; null for 404, undefined when there is no sensible answer. */
async function read(path: string): Promise<Record<string, unknown> | null | undefined> {
  const headers = { 'user-agent': 'carapace', accept: 'application/vnd.github+json' }
  // for the check every failure is the same: no answer
  const answer = await sendOutgoing(new URL(`https://${host}${path}`), { method: 'GET', headers }).catch(() => undefined)
  if (answer?.status === 404) return null
  return answer?.status === 200 ? parsed(answer.body) : undefined
}

function parsed(bytes: Buffer): Record<string, unknown> | undefined {
  try {
    return JSON.parse(bytes.toString()) as Record<string, unknown>
  } catch {
    // a body that is no JSON is no answer
    return undefined
  }
}
