import { Refusal } from '@carapace/api'
import type { MicroCache } from '../cache/micro-cache.ts'
import type { AdminLog } from '../identity/admin-log.ts'
import type { Act } from './acts.ts'
import { type CallParts, type Change, callAs, type Operator, type ServiceAnswer } from './call.ts'

/** The call that an act stands for. */
interface ActCall extends Change {
  act: Act
  operator: Operator
  path: string
  requestId: string
}

/** Makes the call of an act and logs what becomes of it. @throws DEPENDENCY_UNAVAILABLE where there is no answer: it may have been done all the same */
export async function carriedOut(call: ActCall, parts: CallParts & { adminLog: AdminLog; cache: Pick<MicroCache, 'drop'> }): Promise<ServiceAnswer> {
  const { act, operator, path, body, key, requestId } = call
  const { wallet, kind } = operator.admin
  const method = act.endpoint.method.toUpperCase()
  const entry = await parts.adminLog.begin({ requestId, wallet, kind, method, path }, Buffer.from(JSON.stringify(body)))
  const answer = await callAs(operator, act.service, act.endpoint, path, parts, { body, key })
    .finally(() => parts.cache.drop('everything'))
    .catch(async (error: unknown) => {
      await parts.adminLog.end(entry, error instanceof Refusal ? error.status : 500)
      throw error
    })
  await parts.adminLog.end(entry, answer.status)
  return answer
}

/** What a person is shown of an act without an answer. @throws what is no refusal */
export function unansweredAct(error: unknown): ServiceAnswer {
  if (!(error instanceof Refusal)) throw error
  const { status, code, message } = error
  return { status, body: { message, code, status } }
}

/** Whether an act may have been done although it was refused, or may succeed if it is sent again. */
export const mayBeSentAgain = ({ status, body }: ServiceAnswer): boolean => status >= 500 || body?.retryable === true
