import { contractInterface, decodeRevert, type Revert } from '@carapace/chain'
import type { Lane } from '../lane/lane.ts'
import { judge, type OpStep, retry, storeSteps } from '../lane/outcome.ts'
import type { QueuedOp } from '../lane/records.ts'
import { RpcUnavailable } from '../rpc/rpc.ts'
import { confirmFound, type Ending, effectNow } from './endings.ts'
import { afterMissing } from './needs.ts'
import type { Prepared } from './prepare.ts'
import { revertData } from './revert-reason.ts'

const token = contractInterface('USDC')

/**
 * Simulates calls before anything is signed, so that a call that can never succeed fails immediately. An operation with another of its aggregate
 * in flight is left out: its preconditions may still be on their way.
 * @param endings receives the operations that have failed terminally
 * @returns keys of the operations that must not be signed now
 */
export async function simulate(lane: Lane, prepared: readonly Prepared[], endings: Ending[]): Promise<ReadonlySet<string>> {
  const busy = new Set(lane.slots.open().flatMap(slot => [...slot.ops.values()].map(op => op.aggregateKey)))
  const seen = new Set<string>()
  const tried = prepared.filter(one => {
    const first = !busy.has(one.op.aggregateKey) && !seen.has(one.op.aggregateKey)
    seen.add(one.op.aggregateKey)
    // One that waits for an effect gets no slot before the effect exists.
    return (first || one.op.waiting) && one.prelude.length === 0
  })
  const replies = await lane.rpc.batch(
    tried.map(one => ({
      method: 'eth_call',
      params: [{ ...callOf(lane, one), value: `0x${one.call.value.toString(16)}`, gas: `0x${one.gas.toString(16)}` }, 'latest'],
    })),
    lane.timings.readTimeoutMs,
  )
  const refused = new Set<string>()
  const steps: OpStep<QueuedOp>[] = []
  for (const [index, one] of tried.entries()) {
    const reply = replies[index]
    if (!reply) throw new RpcUnavailable('incomplete answer')
    if (!('error' in reply)) continue
    const data = revertData(reply.error)
    // Only the contract's own revert counts; a node that could not run the call proves nothing.
    if (data === undefined && !/revert/i.test(reply.error.message)) continue
    refused.add(one.op._id)
    const effect = await effectNow(lane, one.op)
    if (effect) {
      await confirmFound(lane, [{ op: one.op, effect }])
      continue
    }
    const revert = data && data !== '0x' ? decodeRevert(data) : { name: 'unknown', args: [] }
    const step = await afterRefusal(lane, one, revert, endings)
    if (!step) continue
    lane.queue.replace(step.op)
    steps.push(step)
  }
  await storeSteps(lane.db.ops, steps)
  return refused
}

/**
 * What a node is shown anybody may submit as long as the signature in it is valid, also after a failure was published. So of a signed transfer it
 * simulates the same one by the wallet itself, which needs no signature.
 */
function callOf(lane: Lane, { command, args, call: { to, data }, batched }: Prepared) {
  const request = command.authorization?.(args)
  if (request?.type !== 'TransferWithAuthorization') return { from: batched ? lane.network.addresses.Batcher : lane.signer.address, to, data }
  return { from: request.from, to, data: token.encodeFunctionData('transfer', [request.to, request.value]) }
}

/** @returns the step of another try; none when it is over */
async function afterRefusal(
  lane: Lane,
  { op: refused, command }: Prepared,
  revert: Revert,
  endings: Ending[],
): Promise<OpStep<QueuedOp> | undefined> {
  const op = { ...refused, attempts: refused.attempts + 1 }
  const own = { attempts: op.attempts - (op.waiting?.tries ?? 0), gasFactor: op.gasFactor }
  const verdict = judge({ revert, outOfGas: false }, own, lane.timings.retryDelaysMs, command.finalReverts, Math.random())
  const then =
    verdict.next === 'wait'
      ? await afterMissing(lane, op, verdict.error)
      : verdict.next === 'fail'
        ? { op, end: verdict.error }
        : { op, delayMs: verdict.delayMs }
  if ('end' in then) {
    endings.push({ op: then.op, error: then.end })
    return undefined
  }
  return retry(then.op, { delayMs: then.delayMs, gasFactor: op.gasFactor }, revert.name, Date.now())
}
