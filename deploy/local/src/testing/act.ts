import { type System, until } from '@carapace/testing'

/** On a machine that does much else. */
export const waitSeconds = 120

/** Posts until it is accepted, again after what the platform itself calls retryable: a step that waits for the chain, a service that did not answer. */
export async function act(system: System, path: string, body: object, headers: Record<string, string>) {
  return until(
    `${path} is accepted`,
    async () => {
      const answer = await system.call('POST', path, { body, headers })
      if (answer.status < 300) return answer.body
      if (answer.body.retryable) return undefined
      throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    },
    waitSeconds,
  )
}
