import { type Answer, type System, until } from '@carapace/testing'
import { waitSeconds } from './act.ts'

/** What became of the registration of a name. One that the chain confirms later than a request waits answers 202: it is followed where that says. */
export async function registrationOutcome(system: Pick<System, 'get'>, { status, body }: Pick<Answer, 'status' | 'body'>) {
  if (status !== 202) return { status, body }
  const isEnded = async () => {
    const operation = await system.get(body.statusUrl)
    return operation.status !== 'pending' && operation
  }
  const { status: ended, record, txHash, onChain } = await until('the registration has ended', isEnded, waitSeconds)
  return { status: ended === 'confirmed' ? 201 : 409, body: { ...body, record, txHash, onChain } }
}
