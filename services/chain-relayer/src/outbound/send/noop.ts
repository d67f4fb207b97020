import type { Lane } from '../../lane/lane.ts'
import type { Attempt, Fee } from '../../lane/records.ts'
import { signAttempt } from './transaction.ts'

export const noopGas = 21_000

/** Signs an empty transaction from the lane to itself: it fills a slot and has no effect. */
export async function signNoop(lane: Lane, nonce: number, fee: Fee): Promise<Attempt> {
  const content = { chainId: lane.network.profile.chainId, nonce, to: lane.signer.address, data: '0x', value: 0n, gasLimit: noopGas, fee }
  return { ...(await signAttempt(lane.signer, content, Date.now())), noop: true }
}
